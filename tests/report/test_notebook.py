"""Plots in a real notebook: every cell that draws shows its picture."""

import pytest

nbformat = pytest.importorskip("nbformat", reason="needs the notebook tools of fuzzyfrog[dev]")
nbclient = pytest.importorskip("nbclient", reason="needs the notebook tools of fuzzyfrog[dev]")
pytest.importorskip("ipykernel", reason="needs the notebook tools of fuzzyfrog[dev]")
pytest.importorskip("matplotlib")

FIT = """
from fuzzyfrog import (ReductSelector, load_dataset, plot_front, plot_reducts)
selector = ReductSelector("quickreduct").fit(load_dataset("wine"))
"""
PLOTS = (
    "plot_front(selector);",
    "plot_front(selector);",
    "plot_reducts(selector);",
    "import matplotlib.pyplot as plt; plt.plot([1, 2, 3]);",
)


def test_a_notebook_shows_every_plot_also_those_of_the_user(tmp_path):
    cells = [nbformat.v4.new_code_cell(source) for source in (FIT, *PLOTS)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(notebook, timeout=600, startup_timeout=600)
    client.execute(cwd=str(tmp_path))
    n_pictures = [
        sum("image/png" in output.get("data", ()) for output in cell.outputs)
        for cell in notebook.cells
    ]
    assert n_pictures == [0, 1, 1, 1, 1]
