"""The driver: budgets, interruption, bad arguments, and what it makes of the scores."""

import itertools
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from clock import set_clock
from fuzzyfrog.common.arrays import Extensions
from fuzzyfrog.common.deadline import Deadline, TimeIsUp, current_deadline, limited, stop_if_late
from fuzzyfrog.search import (
    Batch,
    Checkpoint,
    Genetic,
    ParticleSwarm,
    Problem,
    QuickReduct,
    ShuffledFrogs,
    run,
)
from fuzzyfrog.search import evaluator as evaluating
from fuzzyfrog.search.archive import Archive, ranking_of
from fuzzyfrog.search.evaluator import Budget, Evaluator, Ledger, subset_keys
from fuzzyfrog.search.protocol import overheard
from search.lookup import Lookup, Scripted, mask_of, masks, plain, random_table, sizes_of

TABLE = random_table()


class Everything(Scripted):
    """Proposes all subsets."""

    def __init__(self, n_features):
        index = np.arange(1, 2**n_features)
        super().__init__(Batch((index[:, np.newaxis] >> np.arange(n_features) & 1).astype(bool)))


def evaluator(objective=None, **budget):
    limits = {"max_evaluations": np.inf, "deadline": Deadline()} | budget
    return Evaluator(objective or Lookup(TABLE), Budget(**limits), None)


def score_of(*features):
    return TABLE[sum(1 << feature for feature in features)]


def test_a_known_score_answers_any_bar():
    one = evaluator()
    one.evaluate(Batch(masks((0, 1))))
    below, above = np.nextafter(score_of(0, 1), 0), np.nextafter(score_of(0, 1), 2)
    assert one.evaluate(Batch(masks((0, 1)), at_least=below))[0] == score_of(0, 1)
    assert one.evaluate(Batch(masks((0, 1)), at_least=score_of(0, 1)))[0] == score_of(0, 1)
    assert one.evaluate(Batch(masks((0, 1)), at_least=above))[0] == -np.inf
    assert one.n_evaluations == 1


def test_a_rejected_subset_is_below_a_value_not_a_number():
    one = evaluator()
    assert one.evaluate(Batch(masks((0,)), at_least=0.9))[0] == -np.inf
    assert one.evaluate(Batch(masks((0,)), at_least=0.95))[0] == -np.inf
    assert one.n_evaluations == 1, "below 0.9 is below 0.95"
    assert one.evaluate(Batch(masks((0,))))[0] == score_of(0)
    assert one.n_evaluations == 2, "a lower bar needs another look"


def test_twins_in_a_batch_are_scored_once_with_the_lower_bar():
    objective = Lookup(TABLE)
    one = evaluator(objective)
    bars = np.array([2.0, 0.0, 2.0])
    scores, _ = one.evaluate(Batch(masks((0,), (0,), (1,)), at_least=bars))
    assert scores.tolist() == [-np.inf, score_of(0), -np.inf]
    assert objective.asked == [1, 2]


@pytest.mark.parametrize("known", [(), ((0,),), ((1,), (2,)), ((0,), (1,), (2,), (3,))])
def test_only_the_best_of_a_batch_come_back(known):
    """Whatever was known before, the answer is the same."""
    one = evaluator()
    if known:
        one.evaluate(Batch(masks(*known)))
    scores, _ = one.evaluate(Batch(masks((0,), (1,), (2,), (3,)), only_best=True))
    truth = np.array([score_of(feature) for feature in range(4)])
    assert scores.tolist() == np.where(truth == truth.max(), truth, -np.inf).tolist()
    assert one.n_evaluations <= 4


def test_only_best_tells_nothing_false_about_the_others():
    one = evaluator()
    one.evaluate(Batch(masks((0,), (1,), (2,)), only_best=True))
    scores, _ = one.evaluate(Batch(masks((0,), (1,), (2,))))
    assert scores.tolist() == [score_of(0), score_of(1), score_of(2)]


def test_a_batch_is_cut_at_the_budget():
    objective = Lookup(TABLE)
    scores, reason = evaluator(objective, max_evaluations=2).evaluate(
        Batch(masks((0,), (1,), (2,)))
    )
    assert scores.tolist() == [score_of(0), score_of(1), -np.inf]
    assert reason == "max_evaluations"
    assert len(objective.asked) == 2


class Nameless(Lookup):
    """Has no number for any subset."""

    def score(self, masks, at_least=None):
        return np.full(len(masks), np.nan)


