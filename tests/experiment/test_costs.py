"""What missing cells may cost."""

from dataclasses import replace

import pytest

from experiment.made_up import fill, small_experiment
from fuzzyfrog.experiment.cost_model import NO_TIME, CostModel, Span, held_out
from fuzzyfrog.experiment.costs import NOTHING, Cost, missing_cost
from fuzzyfrog.experiment.panel import SklearnPanel
from fuzzyfrog.experiment.power_law import fitted
from fuzzyfrog.experiment.results import Lookup
from fuzzyfrog.experiment.shapes import Shape, shape_of
from fuzzyfrog.experiment.store import read_cells

N_RUNS = 3 + 9 * 2  # without chances, and with two seeds
PANELS = {"sklearn": SklearnPanel.classifiers}
SHAPES = {name: Shape(n, 50, 2) for name, n in (("a", 100), ("b", 200), ("c", 400), ("d", 800))}


def cell(data, seconds, n_features=2, **key):
    key = {"kind": "accuracy", "panel": "p", "classifier": "c", "data": data, "fold": None,
           "folds": [10, 1], "features": list(range(n_features)), **key}  # fmt: skip
    return {"key": key, "seconds": seconds, "value": {}}


def points(*pairs):
    return {str(place): [pair] for place, pair in enumerate(pairs)}


def test_a_law_is_found_again_where_tables_are_far_apart():
    law = fitted(points(*((10.0**k, 0.5 * 10.0 ** (1.5 * k)) for k in range(9))))
    assert law.exponent == 1.5
    assert law.at(1e9) == pytest.approx(0.5 * 10**13.5, rel=0.01)


def test_what_every_cell_takes_is_no_growth():
    """A constant in the times of small tables must not be multiplied on a large one."""
    law = fitted(points((300.0, 0.2), (2000.0, 0.2), (2500.0, 0.2), (8000.0, 0.2)))
    assert law.at(40_000) < 3 * 0.2  # a plain law through these would say 3 or more


def test_a_constant_and_a_growth_are_told_apart():
    law = fitted(points(*((2.0**k, 10 + 2.0**k) for k in range(8))))
    assert law.exponent == 1.0
    assert law.at(1.0) == pytest.approx(11, rel=0.15)
    assert law.at(4096.0) == pytest.approx(4106, rel=0.15)


def test_tables_of_a_size_leave_the_exponent_at_1():
    assert fitted(points((10.0, 1.0), (10.0, 9.0))).exponent == 1.0
    assert fitted(points((10.0, 1.0), (12.0, 9.0))).exponent == 1.0
    assert fitted({}) is None
    assert fitted({"a": []}) is None


def test_every_table_has_the_same_say():
    few = {"a": [(10.0, 1.0)], "b": [(1000.0, 2.0)]}
    many = {"a": [(10.0, 1.0)], "b": [(1000.0, 2.0)] * 99}
    assert fitted(few) == fitted(many)


def test_a_share_of_the_cells_is_below_the_law():
    table = [(10.0, float(k)) for k in range(1, 12)]
    ends = [fitted({"a": table}, share).at(10.0) for share in (0.1, 0.5, 0.9)]
    assert ends == pytest.approx([2.0, 6.0, 10.0])


def test_a_classifier_costs_by_samples_features_and_classes():
    cells = [cell(name, SHAPES[name].n_samples * 2 * 2 * 10 * 1e-3) for name in "abc"]
    model = CostModel(cells, SHAPES)

    def span(*where):
        found = model.accuracy(*where)
        assert found.quick == pytest.approx(found.slow)
        return found.quick

    assert span("p", "c", Shape(800, 50, 4), 5, 10) == pytest.approx(160)
    assert span("p", "c", Shape(800, 50, 4), 5, 1) == pytest.approx(16)
    assert span("p", "unseen", Shape(100, 50, 2), 2, 10) == pytest.approx(4)
    assert model.selection("unseen", Shape(100, 50, 2)) is None


def test_a_fold_alone_takes_a_tenth_of_all():
    both = [cell("a", 5.0), cell("a", 0.5, fold=3)]
    found = CostModel(both, SHAPES).accuracy("p", "c", SHAPES["a"], 2, 10)
    assert found.slow == pytest.approx(5.0)


