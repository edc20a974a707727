"""Bad parameters get a sentence, in fit and nowhere else."""

import numpy as np
import pytest
from sklearn.base import clone

from fuzzyfrog import (
    Genetic,
    ParticleSwarm,
    ReductSelector,
    ShuffledFrogs,
    SoftSelector,
    load_dataset,
)
from fuzzyfrog.result import Result

X = np.random.default_rng(0).normal(size=(12, 4))
y = [0, 1] * 6
WINE = load_dataset("wine")

BAD = [
    ({"search": "frog"}, r"search must be one of 'auto', 'frogs', 'genetic', .* got 'frog'"),
    ({"search": ShuffledFrogs}, r"search must be one of .* or an instance such as"),
    ({"search": None}, "search must be one of"),
    ({"search": ShuffledFrogs(n_frogs=-1)}, "n_frogs must be an integer of at least 1, got -1"),
    ({"search": ShuffledFrogs(n_frogs=2, n_submemeplex=3)}, "n_submemeplex must be at most"),
    ({"search": Genetic(p_crossover=2)}, "p_crossover must be a number from 0 to 1, got 2"),
    ({"search": ParticleSwarm(n_particles=0)}, "n_particles must be an integer of at least 1"),
    ({"tnorm": "goedel"}, "tnorm must be one of 'lukasiewicz', .* got 'goedel'"),
    ({"spread": "sd"}, "spread must be one of 'std', .* got 'sd'"),
    ({"categorical_features": ["color"]}, "categorical_features must name features"),
    ({"missing": "drop"}, "missing must be one of 'similar', .* got 'drop'"),
    ({"target": "label"}, "target must be one of 'auto', .* got 'label'"),
    ({"ranking": "best"}, "ranking must be one of 'lexicographic', .* got 'best'"),
    ({"min_dependency": 0}, "min_dependency must be a number above 0 and at most 1, got 0"),
    ({"min_dependency": 1.5}, "min_dependency must be a number above 0 and at most 1"),
    ({"min_dependency": "all"}, "min_dependency must be a number above 0 and at most 1"),
    ({"min_dependency": True}, "min_dependency must be a number above 0 and at most 1"),
    ({"min_dependency": float("nan")}, "min_dependency must be a number above 0"),
    ({"n_features_to_select": 0}, "n_features_to_select must be an integer of at least 1"),
    ({"n_features_to_select": -2}, "n_features_to_select must be an integer of at least 1"),
    ({"n_features_to_select": 2.0}, "n_features_to_select must be an integer of at least 1"),
    ({"n_features_to_select": 5}, "n_features_to_select must be from 1 .* to 4 .* got 5"),
    ({"n_features_to_select": 4, "exclude": [0]}, r"to 3 \(all that are not excluded\), got 4"),
    ({"n_features_to_select": 1, "must_include": [0, 1]}, r"must be from 2 \(those of must_incl"),
    ({"must_include": [1, 2], "exclude": [2, 3]}, "must_include and exclude must not overlap"),
    ({"must_include": ["x9"]}, "must_include must name features, got 'x9'"),
    ({"must_include": "x1"}, "must_include must be a list"),
    ({"exclude": [4]}, "exclude must have names of features, or indices from 0 to 3, got 4"),
    ({"exclude": [True]}, "exclude must have one entry per feature if it is a mask"),
    ({"exclude": [0, 1, 2, 3]}, "exclude must leave at least one feature"),
    ({"max_seconds": 0}, "max_seconds must be a number above 0, got 0"),
    ({"max_seconds": "1 h"}, "max_seconds must be a number above 0"),
    ({"max_evaluations": -5}, "max_evaluations must be an integer of at least 1, got -5"),
    ({"max_evaluations": 10.5}, "max_evaluations must be an integer of at least 1"),
    ({"checkpoint": 7}, "checkpoint must be None or a path, got 7"),
    ({"checkpoint": "a.scores", "random_state": None}, "random_state must be given together"),
    ({"callbacks": print}, "callbacks must be a list of functions"),
    ({"callbacks": ["print"]}, "callbacks must be a list of functions"),
    ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0"),
    ({"random_state": -1}, "random_state must be from 0 to"),
    ({"random_state": "lucky"}, "random_state must be None, an integer, a RandomState"),
    ({"verbose": -1}, "verbose must be an integer of at least 0, got -1"),
    ({"verbose": "loud"}, "verbose must be an integer of at least 0"),
]


@pytest.mark.parametrize(("parameters", "sentence"), BAD)
def test_bad_parameter_gets_a_sentence_in_fit(parameters, sentence):
    selector = ReductSelector(**{"random_state": 0, **parameters})  # says nothing yet
    clone(selector)
    with pytest.raises(ValueError, match=sentence):
        selector.fit(X, y)


@pytest.mark.parametrize(("parameters", "sentence"), BAD)
def test_bad_parameter_is_refused_before_anything_goes_to_a_cluster(
    parameters, sentence, monkeypatch
):
    monkeypatch.setattr("fuzzyfrog.cluster.on_cluster", lambda *_: pytest.fail("too late"))
    given = {"random_state": 0, "cluster": "tcp://127.0.0.1:1", **parameters}
    with pytest.raises(ValueError, match=sentence):
        ReductSelector(**given).fit(X, y)


def test_bad_parameters_leave_no_checkpoint(tmp_path):
    path = tmp_path / "log"
    with pytest.raises(ValueError, match="n_features_to_select"):
        ReductSelector(checkpoint=path, random_state=0, n_features_to_select=9).fit(X, y)
    assert not path.exists()


@pytest.mark.parametrize(
    "parameters",
    [
        {"search": "exact", "n_features_to_select": np.int64(2), "min_dependency": np.float64(0.9)},
        {"certify": np.True_, "max_evaluations": np.int64(50), "random_state": np.int64(1)},
        {"costs": {"x0": np.float64(2.5), 1: np.int64(3)}, "survives": np.int64(0)},
        {"max_lost": np.int64(2), "search": "front"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")
def test_numbers_of_numpy_are_plain_in_a_saved_run(parameters):
    """As a grid search over np.arange gives them."""
    saved = ReductSelector(**parameters).fit(X, y).record().to_json()
    assert Result.from_json(saved).to_json() == saved


@pytest.mark.parametrize("given", [["ash"], [2], np.arange(13) == 2])
def test_a_result_has_the_names_of_the_features_that_were_given(given):
    first = ReductSelector("quickreduct", must_include=given).fit(WINE).result_
    second = SoftSelector(exclude=given).fit(WINE).result_
    assert (first.settings["must_include"], first.settings["exclude"]) == ("['ash']", None)
    assert (second.settings["must_include"], second.settings["exclude"]) == (None, "['ash']")


def test_naming_nothing_is_as_naming_no_features():
    given = {"must_include": [], "exclude": (), "feature_groups": {}}
    one, other = (ReductSelector("quickreduct", **some).fit(WINE).result_ for some in (given, {}))
    assert one.settings == other.settings
