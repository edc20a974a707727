"""What missing cells may cost."""

from dataclasses import replace

import pytest

from experiment.made_up import fill, small_experiment
from fuzzyfrog.experiment.costs import Cost, CostModel, held_out, missing_cost
from fuzzyfrog.experiment.panel import SklearnPanel
from fuzzyfrog.experiment.power_law import fitted
from fuzzyfrog.experiment.results import Lookup
from fuzzyfrog.experiment.shapes import Shape, shape_of
from fuzzyfrog.experiment.store import read_cells

N_RUNS = 3 + 9 * 2  # without chances, and with two seeds
PANELS = {"sklearn": SklearnPanel.classifiers}


def cell(data, seconds, n_features=2, n_folds=10, **key):
    key = {"kind": "accuracy", "panel": "p", "classifier": "c", "data": data,
           "features": list(range(n_features)), **key}  # fmt: skip
    return {"key": key, "seconds": seconds, "value": {"tested": [1] * n_folds}}


def points(*pairs):
    return {str(place): [pair] for place, pair in enumerate(pairs)}


def test_a_law_is_found_again_where_tables_are_far_apart():
    law = fitted(points(*((10.0**k, 0.5 * 10.0 ** (1.5 * k)) for k in range(9))))
    assert law.exponent == pytest.approx(1.5, abs=0.01)
    assert law.at(1e9) == pytest.approx(0.5 * 10**13.5, rel=0.3)


def test_tables_of_a_size_leave_the_exponent_at_1():
    assert fitted(points((10.0, 1.0), (10.0, 9.0))).exponent == 1.0
    assert fitted(points((10.0, 1.0), (12.0, 9.0))).exponent == pytest.approx(1.0, abs=0.1)
    assert fitted({}) is None
    assert fitted({"a": []}) is None


def test_every_table_has_the_same_say_in_the_exponent():
    few = {"a": [(10.0, 1.0)], "b": [(1000.0, 1.0)]}
    many = {"a": [(10.0, 1.0)], "b": [(1000.0, 1.0)] * 99}
    assert fitted(few).exponent == fitted(many).exponent < 1


def test_a_cell_that_was_held_up_hardly_counts():
    table = [(10.0, 1.0)] * 98 + [(10.0, 1000.0), (10.0, 1000.0)]
    assert fitted({"a": table}).at(10.0) == pytest.approx((98 + 2 * 10) / 100)


def test_times_shrink_never_and_explode_never():
    assert fitted(points((1.0, 1e6), (1e4, 1e3), (1e8, 1.0))).exponent == 0.0
    assert fitted(points((1.0, 1.0), (1e4, 1e30), (1e8, 1e60))).exponent == 2.0


def test_a_classifier_costs_by_samples_features_and_classes():
    shapes = {name: Shape(n, 50, 2) for name, n in (("a", 100), ("b", 200), ("c", 400))}
    cells = [cell(name, shapes[name].n_samples * 2 * 2 * 10 * 1e-3) for name in shapes]
    model = CostModel(cells, shapes)
    assert model.accuracy("p", "c", Shape(800, 50, 4), 5, 10) == pytest.approx(160)
    assert model.accuracy("p", "c", Shape(800, 50, 4), 5, 1) == pytest.approx(16)
    assert model.accuracy("p", "unseen", Shape(100, 50, 2), 2, 10) == pytest.approx(4)
    assert model.selection("unseen", Shape(100, 50, 2)) is None


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
    assert costs["glass"] == Cost(0, 0.0)
    assert costs["wine"].n_cells == N_RUNS * 10
    # made up: ten milliseconds a fold, two folds, nine classifiers; the selections take less
    assert 1.0 < costs["wine"].seconds / (N_RUNS * 9 * 0.02) < 2.5


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


def test_a_classifier_is_given_up_in_time():
    experiment = replace(small_experiment(), classifier_seconds=2.0)
    shapes = {name: Shape(n, 50, 2) for name, n in (("a", 100), ("b", 200), ("c", 400))}
    cells = [cell(name, 1000.0 * shapes[name].n_samples, panel="sklearn") for name in shapes]
    cells += [{"key": {"kind": "selection", "data": name, "recipe": "r"}, "seconds": 1e-3,
               "value": {"features": [0]}} for name in shapes]  # fmt: skip
    found = missing_cost(experiment, Lookup({}), CostModel(cells, shapes), "wine",
                         Shape(178, 13, 3), experiment.protocols[0], PANELS)  # fmt: skip
    assert found.seconds == pytest.approx(N_RUNS * 9 * 2.0, rel=0.01)


def test_laws_are_tried_on_a_table_that_they_do_not_know():
    shapes = {name: Shape(n, 50, 2) for name, n in
              (("a", 100), ("b", 200), ("c", 400), ("d", 800))}  # fmt: skip
    cells = [cell(name, shapes[name].n_samples * 1e-2) for name in shapes]
    predicted, measured = held_out(cells, shapes, "d")
    assert measured == 8.0
    assert predicted == pytest.approx(8.0)
    cells[3]["seconds"] = 80.0
    assert held_out(cells, shapes, "d") == (pytest.approx(8.0), 80.0)
