"""What every search guarantees; a new search is added to SEARCHES and inherits all tests."""

import numpy as np
import pytest
from sklearn.base import clone

from fuzzyfrog import search as registry
from fuzzyfrog.search import (
    Checkpoint,
    Exact,
    ExactFront,
    Genetic,
    ParticleSwarm,
    Problem,
    QuickReduct,
    ShuffledFrogs,
    run,
)
from search.lookup import Lookup, mask_of, plain, random_table, sizes_of

SEARCHES = {
    "frogs": ShuffledFrogs(),
    "frogs of the paper": ShuffledFrogs(variant="paper"),
    "frogs by hamming": ShuffledFrogs(dissimilarity="hamming", patience=2),
    "genetic": Genetic(),
    "swarm": ParticleSwarm(),
    "quickreduct": QuickReduct(),
    "exact": Exact(),
    "front": ExactFront(),
}
# They draw nothing, and go through subsets of other sizes.
DRAW_NOTHING = tuple(registry.SEARCHES[name] for name in registry.DETERMINISTIC)
TABLE = random_table()


def test_every_search_of_the_registry_is_tested():
    assert {type(search) for search in SEARCHES.values()} >= set(registry.SEARCHES.values())
    assert registry.SEARCHES.keys() >= registry.PROVING | registry.DETERMINISTIC


@pytest.fixture(params=SEARCHES, scope="module")
def search(request):
    return SEARCHES[request.param]


@pytest.fixture(params=["lexicographic", "product"], scope="module")
def ranking(request):
    return request.param


class Listening(Lookup):
    """Keeps the batches that were requested."""

    def __init__(self, table):
        super().__init__(table)
        self.batches = []

    def score(self, masks, at_least=None):
        self.batches.append(
            (masks.tolist(), None if at_least is None else np.ravel(at_least).tolist())
        )
        return super().score(masks, at_least)


def proposals(search, problem, seed):
    """Return all batches of a run on the table."""
    objective = Lookup(TABLE)
    proposal, batches = search.propose(problem, seed), []
    batch = next(proposal, None)
    while batch is not None:
        batches.append(batch)
        scores = objective.table[objective.index(batch.subsets)]
        if batch.only_best:
            scores = np.where(scores == scores.max(), scores, -np.inf)
        if batch.at_least is not None:
            scores = np.where(scores < batch.at_least, -np.inf, scores)
        try:
            batch = proposal.send(scores)
        except StopIteration:
            break
    return batches


def test_same_seed_same_proposals(search, ranking):
    problem = Lookup(TABLE).problem(ranking=ranking)
    first, second = proposals(search, problem, 3), proposals(search, problem, 3)
    assert len(first) == len(second) > 0
    for one, other in zip(first, second, strict=True):
        assert np.array_equal(one.subsets, other.subsets)
        assert np.array_equal(one.at_least, other.at_least)


def test_another_seed_gives_other_proposals(search):
    if isinstance(search, DRAW_NOTHING):
        return
    problem = Lookup(TABLE).problem()
    first, second = proposals(search, problem, 3)[0], proposals(search, problem, 4)[0]
    assert not np.array_equal(first.subsets, second.subsets)


def test_same_run_however_much_is_scored_at_once(search, ranking):
    outcomes = []
    for chunk in (1, 7, 1000):
        objective = Lookup(TABLE)
        objective.n_at_once = chunk
        outcomes.append(plain(run(search, objective, objective.problem(ranking=ranking), seed=1)))
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_no_subset_gets_a_score_twice(search, ranking):
    objective = Lookup(TABLE)
    outcome = run(search, objective, objective.problem(ranking=ranking), seed=0)
    assert len(set(objective.told)) == len(objective.told)
    assert outcome.n_evaluations == len(objective.asked)
    assert 0 not in objective.asked, "the empty subset was proposed"


@pytest.mark.parametrize("limit", [1, 2, 17, 60, 101])
def test_budget_is_never_exceeded(search, ranking, limit):
    objective = Lookup(TABLE)
    problem = objective.problem(ranking=ranking)
    outcome = run(search, objective, problem, seed=0, max_evaluations=limit)
    assert outcome.n_evaluations == len(objective.asked) <= limit
    assert outcome.subset.any()
    assert outcome.stop_reason in {"max_evaluations", "converged"}
    if outcome.stop_reason == "max_evaluations":
        assert outcome.n_evaluations >= 0.9 * limit - 7, "the budget was not used"


