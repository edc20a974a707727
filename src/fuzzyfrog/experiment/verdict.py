"""What the experiment says about the paper, in words that the figures choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from fuzzyfrog.experiment.claims import Claim, Finding, claims_of
from fuzzyfrog.experiment.config import Experiment
from fuzzyfrog.experiment.leak import leak_of
from fuzzyfrog.experiment.lineup import Lineup
from fuzzyfrog.experiment.markdown import GAP, Rows, joined, table
from fuzzyfrog.experiment.paper_figures import PaperFigures
from fuzzyfrog.experiment.results import Results
from fuzzyfrog.experiment.standing import (
    Case,
    Standing,
    standing_of_lineup,
    standing_of_paper,
)
from fuzzyfrog.experiment.verdict_tests import accuracy_rows, rank_rows

__all__ = ["Verdict"]

OWN = ("weka", "paper")  # panel and protocol of the paper


@dataclass(frozen=True, eq=False)
class Verdict:
    """The page that puts every claim of the paper to our figures.

    Attributes
    ----------
    experiment : Experiment
        What was asked.
    paper : PaperFigures
        What the paper printed.
    lineups : mapping of (str, str) to sequence of Lineup
        Our figures, by panel and protocol.
    results : mapping of (str, str) to Results
        The same, by panel and protocol.
    """

    experiment: Experiment
    paper: PaperFigures
    lineups: Mapping[tuple[str, str], Sequence[Lineup]]
    results: Mapping[tuple[str, str], Results]

    def page(self) -> str:
        """Give the Markdown page."""
        cases = self._cases()
        title = f"# {self.experiment.title}: verdict"
        if not cases:
            return f"{title}\n\nToo few data sets are done to say anything.\n"
        return "\n".join(
            [
                title,
                "",
                *self._scope(cases),
                *self._summary(cases),
                *self._claims(cases),
                *self._accuracies(cases),
                *self._tests(cases),
                *self._leaks(),
            ]
        )

    def _cases(self) -> dict[Case, Standing]:
        """Give the lineups that have the methods of the paper and two data sets, the own first."""
        found = {}
        for (panel, protocol), lineups in self.lineups.items():
            for lineup in lineups:
                standing = standing_of_lineup(lineup, self.paper)
                if standing is not None and len(standing.datasets) >= 2:
                    found[Case(lineup.name, panel, protocol)] = standing
        order = sorted(found, key=lambda case: (case.panel, case.protocol) != OWN)
        return {case: found[case] for case in order}

    def _scope(self, cases: Mapping[Case, Standing]) -> list[str]:
        n_all = len(self.experiment.data)
        counts = sorted({len(standing.datasets) for standing in cases.values()})
        told = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        each = {f"{one.panel} {one.protocol}": len(cases[one].datasets) for one in cases}
        uneven = "; ".join(f"{place} {count}" for place, count in each.items())
        done = list(dict.fromkeys(data for one in cases.values() for data in one.datasets))
        missing = [one.name for one in self.experiment.data if one.name not in done]
        rest = f" Nothing is said about {joined(missing)}: they are not done." if missing else ""
        by_place = f" Done for all selectors are: {uneven}." if len(counts) > 1 else ""
        return [
            f"The claims of the paper, put to {told} of its {n_all} data sets.{by_place}{rest} "
            f"Every figure is computed from the cells. The paper's own setting is panel "
            f"`{OWN[0]}` under protocol `{OWN[1]}`; with other classifiers its accuracies are no "
            "yardstick, but its ranks are.",
            "",
            *self._left_out(),
        ]

    def _left_out(self) -> list[str]:
        """Tell which classifiers failed somewhere, so that means are over fewer than all."""
        failed: dict[tuple[str, str], set[str]] = {}
        for (panel, _), lineups in self.lineups.items():
            for lineup in lineups:
                for data in lineup.done:
                    gone = set(lineup.classifiers) - set(lineup.common(data))
                    if gone:
                        failed.setdefault((data, panel), set()).update(gone)
        told = [f"{data} ({panel}: {joined(sorted(names))})" for (data, panel), names in
                sorted(failed.items())]  # fmt: skip
        if not told:
            return []
        return [
            f"A classifier that failed for one selector is left out for all of them on "
            f"{joined(told)}.",
            "",
        ]

    def _summary(self, cases: Mapping[Case, Standing]) -> list[str]:
        groups: dict[str, list[str]] = {"What holds": [], "What holds in part": [],
                                        "What does not hold": []}  # fmt: skip
        for claim in claims_of(self.paper):
            findings = {case: claim.judge(standing) for case, standing in cases.items()}
            told = {case: one for case, one in findings.items() if one is not None}
            agreeing = [case for case, one in told.items() if one.holds]
            title = _group(len(agreeing), len(told))
            if title:
                groups[title].append(f"- {claim.sentence} {_where(agreeing, told)}")
        lines: list[str] = []
        for title, sentences in groups.items():
            lines += [f"## {title}", "", *(sentences or ["- Nothing."]), ""]
        return lines

    def _claims(self, cases: Mapping[Case, Standing]) -> list[str]:
        """Give the table of all claims; the paper's own tables are put to the same questions."""
        claims = claims_of(self.paper)
        whole = self.paper.tables["accuracy_mean"]
        same = next(iter(cases.values())).datasets
        rows: Rows = [["figures of", "data sets", *(claim.name for claim in claims)]]
        rows.append(_claim_row("the paper", standing_of_paper(self.paper, whole), claims))
        rows.append(_claim_row("the paper, same data", standing_of_paper(self.paper, same), claims))
        rows += [_claim_row(str(case), standing, claims) for case, standing in cases.items()]
        key = [f"- *{claim.name}*: {claim.sentence}" for claim in claims]
        return ["## Claim by claim", "", *key, "", *table(rows), ""]

    def _accuracies(self, cases: Mapping[Case, Standing]) -> list[str]:
        subject, n_all = self.paper.first, len(self.experiment.data)
        same = next(iter(cases.values())).datasets
        mean = standing_of_paper(self.paper, same).mean("accuracies", subject)
        printed = self.paper.overall("mean_accuracy", subject)
        is_open = f" Whether ours reaches {printed} over all {n_all} is open." * (len(same) < n_all)
        return [
            f"## {subject} beside the paper's, data set by data set",
            "",
            f"The paper has {printed} over all its data sets, and {mean:.2f} over the {len(same)} "
            f"that are done here.{is_open}",
            "",
            "Mean accuracy in percent and mean number of features, ours and the paper's on the "
            "same data sets; on how many data sets ours is higher (fewer features) and lower; "
            "Wilcoxon's signed-rank test of the accuracies, ours against the paper's.",
            "",
            *table(accuracy_rows(cases, self.paper, subject)),
            "",
        ]

    def _tests(self, cases: Mapping[Case, Standing]) -> list[str]:
        subject = self.paper.first
        return [
            f"## Is {subject} first, and is that more than chance?",
            "",
            f"Mean rank and place of {subject}; who is first; Friedman without and with "
            f"correction for ties; whom {subject} is significantly better (+) or worse (-) than, "
            "at 0.05, by each procedure.",
            "",
            *table(rank_rows(cases, self.paper, subject)),
            "",
        ]

    def _leaks(self) -> list[str]:
        """Tell what selecting on the test samples is worth, for every selector of the paper's."""
        panels = list(dict.fromkeys(panel for panel, _ in self.results))
        rows: Rows = [["selector", *panels]]
        for one in self.experiment.selectors:
            rows.append([one.name, *(self._leak(one.name, panel) for panel in panels)])
        if len(self.experiment.protocols) < 2:
            return []
        return [
            "## What the leak is worth",
            "",
            "Points of mean accuracy that a selector gains when it may select on the test samples "
            "(protocol `paper` minus `nested`, same seeds and classifiers), the mean over the "
            "data sets, and on how many of them it gains.",
            "",
            *table(rows),
            "",
        ]

    def _leak(self, name: str, panel: str) -> str:
        both = [self.results.get((panel, protocol), {}) for protocol in ("paper", "nested")]
        lineup = self.lineups[panel, self.experiment.protocols[0].name][0]
        differences = leak_of(name, both[0], both[1], lineup.classifiers).differences
        if not differences:
            return GAP
        n_gains = sum(difference > 0 for difference in differences)
        return f"{fmean(differences):+.2f} ({n_gains} of {len(differences)})"


