"""What selectors prove: the truth about small tables and about those of the paper."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given

from fuzzyfrog import Exact, ReductSelector, dependency, enumerate_reducts, load_dataset
from fuzzyfrog.measure import Dependency
from fuzzyfrog.result import Certificate
from fuzzyfrog.search import exact
from measure_cases import TNORMS, cases, with_table
from strategies import examples

# Sizes of the smallest reducts and how many there are, and the subset with the largest product
# (features counted from 1), by exhaustive search.
PAPER = {
    "wine": (5, 343, (7, 10, 13)),
    "heart": (7, 2, (1, 4, 5, 8)),
    "cleveland": (8, 4, (1, 4, 5, 8)),
    "breast_cancer_wisconsin": (7, 6, (1, 2, 6)),
    "glass": (8, 1, (1, 2, 4, 5)),
    "breast_tissue": (9, 1, (2, 3, 6, 8)),
    "pima_diabetes": (8, 1, (2, 6, 7, 8)),
}
FRONTS = {
    "wine": (0.179653, 0.691037, 0.933981, 0.998985, 1.0),
    "heart": (0.024168, 0.264919, 0.638172, 0.914752, 0.986618, 0.998533, 1.0),
    "pima_diabetes": (
        0.023631, 0.226251, 0.528754, 0.812379, 0.944308, 0.986280, 0.997141, 0.997919,
    ),
}  # fmt: skip
MOST_FEATURES = 7


@pytest.fixture
def paper(paper_data_folder):
    catalog = pytest.importorskip("fuzzyfrog_lab.catalog")  # absent from `make test-lowest`
    return lambda name: catalog.load_dataset(name, folder=paper_data_folder)


@pytest.fixture(scope="module")
def wine():
    return load_dataset("wine")


def reducts_of_all_subsets(measure):
    """The reducts of each size, by looking at every subset."""
    n_features = measure.n_features
    index = np.arange(1, 2**n_features)
    subsets = (index[:, None] >> np.arange(n_features) & 1).astype(bool)
    scores = np.concatenate([[-np.inf], measure.score(subsets)])
    reducts = {}
    for one in index[scores[1:] == measure.full].tolist():
        features = [f for f in range(n_features) if one >> f & 1]
        if all(scores[one - (1 << f)] < measure.full for f in features):
            reducts.setdefault(len(features), set()).add(tuple(features))
    return reducts


def features_of(reducts):
    listed = [reduct.features for reduct in reducts]
    assert len(set(listed)) == len(listed), "a reduct twice"
    return set(listed)


@pytest.mark.parametrize("tnorm", TNORMS)
@given(case=cases())
@examples(25)
def test_every_subset_agrees(tnorm, case):
    kept = slice(MOST_FEATURES)
    case = with_table(case, X=case.table.X[:, kept], categorical=case.table.categorical[kept])
    truth = reducts_of_all_subsets(case.measure(tnorm))
    table = case.table.X, case.table.y
    smallest = min(truth)
    assert features_of(enumerate_reducts(*table, tnorm=tnorm, **case.keywords)) == truth[smallest]
    for size in range(1, case.table.X.shape[1] + 2):
        found = enumerate_reducts(*table, size=size, tnorm=tnorm, **case.keywords)
        assert features_of(found) == truth.get(size, set())


@pytest.mark.parametrize("name", PAPER)
def test_the_smallest_reducts_of_the_paper(paper, name):
    size, n_reducts, _ = PAPER[name]
    fitted = ReductSelector("exact").fit(paper(name))
    assert fitted.certificate_ == Certificate(True, size, size, n_reducts, all_listed=True)
    assert len(fitted.reducts_) == n_reducts
    assert fitted.n_features_ == size
    assert fitted.dependency_ == fitted.full_dependency_


@pytest.mark.parametrize("name", PAPER)
def test_the_largest_products_of_the_paper(paper, name):
    fitted = ReductSelector("exact", ranking="product").fit(paper(name))
    assert fitted.certificate_.proven
    assert fitted.certificate_.claim == "product"
    assert tuple(np.flatnonzero(fitted.support_) + 1) == PAPER[name][2]


@pytest.mark.parametrize("name", FRONTS)
def test_the_fronts_of_the_paper(paper, name):
    fitted = ReductSelector("front").fit(paper(name))
    assert tuple(round(point.dependency, 6) for point in fitted.front_) == FRONTS[name]
    assert fitted.certificate_.proven


@pytest.mark.parametrize("search", ["frogs", "genetic", "swarm", "quickreduct"])
def test_any_search_can_be_certified(wine, search):
    fitted = ReductSelector(search, certify=True, random_state=0).fit(wine)
    assert str(fitted.certificate_) == (
        "Proven for these samples: 5 features are the fewest. There are exactly 343 such subsets."
    )
    assert len(fitted.reducts_) == 343


def test_no_certificate_unless_asked_for(wine):
    assert ReductSelector("quickreduct").fit(wine).certificate_ is None


def test_a_given_size_is_certified(wine):
    fitted = ReductSelector("exact", n_features_to_select=4).fit(wine)
    assert fitted.certificate_.proven
    assert round(fitted.dependency_, 6) == FRONTS["wine"][3]
    claim = "Proven for these samples: no other subset of 4 features has a higher"
    assert str(fitted.certificate_).startswith(claim)


def test_of_a_given_size_the_highest_dependency_is_certified_whatever_share_is_asked_for(wine):
    fitted = ReductSelector("exact", n_features_to_select=4, min_dependency=0.9).fit(wine)
    assert fitted.certificate_.claim == "size"
    assert {round(one.dependency, 6) for one in fitted.reducts_} == {FRONTS["wine"][3]}


def test_a_share_of_the_dependency_is_certified(wine):
    fitted = ReductSelector("exact", min_dependency=0.99).fit(wine)
    assert fitted.certificate_.proven
    assert fitted.n_features_ == 4
    assert all(reduct.dependency >= 0.99 for reduct in fitted.reducts_)


def test_excluded_features_do_not_count(wine):
    fitted = ReductSelector("exact", exclude=["proline"], must_include=["ash"]).fit(wine)
    assert fitted.certificate_.proven
    assert all("ash" in one.names and "proline" not in one.names for one in fitted.reducts_)
    assert fitted.dependency_ == fitted.full_dependency_


def test_too_little_time_gives_bounds(wine):
    fitted = ReductSelector("exact", max_evaluations=12).fit(wine)
    certificate = fitted.certificate_
    assert not certificate.proven
    assert 1 <= certificate.lower_bound <= 5 <= certificate.size
    assert certificate.gap == certificate.size - certificate.lower_bound
    assert str(certificate).startswith("Not proven: the fewest are between ")


def test_a_limit_of_the_list(wine):
    fitted = ReductSelector(Exact(limit=20)).fit(wine)
    assert fitted.certificate_.proven
    assert not fitted.certificate_.all_listed
    assert 20 < len(fitted.reducts_) < 343
    assert " at least " in str(fitted.certificate_)


def test_a_limit_that_is_just_enough(wine):
    fitted = ReductSelector(Exact(limit=343)).fit(wine)
    assert fitted.certificate_ == Certificate(True, 5, 5, 343, all_listed=True)


def test_nothing_to_tell_apart_takes_one_feature():
    X, y = np.ones((8, 4)), np.arange(8) % 2
    for search in ("frogs", "exact", "front"):
        fitted = ReductSelector(search, ranking="product", certify=True, random_state=0)
        fitted.fit(X, y)
        assert fitted.support_.sum() == fitted.certificate_.size == 1


@pytest.mark.parametrize("search", ["front", "exact"])
@pytest.mark.parametrize("budget", [{}, {"max_evaluations": 100}])
def test_a_bound_is_not_above_the_size(search, budget):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 14)), rng.integers(0, 2, 40)
    fitted = ReductSelector(search, n_features_to_select=4, spread="range", **budget).fit(X, y)
    assert (fitted.certificate_.lower_bound, fitted.certificate_.size) == (4, 4)
    assert fitted.certificate_.proven == (not budget)


def test_a_certificate_refuses_a_bound_above_the_size():
    with pytest.raises(ValueError, match="lower_bound must be at most size, 4, got 5"):
        Certificate(True, 5, 4, 1, all_listed=False)


def test_time_without_end_is_no_limit(wine):
    assert ReductSelector("exact", max_seconds=np.inf).fit(wine).certificate_.proven


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"must_include": ["ash"], "exclude": ["ash"]}, "must not overlap, got 'ash' in both"),
        ({"n_features_to_select": 99}, "n_features_to_select must be from 1"),
        ({"ranking": "size"}, "ranking must be one of"),
        ({"max_seconds": 0}, "max_seconds must be a number above 0, got 0"),
        ({"max_evaluations": 0}, "max_evaluations must be an integer"),
    ],
)
def test_mistakes_are_reported_before_anything_is_measured(wine, constraints, message, monkeypatch):
    monkeypatch.setattr(Dependency, "score", None)  # a call would be another error
    with pytest.raises(ValueError, match=message):
        ReductSelector("exact", **constraints).fit(wine)


class TestEnumeration:
    def test_gives_reducts_before_all_are_found(self, wine):
        first = list(islice(enumerate_reducts(wine), 3))
        assert [reduct.size for reduct in first] == [5, 5, 5]
        assert all(reduct.minimal and reduct.dependency == 1.0 for reduct in first)
        assert list(enumerate_reducts(wine, limit=3)) == first

    def test_larger_sizes_are_minimal_too(self, wine):
        reducts = list(enumerate_reducts(wine, size=6, limit=5))
        assert len(reducts) == 5
        for reduct in reducts:
            for feature in reduct.features:
                others = [one for one in reduct.features if one != feature]
                assert dependency(wine, features=others) < 1.0

    @pytest.mark.parametrize(
        ("constraints", "message"),
        [
            ({"size": 0}, "size must be an integer of at least 1"),
            ({"limit": -1}, "limit must be an integer of at least 1"),
            ({"exclude": ["nowhere"]}, "exclude must name features"),
            ({"must_include": [1], "exclude": [1]}, "must not overlap, got 'malic_acid' in both"),
        ],
    )
    def test_mistakes_are_reported_at_once(self, wine, constraints, message):
        with pytest.raises(ValueError, match=message):
            enumerate_reducts(wine, **constraints)


@pytest.mark.parametrize("certify", [1, "yes", None])
def test_certify_is_true_or_false(wine, certify):
    with pytest.raises(ValueError, match="certify must be True or False"):
        ReductSelector(certify=certify).fit(wine)


@pytest.mark.parametrize(
    ("certificate", "sentence"),
    [
        (
            Certificate(True, 1, 1, 1, all_listed=True),
            "Proven for these samples: 1 feature is the fewest. There is exactly 1 such subset.",
        ),
        (
            Certificate(False, 2, 4, 1, all_listed=False),
            "Not proven: the fewest are between 2 and 4 features (gap 2). 1 subset of 4 is known.",
        ),
        (
            Certificate(False, 3, 3, 2, all_listed=False, claim="size"),
            "Not proven: that no other subset of 3 features has a higher dependency. "
            "There are at least 2 such subsets.",
        ),
        (
            Certificate(True, 3, 3, 1, all_listed=True, claim="product"),
            "Proven for these samples: no subset has a larger product than the best one, of 3 "
            "features. There is exactly 1 such subset.",
        ),
    ],
)
def test_sentences(certificate, sentence):
    assert str(certificate) == sentence


def test_large_covers_are_proved_by_an_integer_program(monkeypatch):
    """Triangles: two of the three features of each are needed, whichever; none is in the core."""
    n_triangles = 6
    X = np.zeros((1 + 3 * n_triangles, 3 * n_triangles))
    for row in range(3 * n_triangles):
        first = row // 3 * 3
        X[1 + row, [first + row % 3, first + (row + 1) % 3]] = 1.0
    y = np.arange(len(X)) > 0
    monkeypatch.setattr("fuzzyfrog.search.exact.MOST_BRANCHED", 5)
    asked = []
    answer = exact.smallest_cover

    def spied(*rows, **choices):
        asked.append(answer(*rows, **choices))
        return asked[-1]

    monkeypatch.setattr(exact, "smallest_cover", spied)
    found = ReductSelector("exact").fit(X, y).certificate_
    assert asked[-1].lower_bound == 2 * n_triangles
    assert (found.size, found.n_reducts, found.all_listed) == (
        2 * n_triangles,
        3**n_triangles,
        True,
    )
