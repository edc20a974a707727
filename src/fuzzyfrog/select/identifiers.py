"""Columns that say which sample it is: numbers and names of rows, patients, orders, and dates."""

import re
from functools import lru_cache

import numpy as np

from fuzzyfrog.common.arrays import Floats, Integers, Masks
from fuzzyfrog.common.deadline import stop_if_late
from fuzzyfrog.common.messages import first_few, shown
from fuzzyfrog.data import Dataset
from fuzzyfrog.data.cells import are_measurements, is_number
from fuzzyfrog.data.dates import PARTS, holds_dates
from fuzzyfrog.data.scaling import column_blocks

FEWEST_SAMPLES = 10  # with fewer, it means nothing if all values differ
FEWEST_VALUES = 20  # of a feature that is nearly an identifier
FEWEST_IDS = 5  # that a name alone makes one
FEWEST_PIDS = 10  # as "pid" may be a party, too
NEARLY_ALL = 0.95  # of the samples have another number
EQUAL = 0.8  # of the values have equally many samples
IN_TURN = 0.5  # of them, where the samples of each follow one another
MANY_LABELS, MOST_EACH = 100, 100  # labels of a column, and samples of each on average
ALIKE = 2.0  # how much the means of values differ, by chance 1
FEWEST_SHARED = 2  # other columns that samples of a value have in common
STEADY = 0.01, 0.5  # steps in time are this close to the usual one, at least this share of them
HEAD = 1000  # samples that rule out most numeric features

# Last words of names such as "customerId" and "row_nr": those that nothing but an ID has, others
# that need no more, and those that need what is numbered before them, or make an ID alone.
_IDS = frozenset(["id", "pid", "uid", "uuid", "guid"])
_MARK_WORDS = "pk nr nummer idx rowid rownames sku isbn iban ssn email unnamed"
_MARKS = _IDS | frozenset(_MARK_WORDS.split())
_NUMBER_WORDS = "number num no nr nummer index code key id"
_NUMBERS = frozenset(_NUMBER_WORDS.split())
_OF_ANYTHING = _NUMBERS - {"index", "key", "id"}
_TIME_WORDS = "week day hour month year time period wave visit session trial round date quarter"
_TIME_WORDS += " minute trend t"
_TIMES = frozenset(_TIME_WORDS.split())
_ALONE = frozenset(["number", "index", "code", "key", "row", "serial", "mail", "phone"])
# Those whose samples belong together: by a name alone, and by their number, as in "userId".
_NAMES = "subject subj patient participant respondent volunteer proband individual donor speaker"
_NAMES += " person worker employee pat mrn animal mouse rat case mom kid litter brood"
_NAMED = frozenset(_NAMES.split())
_HOUSES = frozenset(["household", "family"])  # which may also be how many live there
_PEOPLE = _NAMED | {"user", "customer", "client", "student", "pt", "usubj", "pid"}
_THINGS = "row serial order invoice account sample record phone zip postal sequence seq family "
_THINGS += "household house school child pupil town county store product choice unit id site plot"
_NUMBERED = _PEOPLE | frozenset(_THINGS.split())
_COUNTS = _NUMBERS - {"id", "key", "code"} | {"n", "count"}  # as in "number_of_ids"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# Targets that happen, or not, until observation ends, and names of that time, without signs.
_EVENT_WORDS = "status event e delta death dead died relapse recurrence failure cens censor "
_EVENT_WORDS += "censored"
_EVENTS = frozenset(_EVENT_WORDS.split())
_HAPPENED = re.compile("(stat|survived|censor[0-9]*)$")  # as in "fustat"
_FOLLOWED = re.compile(
    "time.?$|duration$|stop$|^len.*fol|followup|surviv|^cens"
    "|^(days|weeks|months|years|[odpr]fs|os|efs|tt[pr])$"
)
_UNTIL = re.compile("time(to.*)?")  # of any two classes
_kept = lru_cache(maxsize=2**16)  # a fit asks several times for the name of every column