CONSTRAINTS = {
    "must": {"must_include": mask_of(7, 1, 4)},
    "exclude": {"exclude": mask_of(7, 0, 6)},
    "size": {"n_features_to_select": 3},
    "one": {"n_features_to_select": 1},
    "all": {"n_features_to_select": 7},
    "three ways": {
        "must_include": mask_of(7, 2),
        "exclude": mask_of(7, 3, 5),
        "n_features_to_select": 4,
    },
    "nothing free": {"must_include": mask_of(7, 1, 2), "exclude": mask_of(7, 0, 3, 4, 5, 6)},
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_are_respected(search, ranking, name):
    constraints = CONSTRAINTS[name]
    objective = Lookup(TABLE)
    problem = objective.problem(ranking=ranking, **constraints)
    must = constraints.get("must_include", mask_of(7))
    exclude = constraints.get("exclude", mask_of(7))
    size = constraints.get("n_features_to_select")
    for batch in proposals(search, problem, 0):
        assert batch.subsets[:, must].all()
        assert not batch.subsets[:, exclude].any()
        if size is not None and not isinstance(search, DRAW_NOTHING):
            assert (batch.subsets.sum(axis=1) == size).all()
    outcome = run(search, objective, problem, seed=0)
    for reduct in outcome.reducts:
        assert reduct.subset.any()
        assert reduct.subset[must].all()
        assert not reduct.subset[exclude].any()
        assert size is None or reduct.subset.sum() == size


@pytest.mark.parametrize("limit", [1, 3, 12])
def test_size_is_kept_when_the_budget_ends_early(search, limit):
    objective = Lookup(TABLE)
    problem = objective.problem(n_features_to_select=4)
    outcome = run(search, objective, problem, seed=0, max_evaluations=limit)
    assert outcome.subset.sum() == 4
    assert outcome.n_evaluations <= limit


def test_every_callback_hears_every_batch(search):
    objective = Lookup(TABLE)
    heard = [], []
    calls = [heard[0].append, heard[1].append]
    outcome = run(search, objective, objective.problem(), seed=0, callbacks=calls)
    assert tuple(heard[0]) == tuple(heard[1]) == outcome.history
    evaluations = [moment.n_evaluations for moment in outcome.history]
    assert evaluations == sorted(evaluations)
    assert evaluations[-1] == outcome.n_evaluations
    assert all(moment.diversity is None or 0 <= moment.diversity <= 1 for moment in outcome.history)


def test_a_callback_can_stop(search):
    objective = Lookup(TABLE)
    outcome = run(search, objective, objective.problem(), seed=0, callbacks=[lambda moment: True])
    assert outcome.stop_reason == "callback"
    assert len(outcome.history) == 1


@pytest.mark.parametrize("limit", [5, 40, 90, None])
def test_resumes_bit_for_bit(search, ranking, limit, tmp_path):
    """A run that is stopped and resumed ends like an undisturbed one."""
    objective = Lookup(TABLE)
    problem = objective.problem(ranking=ranking)
    whole = run(search, objective, problem, seed=2)
    checkpoint = Checkpoint(tmp_path / "scores", data="table")
    run(search, objective, problem, seed=2, max_evaluations=limit, checkpoint=checkpoint)
    again = Lookup(TABLE)
    resumed = run(search, again, problem, seed=2, checkpoint=checkpoint)
    assert plain(resumed) == plain(whole)
    assert len(again.asked) <= max(0, whole.n_evaluations - 0.9 * (limit or np.inf) + 7)


def test_results_are_true(search, ranking):
    objective = Lookup(TABLE)
    outcome = run(search, objective, objective.problem(ranking=ranking), seed=0)
    sizes = sizes_of(TABLE)
    subsets = np.array([reduct.subset for reduct in outcome.reducts])
    index = objective.index(subsets)
    assert len(set(index.tolist())) == len(index)
    assert TABLE[index].tolist() == [reduct.score for reduct in outcome.reducts]
    assert np.array_equal(outcome.subset, subsets[0])
    assert np.allclose(outcome.feature_frequency, subsets.mean(axis=0))
    for point in outcome.front:
        assert point.subset.sum() == point.size
        assert TABLE[objective.index(point.subset)] == point.score
        assert point.score <= TABLE[sizes == point.size].max()
    for reduct in outcome.reducts:
        smaller = [objective.index(reduct.subset) - (1 << f) for f in np.flatnonzero(reduct.subset)]
        assert reduct.minimal == bool((TABLE[smaller] < reduct.score).all())
        assert reduct.minimal, "a finished run leaves nothing unchecked"


def test_parameters_stay_as_given(search):
    assert clone(search).get_params() == search.get_params()
    objective = Lookup(TABLE)
    before = dict(vars(search))
    run(search, objective, objective.problem(), seed=0, max_evaluations=20)
    assert vars(search) == before


def test_works_with_one_feature(search, ranking):
    objective = Lookup([0.0, 0.7])
    outcome = run(search, objective, objective.problem(ranking=ranking), seed=0)
    assert outcome.subset.tolist() == [True]


def test_works_where_nothing_tells_the_classes_apart(search, ranking):
    objective = Lookup(np.zeros(16))
    outcome = run(search, objective, objective.problem(ranking=ranking), seed=0)
    assert outcome.subset.sum() == 1
    assert outcome.score == 0


def rise_and_fall(n_features=7, seed=0):
    """Return the scores of all subsets by a measure that features can lower."""
    rng = np.random.default_rng(seed)
    gain, noise = rng.random(n_features), 0.3
    bits = np.arange(2**n_features)[:, np.newaxis] >> np.arange(n_features) & 1
    return np.sqrt(bits @ gain) / 3 - noise * (bits.sum(axis=1) / n_features) ** 2 + 0.2


FALLING = rise_and_fall()


@pytest.fixture(params=[name for name in SEARCHES if name not in {"exact", "front"}])
def free_search(request):
    """A search that needs no measure that never falls."""
    return SEARCHES[request.param]


@pytest.mark.parametrize("changes", [{}, *CONSTRAINTS.values()], ids=["free", *CONSTRAINTS])
def test_a_measure_that_falls_is_searched_for_its_peak(free_search, changes):
    objective = Lookup(FALLING)
    problem = objective.problem(is_monotone=False, tolerance=1e-12, **changes)
    outcome = run(free_search, objective, problem, seed=0)
    index = np.arange(1, len(FALLING))
    bits = (index[:, np.newaxis] >> np.arange(7) & 1).astype(bool)
    allowed = (bits | ~changes.get("must_include", mask_of(7))).all(axis=1)
    allowed &= ~(bits & changes.get("exclude", mask_of(7))).any(axis=1)
    size = changes.get("n_features_to_select")
    allowed &= bits.sum(axis=1) == size if size else True
    assert allowed[objective.index(outcome.subset) - 1]
    assert outcome.score == FALLING[objective.index(outcome.subset)]
    assert outcome.score == FALLING[1:][allowed].max()
    assert not outcome.proven
    assert len(set(objective.told)) == len(objective.told)


@pytest.mark.parametrize("limit", [5, 40, None])
def test_a_search_of_a_measure_that_falls_resumes_bit_for_bit(free_search, limit, tmp_path):
    objective = Lookup(FALLING)
    problem = objective.problem(is_monotone=False, tolerance=1e-12)
    whole = run(free_search, objective, problem, seed=2)
    checkpoint = Checkpoint(tmp_path / "scores", data="table")
    run(free_search, objective, problem, seed=2, max_evaluations=limit, checkpoint=checkpoint)
    resumed = run(free_search, Lookup(FALLING), problem, seed=2, checkpoint=checkpoint)
    assert plain(resumed) == plain(whole)


def test_the_greedy_path_goes_on_while_it_rises_and_20_features_far():
    class Rising:
        n_features = 40

        def __init__(self, peak):
            self.peak = peak

        def score(self, masks, at_least=None):
            return 1 - np.abs(masks.sum(axis=1) - self.peak) / 40 - masks @ np.arange(40) / 1e6

        best = score

    for peak, end in ((5, 20), (19, 20), (20, 21), (30, 31)):
        objective = Rising(peak)
        problem = Problem(n_features=40, n_cells=400, full_score=0.5, is_monotone=False)
        outcome = run(QuickReduct(), objective, problem, seed=0)
        assert outcome.subset.sum() == peak
        assert outcome.front[-1].size == end
        chosen = [np.flatnonzero(point.subset).tolist() for point in outcome.front]
        assert chosen == [list(range(size)) for size in range(1, end + 1)]