def test_a_score_that_is_no_number_is_an_error():
    with pytest.raises(ValueError, match="must return numbers as scores, got nan"):
        evaluator(Nameless(TABLE)).evaluate(Batch(masks((0,))))


def test_chunks_keep_all_that_scores_at_once_busy(monkeypatch):
    clock = itertools.count(step=100.0)  # every chunk takes very long, so they become small
    set_clock(monkeypatch, lambda: next(clock))
    n_calls = []
    for n_at_once in (1, 20):
        objective = Lookup(random_table(n_features=9))
        objective.n_at_once = n_at_once
        evaluator = Evaluator(objective, Budget(np.inf, Deadline()), None)
        evaluator.evaluate(Batch(np.arange(512)[:, np.newaxis] >> np.arange(9) & 1 == 1))
        n_calls.append(objective.n_calls)
    assert n_calls == [512, 1 + -(-(512 - 20) // 80)]


def test_time_stops_a_run_within_a_batch(monkeypatch):
    clock = itertools.count()
    set_clock(monkeypatch, lambda: next(clock))
    objective = Lookup(TABLE)
    monkeypatch.setattr("fuzzyfrog.search.driver.FINISH_SECONDS", 1000)
    outcome = run(Genetic(), objective, objective.problem(), seed=0, max_seconds=8)
    assert outcome.stop_reason == "max_seconds"
    assert 0 < outcome.n_evaluations < 60
    assert outcome.reducts[0].minimal, "the best subset is checked all the same"


class Late(Lookup):
    """Whose time is up while the given call is under way, and from then on."""

    def __init__(self, table, call):
        super().__init__(table)
        self.call = call

    def score(self, masks, at_least=None):
        if self.n_calls >= self.call:
            raise TimeIsUp
        return super().score(masks, at_least)


def test_what_an_evaluation_that_is_abandoned_leaves():
    objective = Late(TABLE, 3)
    outcome = run(Genetic(), objective, objective.problem(), seed=0, max_seconds=1000)
    assert outcome.stop_reason == "max_seconds"
    assert outcome.n_evaluations == len(objective.asked) > 0
    assert outcome.score == max(TABLE[index] for index in objective.asked)


@pytest.mark.parametrize("search", [Genetic(), QuickReduct()])
def test_without_time_for_one_score_all_features_are_the_answer(search):
    objective = Late(TABLE, 0)
    objective.best = objective.score
    problem = objective.problem()
    outcome = run(search, objective, problem, seed=0, max_seconds=1000)
    assert (outcome.stop_reason, outcome.n_evaluations) == ("max_seconds", 0)
    assert outcome.subset.all()
    assert outcome.score == problem.full_score
    with pytest.raises(TimeIsUp):
        run(search, objective, objective.problem(n_features_to_select=2), seed=0, max_seconds=1000)


def test_a_deadline_outside_holds_for_the_search_and_for_what_it_thinks():
    class Thinking(Scripted):
        def propose(self, problem, seed):
            yield Batch(masks((0, 1)))
            stop_if_late()
            raise AssertionError("the deadline was not seen")

    objective = Lookup(TABLE)
    with limited(Deadline(0)):
        outcome = run(Thinking(), objective, objective.problem(), seed=0)
    assert outcome.stop_reason == "max_seconds"
    assert current_deadline().remaining() == np.inf, "it outlives its work"


def test_scores_are_on_disk_as_soon_as_half_a_second_of_them_is_known(tmp_path, monkeypatch):
    now, path, kept = [0.0], tmp_path / "scores", []
    set_clock(monkeypatch, lambda: now[0])

    class Watching(Lookup):
        def score(self, masks, at_least=None):
            kept.append((path.stat().st_size, len(self.asked)))
            now[0] += 0.25 * len(masks)
            return super().score(masks, at_least)

    objective = Watching(TABLE)
    run(Genetic(), objective, objective.problem(), seed=0, max_evaluations=40,
        checkpoint=Checkpoint(path))  # fmt: skip
    sizes, scored = (np.diff(column) for column in zip(*kept, strict=True))
    searched = sizes > 0  # the last checks are not kept
    assert searched[:10].all()
    assert scored[searched].max() == 2, "half a second of work, at a quarter of it each"


@pytest.mark.parametrize("call", [1, 4, 9])
def test_a_run_that_time_has_cut_is_resumed_to_the_same_end(call, tmp_path):
    search, cut = Genetic(), Late(TABLE, call)
    problem, checkpoint = cut.problem(), Checkpoint(tmp_path / "scores")
    run(search, cut, problem, seed=0, checkpoint=checkpoint, max_seconds=1000)
    resumed = run(search, Lookup(TABLE), problem, seed=0, checkpoint=checkpoint)
    assert resumed.n_replayed == len(cut.asked)
    assert plain(resumed) == plain(run(search, Lookup(TABLE), problem, seed=0))


def test_a_run_limited_by_time_can_be_repeated_by_its_evaluations(monkeypatch):
    objective = Lookup(TABLE)
    search = Genetic()
    whole = run(search, objective, objective.problem(), seed=0)
    shorter = run(search, objective, objective.problem(), seed=0, max_evaluations=50)
    again = run(search, objective, objective.problem(), seed=0, max_evaluations=50)
    assert plain(shorter) == plain(again) != plain(whole)


def test_an_archive_that_gets_better_is_never_empty():
    archive = Archive(ranking_of(Lookup(TABLE).problem()))
    archive.add(masks((0, 1)), np.array([0.25]))
    assert archive.add(masks((0, 1, 2), (0,)), np.array([0.5, -np.inf]))
    assert (len(archive), archive.score, archive.size) == (1, 0.5, 3)
    assert not archive.add(masks((1, 2, 3), (0, 1, 2, 3)), np.array([0.5, 0.5]))
    assert (len(archive), archive.score, archive.size) == (2, 0.5, 3)


def test_infinite_time_is_no_limit():
    objective = Lookup(TABLE)
    outcome = run(QuickReduct(), objective, objective.problem(), seed=0, max_seconds=np.inf)
    assert outcome.stop_reason == "converged"


@pytest.mark.parametrize("seed", range(5))
def test_archive_and_front_hold_all_of_the_truth(seed):
    table = random_table(seed=seed)
    objective, sizes = Lookup(table), sizes_of(table)
    outcome = run(Everything(7), objective, objective.problem(), seed=0)
    smallest = sizes[table == table[-1]].min()
    found = {int(objective.index(reduct.subset)) for reduct in outcome.reducts}
    assert found == set(np.flatnonzero((table == table[-1]) & (sizes == smallest)).tolist())
    assert [point.score for point in outcome.front] == [
        table[sizes == size].max() for size in range(1, 8)
    ]
    for point in outcome.front:
        ties = np.flatnonzero((sizes == point.size) & (table == point.score))
        features = [[f for f in range(7) if index >> f & 1] for index in ties]
        assert np.flatnonzero(point.subset).tolist() == min(features)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_min_dependency_is_enough(share):
    objective, sizes = Lookup(TABLE), sizes_of(TABLE)
    problem = objective.problem(min_dependency=share)
    outcome = run(ShuffledFrogs(), objective, problem, seed=0)
    enough = share * TABLE[-1] <= TABLE
    assert outcome.subset.sum() == sizes[enough].min()
    assert outcome.score == TABLE[enough & (sizes == sizes[enough].min())].max()
    assert all(reduct.minimal for reduct in outcome.reducts)
    assert len(outcome.reducts) == (enough & (sizes == sizes[enough].min())).sum()


def test_redundant_features_are_removed_in_the_end():
    objective = Lookup(random_table(seed=3))
    everything = Scripted(Batch(np.ones((1, 7), dtype=bool)))
    outcome = run(everything, objective, objective.problem(), seed=0)
    assert outcome.score == objective.table[-1]
    assert outcome.reducts[0].minimal
    assert outcome.subset.sum() < 7


def test_required_features_stay_though_redundant():
    objective = Lookup(TABLE)
    problem = objective.problem(must_include=mask_of(7, 5, 6))
    outcome = run(Scripted(Batch(np.ones((1, 7), dtype=bool))), objective, problem, seed=0)
    assert outcome.subset[[5, 6]].all()


def greedy(table, n_features):
    chosen, index = [], 0
    while table[index] < table[-1]:
        left = [f for f in range(n_features) if f not in chosen]
        best = max(left, key=lambda f: (table[index | 1 << f], -f))
        chosen.append(best)
        index |= 1 << best
    return index


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("cells", [2**24, 7 * 2])
def test_quickreduct_is_greedy(seed, cells, monkeypatch):
    monkeypatch.setattr("fuzzyfrog.search.stepwise.BATCH_CELLS", cells)
    table = random_table(seed=seed)
    objective = Lookup(table)
    proposal, batches = QuickReduct().propose(objective.problem(), 0), []
    batch = next(proposal)
    last = {}
    try:
        while True:
            scores = objective.best(batch.subsets)
            batches.append(batch)
            last.update(zip(objective.index(batch.subsets).tolist(), scores, strict=True))
            batch = proposal.send(scores)
    except StopIteration:
        assert greedy(table, 7) in last
        assert last[greedy(table, 7)] == table[-1]
    assert all(batch.only_best for batch in batches)


def test_quickreduct_goes_on_where_no_single_feature_helps():
    exclusive_or = Lookup([0.0, 0.0, 0.0, 1.0])
    assert run(QuickReduct(), exclusive_or, exclusive_or.problem(), seed=0).subset.all()


BAD_PROBLEMS = [
    (
        {"must_include": mask_of(7, 1, 2), "exclude": mask_of(7, 2)},
        "must_include and exclude must not overlap, got 2 in both",
    ),
    ({"exclude": np.ones(7, dtype=bool)}, "exclude must leave at least one feature"),
    ({"n_features_to_select": 8}, r"n_features_to_select must be from 1 .* to 7 .* got 8"),
    ({"n_features_to_select": 0}, "n_features_to_select must be from 1"),
    ({"n_features_to_select": 1, "must_include": mask_of(7, 1, 2)}, "must be from 2"),
    ({"min_dependency": 0.0}, "min_dependency must be a number above 0 and at most 1, got 0.0"),
    ({"min_dependency": 1.5}, "min_dependency must be a number above 0 and at most 1, got 1.5"),
    ({"exclude": np.array([1, 2])}, "must be masks of 7 booleans"),
    ({"ranking": "size"}, "ranking must be one of 'lexicographic', 'product'"),
    ({"n_features": 6}, "objective must have the 6 features of the problem, got 7"),
]


@pytest.mark.parametrize(("changes", "sentence"), BAD_PROBLEMS)
def test_bad_problems_get_a_sentence(changes, sentence):
    objective = Lookup(TABLE)
    with pytest.raises(ValueError, match=sentence):
        run(ShuffledFrogs(), objective, objective.problem(**changes), seed=0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"max_evaluations": 0}, "max_evaluations must be an integer of at least 1, got 0"),
        ({"max_evaluations": 1.5}, "max_evaluations must be an integer of at least 1, got 1.5"),
        ({"max_seconds": 0}, "max_seconds must be a number above 0, got 0"),
        ({"max_seconds": float("nan")}, "max_seconds must be a number above 0, got nan"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, sentence):
    objective = Lookup(TABLE)
    with pytest.raises(ValueError, match=sentence):
        run(ShuffledFrogs(), objective, objective.problem(), **({"seed": 0} | arguments))


@pytest.mark.parametrize(
    ("search", "sentence"),
    [
        (Genetic(n_population=0), "n_population must be an integer of at least 1, got 0"),
        (Genetic(n_generations=-1), "n_generations must be an integer of at least 1, got -1"),
        (Genetic(p_crossover=1.1), "p_crossover must be a number from 0 to 1, got 1.1"),
        (Genetic(p_mutation="much"), "p_mutation must be a number from 0 to 1, got 'much'"),
        (ParticleSwarm(n_particles=0), "n_particles must be an integer of at least 1, got 0"),
        (ParticleSwarm(max_velocity=-1), "max_velocity must be a finite number above 0, got -1"),
    ],
)
def test_bad_parameters_get_a_sentence(search, sentence):
    objective = Lookup(TABLE)
    with pytest.raises(ValueError, match=sentence):
        run(search, objective, objective.problem(), seed=0)


def test_defaults_of_the_others_are_those_of_the_paper():
    objective = Lookup(TABLE)
    large = objective.problem(n_cells=20_000)
    for search in (Genetic(), ParticleSwarm()):
        sizes = []
        proposal = search.propose(large, 0)
        batch = next(proposal)
        try:
            while True:
                sizes.append(len(batch.subsets))
                batch = proposal.send(TABLE[objective.index(batch.subsets)])
        except StopIteration:
            assert sizes == [900] * 6  # the first population and 5 generations
    genetic, swarm = Genetic(), ParticleSwarm()
    assert (genetic.p_crossover, genetic.p_mutation) == (0.6, 0.033)
    assert (swarm.c_own, swarm.c_swarm) == (2.0, 2.0)


def test_memory_that_runs_out_costs_the_rest_of_the_search_not_the_best_so_far():
    objective = Lookup(random_table())
    score, n_calls = objective.score, []

    def scarce(masks, at_least=None):
        n_calls.append(len(masks))
        if len(n_calls) > 3:
            raise MemoryError
        return score(masks, at_least)

    objective.score = scarce
    outcome = run(Genetic(), objective, objective.problem(), seed=0)
    assert outcome.stop_reason == "memory"
    assert outcome.score == max(objective.table[objective.told])
    n_calls.extend([0] * 3)  # now nothing at all is scored; the score of all features is known
    outcome = run(Genetic(), objective, objective.problem(), seed=0)
    assert outcome.subset.all()
    assert outcome.stop_reason == "memory"
    with pytest.raises(MemoryError):
        run(Genetic(), objective, objective.problem(n_features_to_select=3), seed=0)


@pytest.mark.parametrize("n_features", [9, 140])  # keys are the bits, or a sum
def test_steps_and_masks_are_the_same_run(n_features, monkeypatch):
    class Worth:
        """Takes anything for a subset; the first features say the same."""

        def __init__(self, takes_extensions):
            self.takes_extensions, self.n_features = takes_extensions, n_features
            self.seen = []

        def score(self, masks, at_least=None):
            return np.asarray(masks) @ (np.arange(n_features) // 3 % 17 + 1.0)

        def best(self, masks):
            self.seen.append(type(masks))
            scores = self.score(masks)
            return np.where(scores == scores.max(), scores, -np.inf)

    problem = Problem(n_features, 10, 1e9, n_features_to_select=4)
    monkeypatch.setattr(evaluating, "MASK_CELLS", 4 * n_features)
    found = []
    for takes_extensions in (True, False):
        worth = Worth(takes_extensions)
        outcome = run(QuickReduct(), worth, problem, seed=0)
        assert {kind is np.ndarray for kind in worth.seen} == {not takes_extensions}
        found.append(plain(outcome))
    assert found[0] == found[1]
    steps = Extensions(mask_of(n_features, 1, n_features - 1), np.array([0, 4, 7]))
    tried = np.asarray(steps)
    assert [np.flatnonzero(one).tolist() for one in tried[:2]] == [
        [0, 1, n_features - 1], [1, 4, n_features - 1],
    ]  # fmt: skip
    assert subset_keys(steps) == subset_keys(tried)
    assert len({*subset_keys(tried), *subset_keys(tried[:, ::-1])}) == 6
    for batch in (steps, tried):
        one = evaluator(Worth(True))
        one.evaluate(Batch(tried, at_least=1.0))
        one.evaluate(Batch(batch, only_best=True))
        assert one.n_evaluations == 3, "every subset once, however it was given"
    shares = np.asarray(steps).mean(axis=0)
    scripted = run(
        Scripted(Batch(steps)), Worth(True), replace(problem, n_features_to_select=3), seed=0
    )
    assert scripted.history[0].diversity == np.mean(4 * shares * (1 - shares))


def test_listeners_hear_of_the_subsets_that_have_a_score():
    heard = []

    def steps():
        yield Batch(Extensions(mask_of(5, 1), np.array([0, 3, 4])), only_best=True)

    listening = overheard(steps(), lambda *given: heard.append([one.tolist() for one in given]))
    next(listening)
    with suppress(StopIteration):
        listening.send(np.array([-np.inf, 2.0, -np.inf]))
    assert heard == [[[mask_of(5, 1, 3).tolist()], [2.0]]]


def test_a_ledger_keeps_the_lowest_bar_that_a_subset_was_below():
    ledger = Ledger()
    ledger.enter([b"a", b"b", b"c"], np.array([-np.inf, 0.5, 0.1]), np.array([0.3, 0.4, 0.2]))
    assert ledger.known(b"b", 0.4) == 0.5
    ledger.enter([b"a", b"c", b"d"], np.full(3, -np.inf), np.array([0.6, 0.1, 0.2]))
    for key, bar in {b"a": 0.3, b"c": 0.1, b"d": 0.2}.items():
        assert ledger.is_below(key, bar)
        assert not ledger.is_below(key, bar - 0.01)
