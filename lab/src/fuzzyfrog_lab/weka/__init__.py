"""The nine Weka classifiers of the paper.

They run in a separate process (`jvm`), which `process` starts, queries and replaces if it fails.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from types import MappingProxyType

from fuzzyfrog.common.messages import warn
from fuzzyfrog.common.params import check_known
from fuzzyfrog.data import Dataset, make_dataset
from fuzzyfrog_lab.folds import Fold, stratified_folds
from fuzzyfrog_lab.panel import CellError, check_classes
from fuzzyfrog_lab.weka.process import WekaProcess

__all__ = ["CLASSIFIERS", "WekaClassifier", "WekaPanel", "evaluate_weka"]


@dataclass(frozen=True)
class WekaClassifier:
    """A classifier of Weka with its options."""

    name: str  # its class, below weka.classifiers
    options: str = ""  # as on Weka's command line


CLASSIFIERS: Mapping[str, WekaClassifier] = MappingProxyType(
    {
        "PART": WekaClassifier("rules.PART", "-M 2 -C 0.25 -Q 1"),
        "JRip": WekaClassifier("rules.JRip", "-F 3 -N 2.0 -O 2 -S 1"),
        "NaiveBayes": WekaClassifier("bayes.NaiveBayes"),
        "BayesNet": WekaClassifier(
            "bayes.BayesNet",
            "-D -Q weka.classifiers.bayes.net.search.local.K2 -- -P 1 -S BAYES "
            "-E weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 0.5",
        ),
        "J48": WekaClassifier("trees.J48", "-C 0.25 -M 2"),
        "BFTree": WekaClassifier("trees.BFTree", "-S 1 -M 2 -N 5 -C 1.0 -P POSTPRUNED"),
        "FT": WekaClassifier("trees.FT", "-I 15 -F 0 -M 15 -W 0.0"),
        "NBTree": WekaClassifier("trees.NBTree"),
        "RBFNetwork": WekaClassifier("functions.RBFNetwork", "-B 2 -S 1 -R 1.0E-8 -M -1 -W 0.1"),
    }
)


class WekaPanel:
    """The nine classifiers of the paper, evaluated on folds; close it after use.

    Parameters
    ----------
    max_seconds : float or None
        Time limit of a classifier on all the folds of a call; None for no limit.
    megabytes : int
        Memory limit of the virtual machine.

    Examples
    --------
    >>> from fuzzyfrog_lab.weka import WekaPanel
    >>> WekaPanel(max_seconds=600).classifiers[:3]
    ('PART', 'JRip', 'NaiveBayes')
    """

    name = "weka"
    classifiers = tuple(CLASSIFIERS)

    def __init__(self, *, max_seconds: float | None = None, megabytes: int = 2048) -> None:
        self._process = WekaProcess(max_seconds, megabytes)

    @property
    def version(self) -> str:
        """Version of Weka and of the Java that runs it."""
        return self._process.version()

    def made_with(self, classifier: str) -> dict[str, str]:
        """Return the version of Weka, and the options of a classifier."""
        chosen = CLASSIFIERS[classifier]
        weka = self.version.partition(", ")[0]  # results do not depend on the Java version
        return {self.name: weka, "settings": f"{chosen.name} {chosen.options}".strip()}

    def correct(self, dataset: Dataset, classifier: str, folds: Sequence[Fold]) -> list[int]:
        """Return the number of correct predictions on each fold.

        Raise CellError if the classifier fails, crashes or takes too long; the panel stays usable.
        """
        check_known("classifier", classifier, CLASSIFIERS)
        check_classes(dataset)
        chosen = CLASSIFIERS[classifier]
        return self._process.correct(dataset, chosen.name, chosen.options.split(), folds)

    def close(self) -> None:
        """End the process if it was started."""
        self._process.close()

    def __enter__(self) -> "WekaPanel":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def evaluate_weka(
    X: object,
    y: object = None,
    *,
    classifiers: Sequence[str] | None = None,
    folds: int = 10,
    seed: int = 1,
) -> dict[str, float]:
    """Return the accuracy, in percent, of Weka's classifiers in a stratified cross-validation.

    This is the number that Weka's Explorer shows, over the test samples of all folds. Classes are
    taken in the order of their first sample. Their labels matter: JRip draws its random numbers
    from the text of a sample, so other labels for the same classes can change its accuracy.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features), or Dataset
        The features.
    y : array-like of shape (n_samples,)
        The class of each sample; omit it for a Dataset.
    classifiers : sequence of str, optional
        Names in `CLASSIFIERS`; all nine by default.
    folds : int
        Number of folds.
    seed : int
        Seed of the folds.

    Returns
    -------
    dict of str to float
        The accuracy of each classifier; NaN, with a warning, if it failed.

    Raises
    ------
    WekaNotFoundError
        If Weka, Java or JPype is missing; the message says how to install it.
    """
    dataset = make_dataset(X, y, target="auto" if isinstance(X, Dataset) else "class")
    names = list(CLASSIFIERS) if classifiers is None else list(classifiers)
    for name in names:
        check_known("classifiers", name, CLASSIFIERS)
    parts = stratified_folds(dataset.target.tolist(), folds, seed)
    with WekaPanel() as panel:
        return {name: _accuracy(panel, dataset, name, parts) for name in names}


def _accuracy(panel: WekaPanel, dataset: Dataset, name: str, folds: Sequence[Fold]) -> float:
    try:
        return 100.0 * sum(panel.correct(dataset, name, folds)) / dataset.n_samples
    except CellError as error:
        warn(f"{name} gave no accuracy: {error}", RuntimeWarning)
        return nan
