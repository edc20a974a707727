"""A selector on a part of the samples: what it finds, and that it says so wherever it is asked."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_wine

from fuzzyfrog import DataError, ReductSelector, SoftSelector
from fuzzyfrog.errors import CheckpointError
from fuzzyfrog.measure import Dependency, SampledDependency, SoftDependency
from fuzzyfrog.report import summary_html
from fuzzyfrog.report.render import collect
from fuzzyfrog.result import Result
from fuzzyfrog.result.parts import Sampling
from fuzzyfrog.words import words_of

TOLD = (
    r"estimated from 60 of 178 samples, 95% interval for the dependency of the selected features "
    r"\[0\.\d{3}, [01]\.\d{3}\]"
)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def sampled(wine):
    return ReductSelector("quickreduct", sample=60, random_state=0).fit(*wine)


def test_the_search_sees_the_part(wine, sampled):
    measure = Dependency(*wine)
    part = SampledDependency(measure, 60, seed=0)
    assert sampled.n_sampled_ == 60
    assert sampled.full_dependency_ == part.full
    assert sampled.dependency_ == part.score(sampled.support_[np.newaxis])[0]
    for reduct in sampled.reducts_:
        mask = np.isin(np.arange(13), reduct.features)
        assert reduct.dependency == part.score(mask[np.newaxis])[0]
    without = ~np.eye(13, dtype=bool)
    core = np.flatnonzero(part.score(without) < part.full)
    assert sampled.core_ == core.tolist()


def test_the_interval_is_confirmed_by_others_and_holds(wine, sampled):
    part = SampledDependency(Dependency(*wine), 60, seed=0)
    assert sampled.dependency_interval_ == pytest.approx(part.interval(sampled.support_))
    exact = Dependency(*wine).score(sampled.support_[np.newaxis])[0]
    low, high = sampled.dependency_interval_
    assert low < high
    assert low <= exact <= high


def test_another_reduct_has_an_interval_of_its_own(wine):
    selector = ReductSelector(sample=60, random_state=0).fit(*wine)
    assert len(selector.reducts_) > 1
    part = SampledDependency(Dependency(*wine), 60, seed=0)
    for at in (0, len(selector.reducts_) - 1):
        selector.select_reduct(at)
        assert selector.dependency_interval_ == pytest.approx(part.interval(selector.support_))


def test_all_samples_or_more_are_no_sample(wine):
    exact = ReductSelector("quickreduct", random_state=0).fit(*wine)
    assert exact.dependency_interval_ == (exact.dependency_, exact.dependency_)
    assert exact.n_sampled_ == 178
    for sample in (178, 10_000):
        all_of_them = ReductSelector("quickreduct", sample=sample, random_state=0).fit(*wine)
        assert all_of_them.record().sampling is None
        assert all_of_them.dependency_interval_ == exact.dependency_interval_
        assert all_of_them.reducts_ == exact.reducts_
        assert all_of_them.n_sampled_ == 178


def test_the_same_seed_gives_the_same_part(wine, sampled):
    again = ReductSelector("quickreduct", sample=60, random_state=0, n_jobs=2).fit(*wine)
    other = ReductSelector("quickreduct", sample=60, random_state=1).fit(*wine)
    assert again.reducts_ == sampled.reducts_
    assert again.dependency_interval_ == sampled.dependency_interval_
    assert other.dependency_interval_ != sampled.dependency_interval_


@pytest.mark.parametrize("sample", [0, -5, 1.5, "1000", True])
def test_a_sample_must_be_a_number(wine, sample):
    with pytest.raises(ValueError, match="sample must be None or a whole number of at least 1"):
        ReductSelector(sample=sample).fit(*wine)


@pytest.mark.parametrize("asked", [{"certify": True}, {"search": "exact"}, {"search": "front"}])
def test_a_part_proves_nothing(wine, asked):
    with pytest.raises(ValueError, match="sample must be left out when something is to"):
        ReductSelector(sample=60, **asked).fit(*wine)


def test_a_part_is_measured_here(wine):
    with pytest.raises(ValueError, match="sample must be left out together with a cluster, got 60"):
        ReductSelector(sample=60, cluster="tcp://127.0.0.1:9").fit(*wine)


def test_a_run_is_not_resumed_with_another_sample(wine, tmp_path):
    file = tmp_path / "wine.scores"

    def fitted(sample):
        selector = ReductSelector("quickreduct", sample=sample, random_state=0, checkpoint=file)
        return selector.fit(*wine)

    first = fitted(60)
    assert fitted(60).reducts_ == first.reducts_
    for other in (61, None):
        with pytest.raises(CheckpointError, match="data"):
            fitted(other)


# ------------------------------------------------------------------------------ saying so


def test_the_record_says_so(sampled):
    run = sampled.record(name="wine")
    assert run.sampling.n_sampled == 60
    assert (run.sampling.low, run.sampling.high) == sampled.dependency_interval_
    assert run.sampling.confidence == 0.95
    assert re.fullmatch(TOLD, run.estimate)
    assert run.settings["sample"] == 60
    assert Result.from_json(run.to_json()) == run


def test_no_proof_comes_from_a_part(sampled):
    run = sampled.record()
    answer = replace(run.answer, core=run.selected)
    run = replace(run, answer=answer, dependency=run.full_dependency)
    assert not run.is_core_alone
    assert replace(run, sampling=None).is_core_alone


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("n_sampled", 0, "Expected `int` >= 1 - at `$.sampling.n_sampled`"),
        ("n_sampled", 178, "that was changed since"),
        ("low", 2.0, "Expected `float` <= 1.0 - at `$.sampling.low`"),
        ("confidence", 95.0, "Expected `float` <= 1.0 - at `$.sampling.confidence`"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(sampled, field, value, sentence):
    content = json.loads(sampled.record().to_json())
    content["result"]["sampling"][field] = value
    with pytest.raises(DataError, match=re.escape(sentence)):
        Result.from_json(json.dumps(content))


def test_the_report_says_so_first(sampled):
    run = sampled.record(name="wine")
    answer = collect(run)["answer"]
    assert re.search(TOLD, answer["headline"])
    standing = words_of(run).standing()
    assert standing.state == "open"
    assert "Nothing is proven" in standing.text
    assert re.search(TOLD, summary_html(run))
    assert re.search(TOLD, sampled._repr_html_())


def test_reports_of_all_samples_are_silent_about_it(wine):
    exact = ReductSelector("quickreduct", random_state=0).fit(*wine)
    assert "estimated" not in json.dumps(collect(exact.record())["answer"])


def test_an_interval_that_says_nothing_is_not_shown():
    sentence = Sampling(20, 0.005, 0.995, 0.95).in_words(9000)
    assert sentence == "estimated from 20 of 9,000 samples, too few to say how exactly"
    assert Sampling(20, 0.4, 0.6, 0.95).in_words(9000).endswith("features [0.400, 0.600]")


def test_an_interval_by_all_other_samples_is_not_called_one(wine):
    selector = SoftSelector(sample=100, random_state=0).fit(*wine)
    low, high = selector.dependency_interval_
    exact = SoftDependency(*wine).score(selector.support_[np.newaxis])[0]
    assert (low, high) == pytest.approx((exact, exact), abs=1e-12)
    assert selector.record().sampling.in_words(178) == (
        f"estimated from 100 of 178 samples, but {exact:.4f} for the selected features by all of "
        "them"
    )
