"""The pictures as files."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from fuzzyfrog.report import save_figures

NAMES = ["front", "reducts", "frequency", "convergence"]


def texts(file):
    root = ElementTree.parse(file).getroot()  # noqa: S314 - written by the test itself
    return [
        "".join(one.itertext()).strip() for one in root.iter("{http://www.w3.org/2000/svg}text")
    ]


def test_svg_files_have_the_names_and_numbers_and_are_repeatable(wine_run, tmp_path):
    files = save_figures(wine_run, tmp_path / "new" / "folder")
    assert [file.name for file in files] == [f"{name}.svg" for name in NAMES]
    front, reducts, frequency, convergence = map(texts, files)
    assert "elbow, γ 0.999" in front
    assert "chosen, γ 1.000" in front
    assert "40 of 343 equally good subsets" in reducts
    assert {feature.name for feature in wine_run.data.features} <= set(frequency)
    assert "57%" in frequency
    assert "subsets scored" in convergence
    again = save_figures(wine_run, tmp_path / "again")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in files]


def test_png_files_of_hostile_names_without_history(hostile_run, tmp_path):
    first = replace(hostile_run.data.features[0], name="$x^{ $")
    data = replace(hostile_run.data, features=(first, *hostile_run.data.features[1:]))
    files = save_figures(replace(hostile_run, data=data, history=()), tmp_path, format="png")
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)


def test_unknown_format_gets_a_sentence(wine_run, tmp_path):
    with pytest.raises(ValueError, match="format must be one of 'svg', 'png', got 'pdf'"):
        save_figures(wine_run, tmp_path, format="pdf")


def test_reports_need_no_matplotlib_and_figures_say_how_to_get_it():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from fuzzyfrog.report import render_report, save_figures\n"
        "try: save_figures(None, '.')\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "pip install 'fuzzyfrog[report]'" in done.stdout
