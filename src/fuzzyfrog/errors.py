"""Every error that fuzzyfrog raises on purpose.

    FuzzyfrogError
    ├── DataError          the data cannot be used as it is          (ValueError)
    ├── ParameterError     a parameter breaks its rule               (ValueError)
    ├── CheckpointError    a checkpoint does not belong to the run   (ValueError)
    ├── ClusterError       the cluster cannot do the work            (RuntimeError)
    ├── OutOfMemoryError   something did not fit into memory         (MemoryError)
    └── UnwrittenError     some files could not be written           (OSError)

Any other exception is a bug or comes from another library. One warning has a class of its own, so
that it can be filtered: PredictionWarning (UserWarning).
"""

__all__ = [
    "CheckpointError",
    "ClusterError",
    "DataError",
    "FuzzyfrogError",
    "OutOfMemoryError",
    "ParameterError",
    "PredictionWarning",
    "UnwrittenError",
]


class FuzzyfrogError(Exception):
    """Base class; the message says what is wrong and how to fix it.

    It may come in parts, as those of a `common.messages.Sentence`.
    """

    def __str__(self) -> str:
        return "".join(map(str, self.args))


class DataError(FuzzyfrogError, ValueError):
    """The data cannot be used as it is."""


class ParameterError(FuzzyfrogError, ValueError):
    """A parameter breaks its rule.

    The message reads "name must rule, got value. Hint." The command line words it with options.

    Parameters
    ----------
    parameter : str or tuple of str
        The parameter, or those that do not go together.
    rule : str
        What must hold, as it reads after "must", such as "be at least 1".
    got : str
        What was given instead, ready to be printed.
    hint : str
        What to do, as full sentences; may be a `common.messages.Sentence`.
    """

    def __init__(
        self, parameter: str | tuple[str, ...], rule: str, got: str, hint: str = ""
    ) -> None:
        self.parameters = (parameter,) if isinstance(parameter, str) else parameter
        self.rule, self.got, self.hint = rule, got, hint
        super().__init__(
            f"{' and '.join(self.parameters)} must {rule}, got {got}.{hint and ' '}{hint}"
        )

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], str, str, str]]:
        return type(self), (self.parameters, self.rule, self.got, self.hint)


class CheckpointError(FuzzyfrogError, ValueError):
    """A checkpoint cannot be read, or belongs to another run."""


class ClusterError(FuzzyfrogError, RuntimeError):
    """The cluster cannot do the work."""


class OutOfMemoryError(FuzzyfrogError, MemoryError):
    """Something did not fit into memory."""


class UnwrittenError(FuzzyfrogError, OSError):
    """Some files could not be written; all others were.

    Attributes
    ----------
    sentences : tuple of str
        One for each file: its name and the reason.
    """

    def __init__(self, sentences: tuple[str, ...]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences


class PredictionWarning(UserWarning):
    """Models may do worse with the selected features than with all of them."""