def _group(n_agreeing: int, n_told: int) -> str | None:
    if n_told == 0:
        return None
    if n_agreeing == n_told:
        return "What holds"
    return "What holds in part" if n_agreeing else "What does not hold"


def _where(agreeing: Sequence[Case], told: Mapping[Case, Finding]) -> str:
    """Tell in how many cases a claim holds, and in which unless it is all or none."""
    own = {case: one for case, one in told.items() if (case.panel, case.protocol) == OWN}
    inside = "; ".join(
        f"{case.lineup}: {one.figure}, {'yes' if one.holds else 'no'}" for case, one in own.items()
    )
    text = f"{len(agreeing)} of {len(told)} cases."
    if 0 < len(agreeing) < len(told):
        text = f"{len(agreeing)} of {len(told)} cases ({_by(agreeing, told)})."
    return f"{text} In the paper's own setting: {inside}." if inside else text


def _by(agreeing: Sequence[Case], told: Mapping[Case, Finding]) -> str:
    """Count the cases by protocol and panel."""
    places = list(dict.fromkeys((case.panel, case.protocol) for case in told))
    counts = []
    for place in places:
        every = [case for case in told if (case.panel, case.protocol) == place]
        n_yes = sum(case in agreeing for case in every)
        counts.append(f"{place[0]} {place[1]} {n_yes} of {len(every)}")
    return ", ".join(counts)


def _claim_row(label: str, standing: Standing, claims: Sequence[Claim]) -> list[str]:
    cells = []
    for claim in claims:
        finding = claim.judge(standing)
        told = "" if finding is None else f"{'yes' if finding.holds else 'no'}, {finding.figure}"
        cells.append(told or GAP)
    return [label, str(len(standing.datasets)), *cells]
