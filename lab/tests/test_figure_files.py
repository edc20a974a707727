"""Figures show all that is done, whatever panel it was done for."""

from dataclasses import replace

from fuzzyfrog.common.files import Unwritten
from fuzzyfrog_lab.pages.figure_files import write_figures
from made_up import fill, five_experiment, keep_panel, read


def test_sizes_and_times_are_those_of_the_panel_with_the_most_data_sets(tmp_path):
    five = five_experiment()
    experiment = replace(five, protocols=five.protocols[:1])
    fill(tmp_path / "cells.jsonl", experiment, 4)
    every = [data.name for data in experiment.data[:4]]
    keep_panel(tmp_path / "cells.jsonl", "sklearn", every[:2])  # the panel that comes first
    found = read(tmp_path, experiment)
    write_figures(found.lineups, found.published, tmp_path, Unwritten())

    def shown(name):
        path = tmp_path / "figures" / f"{name}-lexicographic-ranking.svg"
        text = path.read_text(encoding="utf-8")
        return [data for data in every if f">{data}<" in text]

    assert shown("sizes-paper") == shown("seconds-paper") == every
    assert shown("accuracy-weka-paper") == every
    assert shown("accuracy-sklearn-paper") == every[:2]
