"""The parts of the frog search, each against the paper or its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fuzzyfrog.search import Problem, ShuffledFrogs, run
from fuzzyfrog.search.pond import (
    DISSIMILARITIES,
    FrogCounts,
    deal,
    leap,
    preset_counts,
    submemeplexes,
)
from fuzzyfrog.search.protocol import Stream
from fuzzyfrog.search.stepwise import eliminate
from search.lookup import Lookup, plain, random_table


def bits(text):
    return np.array([[bit == "1" for bit in text]])


def at_positions(*values):
    """Values for the differing positions 2, 3 and 7 of the paper's example."""
    row = np.zeros((1, 8))
    row[0, [1, 2, 6]] = values
    return row


def test_leap_of_the_paper():
    best, worst = bits("11001010"), bits("10101000")
    values, numbers = at_positions(0.11, 0.05, 0.96), at_positions(0.74, 0.60, 0.79)
    landed = leap(worst, best, np.array([3]), values, numbers)
    assert np.array_equal(landed, bits("10101010"))


@pytest.mark.parametrize(("step", "expected"), [(0, "0000"), (1, "0100"), (2, "0101"), (9, "1101")])
def test_leap_changes_no_more_bits_than_the_step(step, expected):
    numbers = np.array([[0.3, 0.1, 0.0, 0.2]])
    values = np.array([[0.9, 0.9, 0.9, 0.9]])
    landed = leap(bits("0000"), bits("1101"), np.array([step]), values, numbers)
    assert np.array_equal(landed, bits(expected))


def test_deal_gives_memeplex_k_the_ranks_k_and_every_mth_after():
    order = np.array([50, 10, 30, 20, 40, 0])
    assert deal(order, 2).tolist() == [[50, 30, 40], [10, 20, 0]]
    assert deal(order, 3).tolist() == [[50, 20], [10, 40], [30, 0]]


def test_submemeplexes_prefer_good_frogs_triangularly():
    ranks = submemeplexes(30_000, 4, 1, Stream(0, "test"))
    shares = np.bincount(ranks[:, 0], minlength=4) / 30_000
    assert np.allclose(shares, [0.4, 0.3, 0.2, 0.1], atol=0.01)
    several = submemeplexes(500, 6, 4, Stream(0, "test"))
    assert (np.diff(several, axis=1) > 0).all()


def dissimilarity_by_definition(frog, goal):
    """L - POS: positions are samples, the goal's bits the feature, the frog's bits the class."""
    n_positions = len(frog)
    spread = goal.astype(float).std(ddof=1) if n_positions > 1 else 0.0
    positive = 0.0
    for x in range(n_positions):
        enemies = [y for y in range(n_positions) if frog[y] != frog[x]]
        apart = [abs(float(goal[x]) - float(goal[y])) for y in enemies]
        near = [min(1.0, distance / spread) if spread else 0.0 for distance in apart]
        positive += min(near, default=1.0)
    return n_positions - positive


@given(st.integers(1, 9).flatmap(lambda n: arrays(bool, (2, n))))
def test_positive_region_is_what_its_definition_gives(pair):
    frog, goal = pair
    fast = DISSIMILARITIES["positive_region"](frog[np.newaxis], goal[np.newaxis])[0]
    assert fast == pytest.approx(dissimilarity_by_definition(frog, goal))


def test_hamming_counts_differing_bits():
    assert DISSIMILARITIES["hamming"](bits("10101000"), bits("11001010"))[0] == 3


@pytest.mark.parametrize(
    ("n_features", "n_cells", "expected"),
    [
        (13, 15_000, FrogCounts(28, 9, 6, 5, 6)),
        (13, 15_001, FrogCounts(30, 30, 5, 15, 5)),
        (10, 100, FrogCounts(22, 7, 5, 4, 5)),
        (1, 10, FrogCounts(2, 1, 1, 1, 1)),
        (10_000, 2_000_000, FrogCounts(30, 30, 5, 15, 4500)),
    ],
)
def test_preset_follows_the_cells(n_features, n_cells, expected):
    assert preset_counts("auto", Problem(n_features, n_cells, 1.0)) == expected


def test_presets_by_name():
    problem = Problem(20, 100, 1.0)
    assert preset_counts("general", problem).n_all_frogs == 900
    assert preset_counts("eusuff", problem) == FrogCounts(100, 30, 20, 20, 20)