def test_a_busy_machine_makes_the_second_time_longer_not_the_first():
    quiet = [cell(name, SHAPES[name].n_samples * 1e-2) for name in "abcd" for _ in range(10)]
    busy = [one | {"seconds": 20 * one["seconds"]} for one in quiet[::2]]
    found = CostModel([*quiet, *busy], SHAPES).accuracy("p", "c", SHAPES["a"], 2, 10)
    assert found.quick == pytest.approx(1.0)
    assert found.slow == pytest.approx(20.0)


def test_what_was_given_up_took_at_least_as_long_as_it_ran():
    given_up = {**cell("a", 30.0), "error": "it took more than 30 seconds"}
    crashed = {**cell("a", 99.0), "error": "the virtual machine ended"}
    for failed in (given_up, crashed):
        del failed["value"]
    model = CostModel([given_up, crashed], SHAPES)
    assert model.accuracy("p", "c", SHAPES["a"], 2, 10).quick == pytest.approx(30.0)
    assert CostModel([crashed], SHAPES).accuracy("p", "c", SHAPES["a"], 2, 10) is None


def test_nothing_is_missing_of_what_is_there(tmp_path):
    experiment = replace(small_experiment(), classifier_seconds=None)
    fill(tmp_path / "cells.jsonl", experiment, n_datasets=3)
    lookup = Lookup(read_cells(tmp_path / "cells.jsonl"))
    shapes = {one.name: shape_of(one) for one in experiment.data}
    model = CostModel(lookup.cells(), shapes)
    costs = {
        one.name: missing_cost(experiment, lookup, model, one.name, shapes[one.name],
                               experiment.protocols[0], PANELS)
        for one in experiment.data[:4]
    }  # fmt: skip
    assert costs["glass"] == NOTHING == Cost(0, NO_TIME)
    assert costs["wine"].n_cells == N_RUNS * 10
    # made up: ten milliseconds a fold, two folds, nine classifiers; the selections take less
    for seconds in (costs["wine"].seconds.quick, costs["wine"].seconds.slow):
        assert 1.0 < seconds / (N_RUNS * 9 * 0.02) < 2.5


def selection(features, fold=None, data="a"):
    key = {"kind": "selection", "data": data, "recipe": "r", "fold": fold}
    return {"key": key, "seconds": 1.0, "value": {"features": features}}


def test_features_that_were_found_before_are_not_judged_again():
    shapes = {"a": Shape(100, 50, 2)}
    cells = [selection([1]), selection([1]), selection([1]), selection([2]), selection([1], fold=0)]
    model = CostModel([*cells, cell("a", 1.0, panel="sklearn")], shapes)
    assert model.new_share(inside_folds=False) == 0.5
    assert model.new_share(inside_folds=True) == 1.0
    experiment = small_experiment()
    found = missing_cost(experiment, Lookup({}), model, "wine", shapes["a"],
                         experiment.protocols[0], PANELS)  # fmt: skip
    assert found.n_cells == N_RUNS * (1 + 9 * 0.5)


def test_what_has_no_size_has_no_cost(tmp_path):
    experiment = small_experiment()
    lookup = Lookup({})
    found = missing_cost(
        experiment, lookup, CostModel([], {}), "wine", None, experiment.protocols[0], PANELS
    )
    assert found == Cost(N_RUNS * 10, None)


@pytest.mark.parametrize(("panel", "least", "most"), [("weka", 2.0, 2.01), ("sklearn", 1e3, 1e5)])
def test_only_a_classifier_of_weka_is_given_up_in_time(panel, least, most):
    experiment = replace(small_experiment(), classifier_seconds=2.0)
    cells = [cell(name, 1e5, panel=panel) for name in "abc"]
    cells += [{"key": {"kind": "selection", "data": name, "recipe": "r"}, "seconds": 1e-3,
               "value": {"features": [0]}} for name in "abc"]  # fmt: skip
    found = missing_cost(experiment, Lookup({}), CostModel(cells, SHAPES), "wine",
                         Shape(100, 2, 2), experiment.protocols[0], {panel: ("c",)})  # fmt: skip
    assert N_RUNS * least < found.seconds.quick <= found.seconds.slow < N_RUNS * most


def test_laws_are_tried_on_a_table_that_they_do_not_know():
    cells = [cell(name, SHAPES[name].n_samples * 1e-2) for name in "abcd"]
    predicted, measured = held_out(cells, SHAPES, "d")
    assert measured == 8.0
    assert predicted == Span(pytest.approx(8.0), pytest.approx(8.0))
    cells[3]["seconds"] = 80.0
    assert held_out(cells, SHAPES, "d") == (predicted, 80.0)
