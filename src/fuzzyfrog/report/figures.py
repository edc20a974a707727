"""Plots of a result on axes of matplotlib."""

from collections.abc import Callable
from textwrap import wrap
from types import ModuleType
from typing import Any

from fuzzyfrog.common.messages import count, shown
from fuzzyfrog.errors import ParameterError
from fuzzyfrog.report.plot_data import TICKS, across, forks, leaves, most_frequent
from fuzzyfrog.report.text import short
from fuzzyfrog.result import ColumnTree, Result, Subset
from fuzzyfrog.result.parts import ALIKE
from fuzzyfrog.words import Words, words_of
from fuzzyfrog.words.columns import MARK_NAMES, tree_lead, tree_title

FRONT_SIZE = 7, 4  # inches
ACCENT, INK, SOFT, MUTE, RULE = "#0f766e", "#1d2423", "#56605e", "#a9b1ae", "#dfdcd3"
MAX_COLUMNS, MAX_ROWS = 40, 25  # of the picture of the reducts
LONGEST = 32  # characters of a name
ROW_HEIGHT = 0.24  # inches of a column in the tree
MARKS = {  # shape, fill and edge of each role, as in the report
    "selected": ("o", ACCENT, ACCENT),
    "substitute": ("o", "white", ACCENT),
    "useful": ("D", "white", "#b7791f"),
    "unneeded": ("o", MUTE, MUTE),
    "noise": ("o", "white", MUTE),
    "left out": ("x", SOFT, SOFT),
}
FADED = ("unneeded", "noise", "left out")
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
}


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
    source : fitted selector or Result
        The selector, or its result.
    ax : matplotlib axes, default=None
        Where to draw; None for a new figure. A figure without a layout gets a constrained one.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Examples
    --------
    >>> from fuzzyfrog import SoftSelector, load_dataset, plot_front
    >>> selector = SoftSelector().fit(load_dataset("wine"))
    >>> ax = plot_front(selector)
    >>> ax.get_xlabel()
    'number of features'
    """
    return _plotted(_draw_front, lambda _: FRONT_SIZE, source, ax)


def plot_reducts(source: Any, ax: Any = None) -> Any:
    """Plot which features the subsets have that are as good as the selected one.

    Each column is a subset, each row a feature; the selected subset stands out. Of many, the first
    40 subsets and the 25 most frequent features are drawn, and the title says so. Needs the extra
    ``fuzzyfrog[report]``.

    Parameters
    ----------
    source : fitted selector or Result
        The selector, or its result.
    ax : matplotlib axes, default=None
        Where to draw; None for a new figure. A figure without a layout gets a constrained one.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Examples
    --------
    >>> from fuzzyfrog import ReductSelector, load_dataset, plot_reducts
    >>> selector = ReductSelector(max_evaluations=500, random_state=0).fit(load_dataset("wine"))
    >>> ax = plot_reducts(selector)
    >>> len(ax.get_yticks()) <= 13
    True
    """
    return _plotted(_draw_reducts, _size_of_reducts, source, ax)


def plot_columns(source: Any, ax: Any = None) -> Any:
    """Plot the columns as a tree, by how alike they are, with the role of each.

    Of more than 30 columns, those that matter most are drawn: selected ones first, then what could
    replace them, and what says most alone. Needs the extra ``fuzzyfrog[report]``.

    Parameters
    ----------
    source : fitted selector or Result
        The selector, or its result.
    ax : matplotlib axes, default=None
        Where to draw; None for a new figure. A figure without a layout gets a constrained one.

    Returns
    -------
    matplotlib axes
        The axes with the plot.

    Examples
    --------
    >>> from fuzzyfrog import SoftSelector, load_dataset, plot_columns
    >>> selector = SoftSelector().fit(load_dataset("wine"))
    >>> ax = plot_columns(selector)
    >>> ax.get_yticklabels()[0].get_text()
    'flavanoids'
    """
    return _plotted(_draw_columns, _size_of_columns, source, ax)


def _plotted(
    draw: Callable[[Words, Any], None],
    size: Callable[[Result], tuple[float, float]],
    source: Any,
    axes: Any,
) -> Any:
    """Draw on axes, by default on those of a new figure that pyplot shows."""
    matplotlib = _matplotlib()
    if not isinstance(source, Result) and not hasattr(source, "record"):
        raise ParameterError("source", "be a fitted selector or a Result", shown(source))
    result = source if isinstance(source, Result) else source.record()
    if axes is None:
        import matplotlib.pyplot as plt

        # Outside of the context: the first figure of a notebook sets parameters that must stay.
        figure = plt.figure(figsize=size(result), layout="constrained")
    else:
        figure = axes.figure.canvas.figure  # also that of a subfigure
        if figure.get_layout_engine() is None:  # names need room next to the axes
            figure.set_layout_engine("constrained")
    with matplotlib.rc_context(STYLE):
        if axes is None:
            axes = figure.subplots()
        draw(words_of(result), axes)
    return axes


def _draw_front(words: Words, axes: Any) -> None:
    result, front = words.result, words.result.front
    axes.plot([one.price for one in front], [one.dependency for one in front], color=ACCENT,
              linewidth=2, marker="o", markersize=6, markerfacecolor="white", markeredgewidth=1.8,
              label=words.measured)  # fmt: skip
    if known := [one for one in front if one.accuracy is not None]:
        axes.plot([one.price for one in known], [one.accuracy for one in known], color=SOFT,
                  linewidth=1.5, linestyle=(0, (2, 2)), label=words.accuracy())  # fmt: skip
    axes.axhline(result.full_dependency, color=MUTE, linestyle=(0, (4, 3)), linewidth=1,
                 label=f"all {count(*words.offered())}")  # fmt: skip
    if result.chance is not None:
        axes.axhline(
            result.chance, color=MUTE, linestyle=(0, (1, 2)), linewidth=1.5, label="chance"
        )
    marks = [(words.elbow, "D", "white", "elbow")] if words.elbow else []
    chosen = Subset(result.selected, result.dependency, cost=result.cost)
    for point, marker, fill, name in [*marks, (chosen, "o", ACCENT, "chosen")]:
        label = f"{name}, {words.measured} {words.number(point.dependency)}"
        axes.plot([point.price], [point.dependency], marker=marker, markersize=10, color=ACCENT,
                  markerfacecolor=fill, markeredgewidth=1.8, linestyle="none",
                  label=label)  # fmt: skip
    x = "cost" if words.has_costs else "number of features"
    title = f"The best {words.measured} found for each {x}"
    if result.added:
        title = f"The {words.measured} after each feature added"
    axes.set(title=title, xlabel=x, ylabel=words.measured)
    if words.is_bounded:
        axes.set_ylim(min(0.0, *axes.get_ylim()), 1.04)
    axes.legend(frameon=False)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis="y")
    axes.set_axisbelow(True)


def _size_of_reducts(result: Result) -> tuple[float, float]:
    n_columns, n_rows = len(result.reducts[:MAX_COLUMNS]), len(most_frequent(result)[:MAX_ROWS])
    return 2.8 + 0.2 * n_columns, 1.2 + 0.25 * n_rows


def _draw_reducts(words: Words, axes: Any) -> None:
    result = words.result
    shown, used = result.reducts[:MAX_COLUMNS], most_frequent(result)
    rows = used[:MAX_ROWS]
    for y in range(0, len(rows), 2):
        axes.axhspan(y - 0.5, y + 0.5, color="#f6f5f1", linewidth=0)
    for x, reduct in enumerate(shown):
        color = ACCENT if reduct.features == result.selected else SOFT
        has = [y for y, feature in enumerate(rows) if feature in reduct.features]
        has_not = [y for y in range(len(rows)) if y not in has]
        axes.plot([x] * len(has_not), has_not, "o", color=RULE, markersize=2.5)
        axes.plot([x] * len(has), has, "-o", color=color, markersize=6.5, linewidth=1.5)
    axes.set_yticks(range(len(rows)), [short(name, LONGEST) for name in result.names(rows)])
    for label in axes.get_yticklabels():  # set now: ticks are made when they are drawn
        label.set_parse_math(False)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set(ylim=(len(rows) - 0.5, -0.5), xlim=(-0.7, max(len(shown), 8) - 0.3))
    part = f"{len(shown):,} of " if len(shown) < result.n_reducts else ""
    n_rarer = len(used) - len(rows)
    rarer = f" ({n_rarer:,} rarer features not shown)" if n_rarer else ""
    title = f"{part}{result.n_reducts:,} {words.alike()}{rarer}"
    axes.set_title("The selected subset, the only one found" if result.n_reducts == 1 else title)


def _tree_of(result: Result) -> ColumnTree:
    if result.tree is None or not result.tree.leaves:
        rule = "have a tree of columns"
        raise ParameterError("source", rule, "none: there was no time for it, or no single column")
    return result.tree


def _size_of_columns(result: Result) -> tuple[float, float]:
    return 8.0, 1.9 + ROW_HEIGHT * len(_tree_of(result).leaves)


def _draw_columns(words: Words, axes: Any) -> None:
    from matplotlib.transforms import ScaledTranslation

    result, tree = words.result, _tree_of(words.result)
    rows = leaves(result, tree)
    inches = axes.figure.dpi_scale_trans
    room = axes.get_window_extent().transformed(inches.inverted())
    scale = min(1.0, room.height / (ROW_HEIGHT * len(rows)))  # of names, if axes are too low
    axes.spines[["top", "left", "right"]].set_visible(False)
    for fork in forks(tree):
        (left, right), (top, bottom) = fork.starts, fork.rows
        axes.plot([left, fork.at, fork.at, right], [top, top, bottom, bottom], color=MUTE, lw=1.2,
                  solid_joinstyle="round", zorder=1)  # fmt: skip
    axes.axvline(across(ALIKE), color=MUTE, linestyle=(0, (3, 3)), linewidth=1, zorder=0)
    for mark, (marker, fill, edge) in MARKS.items():
        some = [(row, one.size) for row, one in enumerate(rows) if one.mark == mark]
        if some:
            places, sizes = zip(*some, strict=True)
            areas = [scale**2 * (30 + 130 * one) for one in sizes]
            axes.scatter([1.0] * len(some), places, areas, marker=marker, facecolor=fill,
                         edgecolor=edge, linewidths=1.8, zorder=2, clip_on=False,
                         label=MARK_NAMES[mark])  # fmt: skip
    more = [f"  +{one.n_alike:,}" if one.n_alike else "" for one in rows]
    names = [short(one.name, LONGEST) + end for one, end in zip(rows, more, strict=True)]
    axes.yaxis.tick_right()
    axes.set_yticks(range(len(rows)), names)
    for label, one in zip(axes.get_yticklabels(), rows, strict=True):
        label.set(parse_math=False, size=10 * scale**0.5, color=SOFT if one.mark in FADED else INK,
                  weight="bold" if one.mark == "selected" else "normal")  # fmt: skip
    axes.tick_params("y", pad=10)
    axes.set_xticks([across(one) for one in TICKS], [f"{one:g}" for one in TICKS])
    axes.set(xlim=(-0.02, 1.0), ylim=(len(rows) - 0.4, -0.6), xlabel="absolute correlation")
    axes.set_title(tree_title(words, tree), loc="left")
    below = axes.transAxes + ScaledTranslation(0, -0.5, inches)
    legend = axes.legend(loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=below, ncols=5,
                         frameon=False, handletextpad=0.2, columnspacing=1.2,
                         fontsize=9)  # fmt: skip
    for handle in legend.legend_handles:
        handle.set_sizes([60])
    note = "\n".join(wrap(tree_lead(words, tree), max(40, int(19 * room.width))))
    axes.annotate(note, (0, 0), xycoords="axes fraction", xytext=(0, -62), va="top", fontsize=8,
                  textcoords="offset points", color=SOFT, annotation_clip=False)  # fmt: skip
