"""What is said of the scores of a custom measure: nothing that only γ or Γ deserves."""

import re

import numpy as np

from fuzzyfrog import FeatureSelector, load_dataset
from fuzzyfrog.cli.summary import result_lines
from fuzzyfrog.report import render_report
from fuzzyfrog.words import words_of
from words.pages import STRICT, text_of


class Simple:
    def __init__(self, dataset):
        self.gain = np.nanstd(dataset.values, axis=0) % 1.0

    def score(self, masks):
        return masks @ self.gain - 3.0


def test_a_custom_measure_has_a_page():
    result = FeatureSelector(Simple).fit(load_dataset("wine")).record()
    shown = text_of(render_report(result))
    for word in [*STRICT, "Γ", "soft dependency"]:
        assert not re.search(word, shown), word
    assert "Simple" in shown
    assert "Simple, the selected features score" in shown
    assert "custom" not in shown
    printed = "\n".join(map(str, result_lines(result, details=True)))
    assert "measure     " in printed
    assert words_of(result).examples() is None
