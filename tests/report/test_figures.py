"""Plots on axes of matplotlib."""

from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import pairwise

import pytest
from msgspec.structs import replace
from sklearn.exceptions import NotFittedError

from fuzzyfrog import (
    ReductSelector,
    SoftSelector,
    load_dataset,
    plot_columns,
    plot_front,
    plot_reducts,
)
from fuzzyfrog.errors import ParameterError
from report.made import changed

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed():
    """No plot is left open."""
    yield
    plt.close("all")


def test_reports_need_no_matplotlib_and_figures_say_how_to_get_it():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from fuzzyfrog import plot_columns, plot_front, plot_reducts\n"
        "from fuzzyfrog.report import render_report\n"
        "for draw in (plot_front, plot_reducts):\n"
        "    try: draw(None)\n"
        "    except ImportError as error: print(error)"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("pip install 'fuzzyfrog[report]'") == 2


def lines_of(ax):
    return [list(zip(*map(list, line.get_data()), strict=True)) for line in ax.lines]


def test_the_line_of_a_plot_is_the_front(wine_result):
    ax = plot_front(wine_result)
    front, full, elbow, chosen = lines_of(ax)
    assert front == [(one.size, one.dependency) for one in wine_result.front]
    assert [y for _, y in full] == [wine_result.full_dependency] * 2
    assert elbow == [(4, wine_result.front[3].dependency)]
    assert chosen == [(5, wine_result.dependency)]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [
        "dependency",
        "all 13 features",
        "elbow, dependency 0.999",
        "chosen, dependency 1.000",
    ]
    assert ax.get_title(loc="left") == "The best dependency found for each number of features"


def test_a_fitted_selector_is_plotted_on_given_axes():
    selector = SoftSelector().fit(load_dataset("wine"))
    figure, (first, second) = plt.subplots(2)
    assert plot_front(selector, ax=second) is second
    assert plt.gcf() is figure
    assert not first.lines
    path, neighbors, full, chance, _ = lines_of(second)
    assert path == [(one.size, one.dependency) for one in selector.front_]
    assert neighbors == [(one.size, one.accuracy) for one in selector.front_]
    assert full[0][1] == selector.full_dependency_
    assert chance[0][1] == selector.chance_
    assert second.get_title(loc="left") == "The soft dependency after each feature added"


def test_the_dots_of_a_plot_are_the_reducts(wine_result):
    ax = plot_reducts(wine_result)
    names = [label.get_text() for label in ax.get_yticklabels()]
    found = {}
    for line in ax.lines:
        if line.get_linestyle() == "-":
            found[line.get_xdata()[0]] = {names[y] for y in line.get_ydata()}
    drawn = wine_result.reducts[:40]
    assert [found[x] for x in range(40)] == [set(wine_result.names(one.features)) for one in drawn]
    chosen = [line.get_xdata()[0] for line in ax.lines if line.get_color() == "#0f766e"]
    assert [wine_result.reducts[x].features for x in chosen] == [wine_result.selected]
    assert ax.get_title(loc="left") == "40 of 343 equally good subsets"
    assert (
        plot_reducts(changed(wine_result, reducts=wine_result.reducts[:1], n_reducts=1))
        .get_title(loc="left")
        .startswith("The selected subset")
    )


def test_plots_say_what_they_leave_out(crowded_result):
    ax = plot_reducts(crowded_result)
    assert len(ax.get_yticks()) == 25
    n_used = sum(share > 0 for share in crowded_result.answer.feature_frequency)
    assert ax.get_title(loc="left") == (
        f"40 of 7,000 equally good subsets ({n_used - 25} rarer features not shown)"
    )


def test_dollars_in_names_are_dollars_when_the_plot_is_drawn_later(hostile_result, tmp_path):
    first = replace(hostile_result.table.features[0], name="$x^{ $")
    data = replace(hostile_result.table, features=(first, *hostile_result.table.features[1:]))
    result = changed(hostile_result, table=data, feature_frequency=(1.0,) * 18)
    _, own = plt.subplots()  # its ticks know nothing of our style
    ax = plot_reducts(result, ax=own)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        ax.figure.savefig(tmp_path / "plot.svg")
    assert "$x^{ $" in [label.get_text() for label in ax.get_yticklabels()]


def test_the_rows_of_the_tree_are_the_columns_that_matter(tmp_path):
    result = SoftSelector().fit(load_dataset("digits")).record()
    axes = plot_columns(result)
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert len(names) == 30
    assert {*result.names(result.selected)} <= {name.partition("  +")[0] for name in names}
    title = axes.get_title(loc="left")
    assert title == "The 30 that matter most of 61 numeric columns by their correlation"
    assert "other columns are not drawn" in " ".join(axes.texts[0].get_text().split())
    axes.figure.savefig(tmp_path / "tree.png")
    with pytest.raises(ParameterError, match="source must have a tree of columns, got none"):
        plot_columns(replace(result, tree=None))


def test_the_tree_fits_into_a_figure_of_the_user():
    figure = plt.figure()
    left, _ = figure.subfigures(1, 2, width_ratios=[9, 1])
    axes = left.subplots()
    plot_columns(SoftSelector().fit(load_dataset("breast_cancer")), ax=axes)
    figure.canvas.draw()
    names = [label.get_window_extent() for label in axes.get_yticklabels()]
    for box in (*names, axes.texts[0].get_window_extent()):
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.x1
    legend = axes.get_legend().get_window_extent()
    assert axes.texts[0].get_window_extent().y1 <= legend.y0
    assert legend.y1 <= axes.xaxis.label.get_window_extent().y0
    places = sorted(box.y0 for box in names)
    assert min(high - low for low, high in pairwise(places)) >= 0.6 * names[0].height


def test_only_selectors_and_records_are_plotted():
    with pytest.raises(ValueError, match="source must be a fitted selector or a Result"):
        plot_front([1, 2])
    with pytest.raises(NotFittedError):
        plot_front(ReductSelector())