def may_be_ids(dataset: Dataset) -> Masks:
    """Return which features hold whole numbers, labels or dates: no others can be identifiers."""
    some = dataset.values[:FEWEST_SAMPLES]  # which rule out most numbers of a wide table at once
    found = np.asarray((np.isnan(some) | (some == np.floor(some))).all(axis=0))
    whole = np.flatnonzero(found)
    for block in column_blocks(dataset.n_samples, len(whole)):
        some = dataset.values[:, whole[block]]
        found[whole[block]] = (np.isnan(some) | (some == np.floor(some))).all(axis=0)
    found[list(dataset.dates)] = True
    return found


def may_be_times(dataset: Dataset) -> Masks:
    """Return which features only grow or only fall at first: no others can be ordered times."""
    some = dataset.values[:FEWEST_SAMPLES]
    return np.asarray((some[1:] >= some[:-1]).all(axis=0) | (some[1:] <= some[:-1]).all(axis=0))


def doubt_about(dataset: Dataset, feature: int) -> str:
    """Return why a feature is probably an identifier or a date, as a sentence, or nothing."""
    if holds_dates(dataset, feature):
        return "holds dates, which often tell the samples apart without explaining anything."
    column, n_samples = dataset.values[:, feature], dataset.n_samples
    if n_samples < FEWEST_SAMPLES:
        return ""
    if not dataset.categorical[feature]:
        return _doubt_of_numbers(column, dataset.feature_names[feature])
    n_values = np.unique(column[~np.isnan(column)]).size
    is_id = n_values == n_samples
    if not is_id and (n_values < FEWEST_VALUES or n_values <= n_samples / 2):
        return ""
    labels = f"has {n_values:,} different labels in {n_samples:,} samples"
    others = [shown(one) for one in _some_labels(dataset, feature) if not is_number(one)]
    if others and holds_measurements(dataset, feature):
        cells = "Write plain numbers in these cells, or empty them."
        return f"holds numbers except {first_few(others)}, so it {labels}. {cells}"
    return (
        "has a different value in every sample, like an ID."
        if is_id
        else f"{labels}, nearly like an ID."
    )


def holds_measurements(dataset: Dataset, feature: int) -> bool:
    """Whether most labels of a feature are numbers, some of them with a fractional part."""
    return are_measurements(_some_labels(dataset, feature))


