"""The pictures of a run, drawn with matplotlib: on axes, or as files."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from fuzzyfrog.common.messages import count, shown
from fuzzyfrog.common.params import check_known
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.records import FeatureSet, Run
from fuzzyfrog.records.statements import alike, offered
from fuzzyfrog.report.plot_data import elbow
from fuzzyfrog.report.text import gamma, short

FORMATS = ("svg", "png")
FRONT_SIZE = 7, 4  # inches
ACCENT, INK, SOFT, MUTE, RULE = "#0f766e", "#1d2423", "#56605e", "#a9b1ae", "#dfdcd3"
MAX_COLUMNS, MAX_ROWS = 40, 25  # of the picture of the reducts
MAX_BARS = 25
LONGEST = 32  # characters of a name
STYLE = {
    "font.size": 10,
    "font.family": ["sans-serif", "DejaVu Sans"],  # the second for glyphs that the first lacks
    "font.sans-serif": ["Inter", "Segoe UI", "Helvetica Neue", "Arial", "DejaVu Sans"],
    "text.color": INK,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "axes.edgecolor": RULE,
    "axes.labelcolor": SOFT,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 14,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "grid.color": RULE,
    "svg.fonttype": "none",
    "svg.hashsalt": "fuzzyfrog",  # the same run gives the same file
}


def save_figures(
    run: Run,
    folder: str | os.PathLike[str],
    format: Literal["svg", "png"] = "svg",  # noqa: A002
) -> list[Path]:
    """Write the pictures of a run: front, reducts, frequency and convergence.

    Needs the extra ``fuzzyfrog[report]``.

    Parameters
    ----------
    run : Run
        The record of the run.
    folder : path
        Folder to write to; it is created if needed.
    format : {"svg", "png"}
        File format.

    Returns
    -------
    list of Path
        The files written.
    """
    check_known("format", format, FORMATS)
    matplotlib = _matplotlib()
    Path(folder).mkdir(parents=True, exist_ok=True)
    files = []
    with matplotlib.rc_context(STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # names may be in any script
        for name, draw in _PICTURES.items():
            if not run.is_strict and name in STRICT_ONLY:
                continue
            figure = draw(run)
            files.append(Path(folder) / f"{name}.{format}")
            metadata = {"Date": None} if format == "svg" else {"Software": None}
            figure.savefig(files[-1], dpi=160, bbox_inches="tight", metadata=metadata)
    return files


def _matplotlib() -> ModuleType:
    try:
        import matplotlib.figure
    except ImportError:
        raise ImportError(
            "figures need matplotlib, which is not installed. "
            "Install it with: pip install 'fuzzyfrog[report]'"
        ) from None
    return matplotlib


def plot_front(source: Any, ax: Any = None) -> Any:
    """Plot the best dependency found for each number of features.

    With the soft measure and a greedy search, the second curve shows how well the five nearest
    neighbors predict. Needs the extra ``fuzzyfrog[report]``.

    Parameters
    ----------
    source : fitted FuzzyRoughSelector or Run
        The selector, or the record of a run.
    ax : matplotlib axes, default=None
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Examples
    --------
    >>> from fuzzyfrog import FuzzyRoughSelector, load_dataset, plot_front
    >>> selector = FuzzyRoughSelector("quickreduct").fit(load_dataset("wine"))
    >>> ax = plot_front(selector)
    >>> ax.get_xlabel()
    'number of features'
    """
    return _plotted(_draw_front, lambda run: FRONT_SIZE, source, ax)


def plot_reducts(source: Any, ax: Any = None) -> Any:
    """Plot which features the subsets have that are as good as the selected one.

    Each column is a subset, each row a feature; the selected subset stands out. Of many, the first
    40 subsets and the 25 most frequent features are drawn, and the title says so. Needs the extra
    ``fuzzyfrog[report]``.

    Parameters
    ----------
    source : fitted FuzzyRoughSelector or Run
        The selector, or the record of a run.
    ax : matplotlib axes, default=None
        Where to draw; None for a new figure.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Examples
    --------
    >>> from fuzzyfrog import FuzzyRoughSelector, load_dataset, plot_reducts
    >>> selector = FuzzyRoughSelector(max_evaluations=500, random_state=0).fit(load_dataset("wine"))
    >>> ax = plot_reducts(selector)
    >>> len(ax.get_yticks()) <= 13
    True
    """
    return _plotted(_draw_reducts, _size_of_reducts, source, ax)


def _plotted(
    draw: Callable[[Run, Any], None],
    size: Callable[[Run], tuple[float, float]],
    source: Any,
    axes: Any,
) -> Any:
    """Draw on axes, by default on those of a new figure that pyplot shows."""
    matplotlib = _matplotlib()
    if not isinstance(source, Run) and not hasattr(source, "record"):
        raise ParameterError("source", "be a fitted FuzzyRoughSelector or a Run", shown(source))
    run = source if isinstance(source, Run) else source.record()
    if axes is None:
        import matplotlib.pyplot as plt

        # Outside of the context: the first figure of a notebook sets parameters that must stay.
        figure = plt.figure(figsize=size(run), layout="constrained")
    with matplotlib.rc_context(STYLE):
        if axes is None:
            axes = figure.subplots()
        draw(run, axes)
    return axes


def _on_canvas(run: Run, draw: Callable[[Run, Any], None], size: tuple[float, float]) -> Any:
    """Return a figure that neither a screen nor pyplot keeps."""
    figure = _matplotlib().figure.Figure(figsize=size, layout="constrained")
    draw(run, figure.subplots())
    return figure


def _draw_front(run: Run, axes: Any) -> None:
    sizes = [point.size for point in run.front]
    axes.plot(sizes, [point.dependency for point in run.front], color=ACCENT, linewidth=2,
              marker="o", markersize=6, markerfacecolor="white", markeredgewidth=1.8,
              label=_label(run))  # fmt: skip
    if known := [one for one in run.front if one.accuracy is not None]:
        name = "R²" if run.data.target.is_numeric else "accuracy"
        axes.plot([one.size for one in known], [one.accuracy for one in known], color=SOFT,
                  linewidth=1.5, linestyle=(0, (2, 2)),
                  label=f"{name} of nearest neighbors")  # fmt: skip
    axes.axhline(run.full_dependency, color=MUTE, linestyle=(0, (4, 3)), linewidth=1,
                 label=f"all {count(*offered(run))}")  # fmt: skip
    if run.chance is not None:
        axes.axhline(run.chance, color=MUTE, linestyle=(0, (1, 2)), linewidth=1.5, label="chance")
    bend = elbow(run) if run.is_strict else None
    if bend is not None:
        _mark(axes, bend, "D", "white", f"elbow, {run.symbol}")
    chosen = FeatureSet(run.selected, run.dependency, None)
    _mark(axes, chosen, "o", ACCENT, f"chosen, {run.symbol}")
    what = "score" if run.symbol == "score" else "dependency"
    title = f"The {what} after each feature added" if run.added else (
        f"The best {what} found for each number of features"
    )  # fmt: skip
    axes.set(title=title, xlabel="number of features", ylabel=_label(run))
    if run.is_strict or run.is_soft:
        axes.set_ylim(min(0.0, *axes.get_ylim()), 1.04)
    axes.legend(frameon=False)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis="y")
    axes.set_axisbelow(True)


def _label(run: Run) -> str:
    return "score" if run.symbol == "score" else f"dependency {run.symbol}"


def _mark(axes: Any, point: FeatureSet, marker: str, fill: str, label: str) -> None:
    axes.plot([point.size], [point.dependency], marker=marker, markersize=10, color=ACCENT,
              markerfacecolor=fill, markeredgewidth=1.8, linestyle="none",
              label=f"{label} {gamma(point.dependency)}")  # fmt: skip


def _size_of_reducts(run: Run) -> tuple[float, float]:
    n_columns, n_rows = len(run.reducts[:MAX_COLUMNS]), len(_most_frequent(run, MAX_ROWS))
    return 2.8 + 0.2 * n_columns, 1.2 + 0.25 * n_rows


def _draw_reducts(run: Run, axes: Any) -> None:
    shown = run.reducts[:MAX_COLUMNS]
    rows = _most_frequent(run, MAX_ROWS)
    for y in range(0, len(rows), 2):
        axes.axhspan(y - 0.5, y + 0.5, color="#f6f5f1", linewidth=0)
    for x, reduct in enumerate(shown):
        color = ACCENT if reduct.features == run.selected else SOFT
        has = [y for y, feature in enumerate(rows) if feature in reduct.features]
        has_not = [y for y in range(len(rows)) if y not in has]
        axes.plot([x] * len(has_not), has_not, "o", color=RULE, markersize=2.5)
        axes.plot([x] * len(has), has, "-o", color=color, markersize=6.5, linewidth=1.5)
    _name_rows(run, axes, rows)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(-0.7, max(len(shown), 8) - 0.3))
    axes.set_title(_title_of_reducts(run, len(shown), len(rows)))


def _title_of_reducts(run: Run, n_shown: int, n_rows: int) -> str:
    """Return what is drawn, and how much of it is not."""
    if run.n_reducts == 1:
        return "The selected subset, the only one found"
    part = f"{n_shown:,} of " if n_shown < run.n_reducts else ""
    n_used = sum(share > 0 for share in run.feature_frequency)
    rarer = f" ({n_used - n_rows:,} rarer features not shown)" if n_rows < n_used else ""
    return f"{part}{run.n_reducts:,} {alike(run)}{rarer}"


def _name_rows(run: Run, axes: Any, rows: list[int]) -> None:
    axes.set_yticks(range(len(rows)), _names(run, rows))
    for label in axes.get_yticklabels():  # set now: ticks are made when they are drawn
        label.set_parse_math(False)


def _draw_frequency(run: Run, axes: Any) -> None:
    rows = _most_frequent(run, MAX_BARS)
    shares = [run.feature_frequency[feature] for feature in rows]
    colors = [ACCENT if feature in run.selected else MUTE for feature in rows]
    axes.barh(range(len(rows)), shares, color=colors, height=0.55)
    for y, share in enumerate(shares):
        axes.text(share + 0.01, y, f"{share:.0%}", va="center", color=SOFT, size=9)
    _name_rows(run, axes, rows)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlim=(0, 1.08))
    axes.set_title(f"Share of the {alike(run)}, by feature")


def _convergence(run: Run) -> Any:
    figure = _matplotlib().figure.Figure(figsize=(7, 5), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.12)
    over, middle, under = figure.subplots(3, sharex=True)
    x = [moment.n_evaluations for moment in run.history]
    over.step(x, [m.dependency for m in run.history], where="post", color=ACCENT, linewidth=2)
    best = max((moment.dependency for moment in run.history), default=1.0)
    worst = min((moment.dependency for moment in run.history), default=1.0)
    over.set(title="Best subset so far", ylabel=_label(run))
    over.set_ylim(min(worst, 0.9 * best), best + 0.01)
    middle.step(x, [m.size for m in run.history], where="post", color=ACCENT, linewidth=2)
    middle.set(
        ylabel="features", ylim=(0, 1.2 * max((moment.size for moment in run.history), default=1))
    )
    middle.yaxis.get_major_locator().set_params(integer=True)
    known = [moment for moment in run.history if moment.diversity is not None]
    under.plot([m.n_evaluations for m in known], [m.diversity for m in known], color=ACCENT,
               linewidth=1.3)  # fmt: skip
    under.set(ylabel="diversity", ylim=(0, 1.02), xlabel="subsets scored")
    under.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    for axes in (over, middle, under):
        axes.grid(axis="y")
        axes.margins(x=0.02)
    figure.align_ylabels()
    return figure


def _most_frequent(run: Run, most: int) -> list[int]:
    used = [feature for feature, share in enumerate(run.feature_frequency) if share > 0]
    return sorted(used, key=lambda feature: (-run.feature_frequency[feature], feature))[:most]


def _names(run: Run, features: list[int]) -> list[str]:
    return [short(name, LONGEST) for name in run.names(features)]


STRICT_ONLY = {"reducts", "frequency"}
_PICTURES: dict[str, Callable[[Run], Any]] = {
    "front": lambda run: _on_canvas(run, _draw_front, FRONT_SIZE),
    "reducts": lambda run: _on_canvas(run, _draw_reducts, _size_of_reducts(run)),
    "frequency": lambda run: _on_canvas(
        run, _draw_frequency, (7, 1.2 + 0.27 * len(_most_frequent(run, MAX_BARS)))
    ),
    "convergence": _convergence,
}
