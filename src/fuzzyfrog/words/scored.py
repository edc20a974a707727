"""What may be said of features that score best by a custom measure."""

from collections.abc import Iterator

from fuzzyfrog.result import Result
from fuzzyfrog.words.common import Fact, Standing, Words


class ScoredWords(Words):
    """Sentences about the scores of a custom measure."""

    measured = "score"
    is_bounded = False

    def __init__(self, result: Result, measure: str) -> None:
        super().__init__(result)
        self._measure = measure

    def number(self, value: float) -> str:
        """Return a score as text; it may be of any size."""
        return f"{value:.4g}"

    def headline(self) -> str:
        """Return the scores of the selected features and of all."""
        start, others = self._part_of_all()
        verb = "scores" if len(self.result.selected) == 1 else "score"
        ours, full = self.number(self.result.dependency), self.number(self.result.full_dependency)
        return f"{start} {verb} {ours}; {others}: {full}"

    def standing(self) -> Standing:
        """Return that nothing is proven."""
        return self._found("")

    def reasons(self) -> list[str]:
        """Return the name of the measure, and the scores."""
        return [
            f"By the measure {self._measure}, the selected features score "
            f"{self.result.dependency:.6g}, all features {self.result.full_dependency:.6g}."
        ]

    def _own_facts(self) -> Iterator[tuple[str, str]]:
        result = self.result
        yield "score", f"{result.dependency:.6g}; all features {result.full_dependency:.6g}"
        yield "measure", self._measure

    def _own_numbers(self) -> Iterator[Fact]:
        full = self.number(self.result.full_dependency)
        yield Fact("Score", self.number(self.result.dependency), f"all features {full}")