@pytest.mark.parametrize("ranking", ["lexicographic", "product"])
@pytest.mark.parametrize("variant", ["paper", "local", "learning"])
def test_bars_change_nothing(ranking, variant):
    """The same frogs leap whether hopeless landings are rejected or scored in full."""

    class Generous(Lookup):
        def score(self, masks, at_least=None):
            return super().score(masks)

    table = random_table(seed=4)
    search = ShuffledFrogs(variant=variant)
    strict, generous = Lookup(table), Generous(table)
    problem = strict.problem(ranking=ranking)
    outcomes = [run(search, one, problem, seed=5) for one in (strict, generous)]
    assert plain(outcomes[0]) == plain(outcomes[1])
    assert len(strict.told) < len(strict.asked), "no bar was ever used"


def answered(steps, told):
    """Answer the batches of a coroutine; return its value."""
    try:
        batch = next(steps)
        while True:
            batch = steps.send(told(batch))
    except StopIteration as stop:
        return stop.value


@pytest.mark.parametrize("seed", range(5))
def test_shedding_leaves_minimal_subsets(seed):
    table = random_table(seed=seed)
    objective = Lookup(table)
    subsets = Stream(seed, "shed").floats((40, 7)) < 0.8
    subsets[:, 2] = True
    required = table[objective.index(subsets)]
    orders = np.array([Stream(seed, row).order(7) for row in range(40)])
    keep = np.arange(7) == 2
    lighter, scores = answered(
        eliminate(subsets, required, keep, orders),
        lambda batch: objective.score(batch.subsets, batch.at_least),
    )
    assert lighter[:, 2].all()
    assert not (lighter & ~subsets).any()
    index = objective.index(lighter)
    assert (table[index] >= required).all()
    told = scores > -np.inf
    assert np.array_equal(told, (lighter != subsets).any(axis=1))
    assert np.array_equal(table[index[told]], scores[told])
    for row, subset in zip(index, lighter, strict=True):
        for feature in np.flatnonzero(subset & ~keep):
            assert table[row - (1 << feature)] < table[row]


def test_shedding_of_many_features_takes_few_trials():
    n_features, needed = 2000, np.array([3, 700, 1999])
    subset = np.ones((1, n_features), dtype=bool)
    steps = eliminate(
        subset, np.ones(1), np.zeros(n_features, dtype=bool), np.arange(n_features)[None]
    )
    trials = []

    def told(batch):
        trials.append(batch)
        return batch.subsets[:, needed].all(axis=1).astype(float)

    lighter, _ = answered(steps, told)
    assert np.array_equal(np.flatnonzero(lighter[0]), needed)
    assert len(trials) < 100


def test_the_best_frog_is_never_lost():
    objective = Lookup(random_table(seed=2))
    problem = objective.problem()
    outcome = run(ShuffledFrogs(variant="paper"), objective, problem, seed=0)
    merits = [(moment.score, -moment.size) for moment in outcome.history]
    assert merits == sorted(merits)


def test_the_best_frog_is_never_censored():
    """A pond with one frog: it is the best one, so there is nothing to do."""
    objective = Lookup(random_table())
    lonely = ShuffledFrogs(variant="paper", n_memeplexes=1, n_frogs=1)
    proposal = lonely.propose(objective.problem(), 0)
    batch = next(proposal)
    assert next_batch(proposal, objective.score(batch.subsets)) is None


def next_batch(proposal, scores):
    try:
        return proposal.send(scores)
    except StopIteration:
        return None


BAD = [
    ({"n_memeplexes": 0}, "n_memeplexes must be an integer of at least 1, got 0"),
    ({"n_frogs": -3}, "n_frogs must be an integer of at least 1, got -3"),
    ({"n_evolutions": 2.5}, "n_evolutions must be an integer of at least 1, got 2.5"),
    ({"n_frogs": 4, "n_submemeplex": 5}, r"n_submemeplex must be at most n_frogs \(4\), got 5"),
    ({"max_step": True}, "max_step must be an integer"),
    ({"patience": 0}, "patience must be an integer of at least 1"),
    ({"variant": "fast"}, "variant must be one of 'learning', 'local', 'paper', got 'fast'"),
    ({"preset": "huge"}, "preset must be one of 'auto', 'small', 'general', 'eusuff'"),
    ({"dissimilarity": "cosine"}, "one of 'positive_region', 'hamming', got 'cosine'"),
]


@pytest.mark.parametrize(("parameters", "sentence"), BAD)
def test_bad_parameters_get_a_sentence_when_the_search_starts(parameters, sentence):
    search = ShuffledFrogs(**parameters)
    objective = Lookup(random_table())
    with pytest.raises(ValueError, match=sentence):
        run(search, objective, objective.problem(), seed=0)
    assert not objective.asked
