"""`fuzzyfrog reducts --sample`: estimates that say that they are estimates."""

from __future__ import annotations

import json
import re

TOLD = (
    r"estimated from 60 of 178 samples, 95% interval for the dependency of the selected features "
    r"\[0\.\d{3}, [01]\.\d{3}\]"
)


def test_the_result_says_that_it_is_an_estimate(in_process, tmp_path):
    report = tmp_path / "wine.html"
    code, told, _ = in_process(
        "reducts", "wine", "--search", "quickreduct", "--sample", 60, "--report", report, "--quiet"
    )
    assert code == 0
    assert re.search(rf"measured +{TOLD}", told)
    assert "as well as all columns do on 60 random samples." in told
    assert "not proven: a sample of the rows cannot prove it" in told
    assert "--certify" not in told
    assert re.search(TOLD, report.read_text("utf-8"))


def test_json_says_so_too(in_process):
    code, told, _ = in_process(
        "reducts", "wine", "--search", "quickreduct", "--sample", 60, "--json", "--quiet"
    )
    assert code == 0
    sampling = json.loads(told)["result"]["sampling"]
    assert sampling["n_sampled"] == 60
    assert sampling["low"] < sampling["high"]


def test_nothing_is_said_without_it(in_process):
    code, told, _ = in_process("reducts", "wine", "--search", "quickreduct", "--quiet")
    assert code == 0
    assert "estimated" not in told


def test_a_part_proves_nothing(in_process):
    code, _, told = in_process("reducts", "wine", "--sample", 60, "--certify")
    assert code == 2
    assert "--sample must be" in told
    assert "--certify" in told
    assert "Traceback" not in told


def test_a_sample_must_be_a_number_of_samples(in_process):
    code, _, told = in_process("reducts", "wine", "--sample", 0)
    assert code == 2
    assert "--sample must be a whole number of at least 1, got 0" in told
