"""The size of the leak comes with its uncertainty."""

import pytest
from scipy import stats

from fuzzyfrog_lab.pages.summary_page import Leak, leak_rows, shown_leak
from made_up import entry

GAINS = (1.0, 2.5, -0.5, 3.0, 0.25, 4.0, -2.0, 5.0)
NESTED = (60.0,) * len(GAINS)
PAPER = tuple(60.0 + gain for gain in GAINS)


def test_a_mean_has_a_standard_error_and_a_test():
    leak = Leak(PAPER, NESTED)
    assert leak.standard_error == pytest.approx(stats.sem(GAINS))
    assert leak.p_value == pytest.approx(stats.wilcoxon(GAINS, method="exact").pvalue)
    p_value = f"{stats.wilcoxon(GAINS, method='exact').pvalue:.4f}"
    assert shown_leak(leak) == f"+1.66 ± {stats.sem(GAINS):.2f} (6 of 8, p {p_value})"


def test_every_selector_has_a_row():
    both = [
        {f"data {i}": {"GA": entry({"J48": value})} for i, value in enumerate(values)}
        for values in (PAPER, NESTED)
    ]
    head, row = leak_rows(*both, ["J48"])
    shown = dict(zip(head, row, strict=True))
    assert (shown["leak: mean"], shown["median"]) == ("+1.66", "+1.75")
    assert (shown["higher"], shown["lower"]) == ("6", "2")
    assert shown["standard error"] == f"{stats.sem(GAINS):.2f}"


@pytest.mark.parametrize(("values", "shown"), [((), "–"), ((61.0,), "+1.00 (1 of 1)")])
def test_too_little_has_no_error(values, shown):
    assert shown_leak(Leak(values, NESTED[: len(values)])) == shown