def _some_labels(dataset: Dataset, feature: int) -> list[str]:
    """Return the labels of a feature, some thousand of them if there are more."""
    labels = (dataset.categories[feature] if dataset.categories else None) or ()
    return [str(label) for label in labels[:: 1 + len(labels) // HEAD]]


def _doubt_of_numbers(column: Floats, name: str) -> str:
    """Return the doubt about numbers: they count rows, or are whole and differ as IDs do."""
    may_count = abs(column[1] - column[0]) == 1
    if not (may_count or says_identifier(name)):
        return ""
    if not _are_whole(column[:HEAD]) or not _are_whole(column):
        return ""
    steps = np.diff(column)
    if may_count and (steps == steps[0]).all():
        return "counts the rows."
    if not says_identifier(name):
        return ""
    n_values = np.unique(column[~np.isnan(column)]).size
    if n_values >= NEARLY_ALL * len(column):
        every = "every" if n_values == len(column) else "nearly every"
        return f"is named like an ID, and has a different number in {every} sample."
    if _says_id(name) and n_values >= FEWEST_VALUES and n_values > len(column) / 2:
        numbers = f"{n_values:,} different numbers in {len(column):,} samples"
        return f"is named like an ID, and has {numbers}."
    is_counted = np.count_nonzero(steps == 1) >= NEARLY_ALL * len(steps)
    if is_counted or (n_values >= FEWEST_IDS and _counts_within(column, name)):
        return "is named like an ID, and counts rows, starting over now and then."
    return ""


def _counts_within(column: Floats, name: str) -> bool:
    """Whether numbers start over more often than there are different ones, as in each household.

    Equal numbers are then not the same person. Households differ in size, with two on average or
    more. A number of visits may matter and does not count.
    """
    is_first, is_next = column == column.min(), np.diff(column) == 1
    sizes = np.diff(np.flatnonzero(is_first))
    is_often = np.unique(column).size < len(sizes) < len(column) / 2
    is_counted = is_often and sizes.min() < sizes.max() and (is_next | is_first[1:]).all()
    return bool(is_counted and _TIMES.isdisjoint(_words(name)))


def doubt_about_shared(dataset: Dataset, feature: int) -> str:
    """Return why a feature may say which samples belong together, or nothing."""
    if not keeps_together(dataset, feature):
        return ""
    n_values = _n_whole(dataset, feature)
    return (
        f"is named like an ID, and has {n_values:,} different values in {dataset.n_samples:,} "
        "samples: it may say only which samples belong together, such as those of one patient."
    )


def _are_panel(column: Floats, share: float = EQUAL) -> bool:
    """Whether nearly all values are equally frequent, as of people who are asked every year."""
    counts = np.unique(column[~np.isnan(column)], return_counts=True)[1]
    frequent = np.bincount(counts)
    usual = int(frequent.argmax())
    return usual > 1 and bool(frequent[usual] >= share * len(counts))


def ordered_time(dataset: Dataset, feature: int) -> str | None:
    """Return the name of a time that only grows, or only falls, with many different ones.

    It is a date, or a number that is named like a time and goes on in steps most of which are
    equal, as years do; durations in order do not. A date that is replaced by its parts is known by
    its days.
    """
    name = dataset.feature_names[feature]
    (date, _, part), is_date = name.rpartition("_"), holds_dates(dataset, feature)
    is_time = not _TIMES.isdisjoint(_words(name)) and not dataset.categorical[feature]
    if not (is_date or is_time or part == "days"):
        return None
    steps = np.diff(dataset.values[:, feature])
    steps = steps[steps != 0]
    if len(steps) < FEWEST_SAMPLES or not ((steps > 0).all() or (steps < 0).all()):
        return None
    if part in PARTS and {f"{date}_{one}" for one in PARTS} <= {*dataset.feature_names}:
        return date if part == "days" else None  # compared last: there may be very many names
    near, share = STEADY
    is_steady = np.isclose(steps, np.median(steps), rtol=near, atol=0).mean() >= share
    return name if is_date or (is_time and is_steady) else None


def may_follow_up(dataset: Dataset, feature: int) -> bool:
    """Whether a number is named like a time, as "futime", and the classes like an event in it.

    A plain "time" is suspected of any two classes.
    """
    if dataset.classes is None or dataset.categorical[feature]:
        return False
    name, of = dataset.feature_names[feature], {*_words(dataset.target_name)}
    words = _words(name)
    squeezed, target = (re.sub(r"\W|_", "", one).lower() for one in (name, dataset.target_name))
    if len(dataset.classes) == 2 and _UNTIL.fullmatch(squeezed):
        return True
    if target.startswith(squeezed) and target.removeprefix(squeezed) in _EVENTS | {"s", "stat"}:
        return True  # as "srv" of "srv.s"
    rest = {one for one in words if one.rstrip("s") not in _TIMES}
    is_pair = 0 < len(rest) < len(words) and rest == of - _EVENTS  # as "t.rfs" and "e.rfs"
    is_time = is_pair or bool(_FOLLOWED.search(squeezed))
    return is_time and (not _EVENTS.isdisjoint(of) or bool(_HAPPENED.search(target)))


def is_left_out_id(dataset: Dataset, feature: int) -> bool:
    """Whether a feature is an ID that is left out unless it is asked for."""
    return bool(doubt_about(dataset, feature) or keeps_together(dataset, feature))


def keeps_together(dataset: Dataset, feature: int) -> bool:
    """Whether a feature says which samples belong together.

    Several samples share a value. A number of people or animals ("patient_id") always does. A name
    alone ("subject", "id") does if it has at least five values that are whole numbers or have
    digits ("P07"), or 20 of any kind; any other ID ("shop_id") with 20; and a number or code of
    anything ("nr", "ISO_code") and households with 20 that are equally frequent. A "pid" of fewer
    than ten values with ten samples each or more may be a party.
    """
    name, column = dataset.feature_names[feature], dataset.values[:, feature]
    words = _words(name)
    is_of_people = _is_of_people(name)
    is_named = is_of_people or _says_id(name)
    may_be = words[-1:] and words[-1] in _OF_ANYTHING and not _TIMES.intersection(words)
    may_be = may_be or (len(words) == 1 and words[0] in _HOUSES)
    if not (is_named or may_be) or holds_dates(dataset, feature):
        return False
    if not dataset.categorical[feature] and _counts_within(column, name):
        return False
    n_values = _n_whole(dataset, feature)
    if not 1 < n_values < np.count_nonzero(~np.isnan(column)):
        return False
    if n_values >= FEWEST_VALUES:
        return is_named or _are_panel(column)
    is_alone = _is_alone(name)
    if not is_alone and name.lower() not in _IDS:
        return is_of_people
    if name.lower() == "pid" and n_values < FEWEST_PIDS <= len(column) / n_values:
        return False
    labels = dataset.categories and dataset.categories[feature]
    have_digits = not labels or all(any(map(str.isdigit, str(label))) for label in labels)
    return n_values >= FEWEST_IDS and have_digits


def has_many_labels(dataset: Dataset, feature: int) -> bool:
    """Whether a feature has a hundred labels or more, with few samples each on average."""
    n_labels = _n_whole(dataset, feature) if dataset.categorical[feature] else 0
    has_many = n_labels >= MANY_LABELS and dataset.n_samples <= MOST_EACH * n_labels
    return has_many and not holds_measurements(dataset, feature)


def may_keep_together(dataset: Dataset, feature: int) -> bool:
    """Whether every value of a feature has one target only, and 20 would have several by chance.

    So it is with patients who are ill or not at all of their visits. A number does not count if
    its ranges are the classes, or if the target rises and falls with it.
    """
    first, of_first = dataset.values[:FEWEST_VALUES, feature], dataset.target[:FEWEST_VALUES]
    is_same = first[:, np.newaxis] == first
    if (is_same & (of_first[:, np.newaxis] != of_first)).any():  # as of nearly all columns
        return False
    for rows in (slice(HEAD), slice(None)):
        column, target = dataset.values[rows, feature], dataset.target[rows]
        if not _are_whole(column):
            return False
        is_known = ~np.isnan(column)
        column, target = column[is_known], target[is_known]
        values, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
        of_value = np.empty(len(values), target.dtype)
        of_value[codes] = target
        if (of_value[codes] != target).any():
            return False
    shares = np.unique(target, return_counts=True)[1] / max(len(target), 1)
    sizes = zip(*np.unique(counts, return_counts=True), strict=True)
    n_mixed = sum(n * float((shares - shares**size).sum()) for size, n in sizes)
    changes = of_value[1:] != of_value[:-1]
    if dataset.classes is None:
        rises = of_value[1:] > of_value[:-1]
        changes = rises[1:] != rises[:-1]
    elif len(values) < 2 * len(shares):  # nearly the class itself
        return False
    n_changes = np.count_nonzero(changes)
    is_unordered = bool(dataset.categorical[feature]) or n_changes >= FEWEST_SAMPLES
    return bool(n_mixed >= FEWEST_VALUES and is_unordered)


def are_panel_in_turn(dataset: Dataset, feature: int) -> bool:
    """Whether samples of a value are in turn, for half of the values equally many."""
    is_panel = are_in_turn(dataset, feature)
    return is_panel and _are_panel(dataset.values[:, feature], IN_TURN)


def are_by_time(dataset: Dataset, feature: int) -> bool:
    """Whether nearly every one of 20 labels or more has a sample for each time, as states by year.

    A time is another column that is named like one. Numbers may be doses that were all tried.
    """
    column, n_samples = dataset.values[:, feature], dataset.n_samples
    is_label = dataset.categorical[feature] and not np.isnan(column).any()
    is_time = not _TIMES.isdisjoint(_words(dataset.feature_names[feature]))
    n_values = _n_whole(dataset, feature) if is_label and not is_time else 0
    if not FEWEST_VALUES <= n_values <= n_samples / 2:
        return False
    for other, name in enumerate(dataset.feature_names):
        if other == feature or _TIMES.isdisjoint(_words(name)):
            continue
        n_times = n_samples / n_values
        pairs = np.unique(dataset.values[:, [feature, other]], axis=0)
        is_full = np.unique(pairs[:, 1]).size <= n_times / NEARLY_ALL
        if is_full and len(pairs) == n_samples:
            return True
    return False


def are_in_turn(dataset: Dataset, feature: int) -> bool:
    """Whether samples of a value follow one another, as of people in turn.

    There are 20 values or more, and their samples have targets more alike than chance. Those of
    numbers next to each other are not alike, as they would be of a dose or of years in order.
    """
    starts = _starts_of_runs(dataset, feature)
    n_values, n_samples = len(starts), dataset.n_samples
    if not n_values:
        return False
    from scipy.sparse import coo_array  # slow to import, and few columns come here

    sizes = np.diff(starts, append=n_samples)
    if dataset.classes is None:
        values = dataset.target / np.abs(dataset.target).max()
        values, codes = values - values.mean(), np.zeros(n_samples, np.int64)
    else:  # shares of the classes, of which a value has few
        values, codes = np.ones(n_samples), dataset.target.astype(np.int64)
    of_value = np.repeat(np.arange(n_values), sizes)
    means = coo_array((values / sizes[of_value], (of_value, codes))).tocsr()
    squares = np.ravel(means.multiply(means).sum(axis=1))
    within = ((values**2).sum() - sizes @ squares) / (n_samples - n_values)
    middle = sizes @ means / n_samples
    apart = (sizes @ squares - n_samples * (middle @ middle)) / (n_values - 1)
    along = means[np.argsort(dataset.values[starts, feature])]
    steps = along[1:] - along[:-1]
    middle = np.ones(n_values) @ means / n_values
    is_unordered = dataset.categorical[feature] or (
        steps.multiply(steps).sum() / (n_values - 1) >= squares.mean() - middle @ middle
    )
    return bool(apart >= ALIKE * within and is_unordered)


def share_others(dataset: Dataset, feature: int) -> bool:
    """Whether samples of a value are the same in two other columns or more.

    So it is with the age and the sex of people who have several rows. Columns that rise or fall
    with the feature, or change rarely, as its ranges and indicators do, are computed from it.
    """
    head = dataset.values[:HEAD]
    few = _same_in_pairs(head, np.argsort(head[:, feature]), feature, most=FEWEST_VALUES)
    if len(few) < FEWEST_SHARED:  # as for nearly all columns
        return False
    order = np.argsort(dataset.values[:, feature], kind="stable")
    starts = _starts_of_runs(dataset, feature, order)
    if not len(starts):
        return False
    n_shared = 0
    for other in _same_in_pairs(dataset.values, order, feature, most=HEAD).tolist():
        stop_if_late()
        column = dataset.values[order, other]
        column = np.where(np.isnan(column), np.inf, column)
        along = np.minimum.reduceat(column, starts)
        if (along != np.maximum.reduceat(column, starts)).any():
            continue
        rises, falls = along[1:] > along[:-1], along[1:] < along[:-1]
        n_changes = np.count_nonzero(rises | falls)
        is_mixed = rises.any() and falls.any() and n_changes >= FEWEST_SAMPLES
        if is_mixed and dataset.categorical[other]:
            is_mixed = n_changes >= len(np.unique(along))
        n_shared += bool(is_mixed)
        if n_shared == FEWEST_SHARED:
            return True
    return False


def _same_in_pairs(values: Floats, order: Integers, feature: int, most: int) -> Integers:
    """Return the other columns that are equal in the first pairs of samples of the same value.

    If they are fewer than two, some of the pairs may differ.
    """
    column = values[order, feature]
    repeats = 1 + np.flatnonzero(column[1:] == column[:-1])[:most]
    first, n_seen = repeats[:1], 1
    others: Integers = np.flatnonzero(_are_same(values[order[first]], values[order[first - 1]]))
    others = others[others != feature]
    while n_seen < len(repeats) and len(others) >= FEWEST_SHARED:  # then few columns are left
        places = repeats[n_seen : 2 * n_seen]
        some, same = (values[order[at][:, np.newaxis], others] for at in (places, places - 1))
        others, n_seen = others[_are_same(some, same)], 2 * n_seen
    return others


def _are_same(some: Floats, others: Floats) -> Masks:
    """Return which columns are equal in all rows, gaps to gaps."""
    return np.asarray(((some == others) | (np.isnan(some) & np.isnan(others))).all(axis=0))


def _starts_of_runs(
    dataset: Dataset, feature: int, order: Integers | slice = slice(None)
) -> Integers:
    """Return where each value of a feature starts, if its samples follow one another in an order.

    Nothing if there are fewer than 20 values, or if they are dates, times or hardly repeated.
    """
    column = dataset.values[order, feature]
    starts = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    is_so = FEWEST_VALUES <= len(starts) <= len(column) / 2 and not np.isnan(column).any()
    is_so = is_so and _n_whole(dataset, feature) == len(starts)
    is_time = not _TIMES.isdisjoint(_words(dataset.feature_names[feature]))
    return starts if is_so and not is_time and not holds_dates(dataset, feature) else starts[:0]


@_kept
def says_identifier(name: str) -> bool:
    """Whether a name is that of an identifier, and not of a count or a measurement."""
    words = _words(name)
    if len(words) < 2:
        return bool(words) and (words[0] in _MARKS | _ALONE or _is_alone(name))
    if (words[-1] in _NUMBERS and words[-2] in _NUMBERED) or _is_of_people(name):
        return True
    return words[-1] in _MARKS and words[0] not in _COUNTS


def _says_id(name: str) -> bool:
    """Whether a name is that of an identifier, and says so: "shop_id" or "idno", not "row_nr"."""
    return says_identifier(name) and not _IDS.isdisjoint(_words(name)[-2:])


@_kept
def _is_of_people(name: str) -> bool:
    """Whether a name is that of people or animals, or of their number or name."""
    words = _words(name)
    if len(words) < 2:
        return _is_alone(name)
    return words[-1] == "pid" or (words[-1] in _NUMBERS | {"name"} and words[-2] in _PEOPLE)


def _is_alone(name: str) -> bool:
    """Whether a name is just that of people or animals, and not "subject 1"."""
    words = _WORD.findall(name)
    return len(words) == 1 and words[0].lower() in _NAMED


@_kept
def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, "townid" as two, without numbers at its end."""
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and words[-1].isdigit():
        words.pop()
    for ending in sorted(_NUMBERS) if words else ():
        if words[-1].endswith(ending) and words[-1].removesuffix(ending) in _NUMBERED:
            return (*words[:-1], words[-1].removesuffix(ending), ending)
    return tuple(words)


def _n_whole(dataset: Dataset, feature: int) -> int:
    """Return the number of values of a feature that has whole numbers or labels, 0 for others."""
    column = dataset.values[:, feature]
    return int(np.unique(column[~np.isnan(column)]).size) if _are_whole(column) else 0


def _are_whole(numbers: Floats) -> bool:
    return bool((np.isnan(numbers) | (numbers == np.floor(numbers))).all())
