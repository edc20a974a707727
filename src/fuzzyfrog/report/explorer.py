"""What the page needs to sort and filter the subsets: small, and free of markup."""

from itertools import takewhile
from typing import Any

from fuzzyfrog.records import FeatureSet, Run
from fuzzyfrog.records.statements import alike, are_equal
from fuzzyfrog.report.text import gamma, room, short

__all__ = ["explorer"]

MAX_MEMBERS = 150_000  # of all reducts together: about 800 kB of the page
MAX_CHARACTERS = 60_000  # of all names together; some take six bytes a character
LONGEST = 600
MAX_LISTED = 12  # reducts in the table for those who run no scripts
MAX_LISTED_CHARACTERS = 20_000  # of the names in it


def explorer(run: Run) -> dict[str, Any]:
    """Return the reducts, as positions in a list of the features that they have."""
    kept = _affordable(run.reducts)
    used = sorted({feature for one in kept for feature in one.features})
    place = {feature: at for at, feature in enumerate(used)}
    most = room(len(used), MAX_CHARACTERS, LONGEST)
    n_listed = sum(one.size for one in kept[:MAX_LISTED])
    most_listed = room(n_listed, MAX_LISTED_CHARACTERS, 80)
    return {
        "title": _title(run),
        "page": {
            "names": [short(name, most) for name in run.names(used)],
            "core": [place[feature] for feature in run.core or () if feature in place],
            "reducts": [[place[feature] for feature in one.features] for one in kept],
            "gammas": [gamma(one.dependency) for one in kept],
            "minimal": [bool(one.minimal) for one in kept],
            "chosen": next(
                (at for at, one in enumerate(kept) if one.features == run.selected), None
            ),
        },
        "listed": [
            {"number": at + 1,
             "names": [short(name, most_listed) for name in run.names(one.features)],
             "size": one.size, "gamma": gamma(one.dependency)}
            for at, one in enumerate(kept[:MAX_LISTED])
        ],
        "n_kept": len(kept),
        "n_left_out": run.n_reducts - len(kept),
    }  # fmt: skip


def _title(run: Run) -> str:
    if run.n_reducts > 1:
        return f"{run.n_reducts:,} {alike(run)}"
    is_proven = run.certificate is not None and run.certificate.all_listed
    verb = "is" if is_proven or run.is_core_alone else "was"
    return f"No other subset {verb} {'as good' if are_equal(run) else 'enough'}"


def _affordable(reducts: tuple[FeatureSet, ...]) -> list[FeatureSet]:
    """Return the first reducts that fit into a page, one at least."""
    total = 0

    def fits(one: FeatureSet) -> bool:
        nonlocal total
        total += one.size
        return total <= MAX_MEMBERS

    return list(takewhile(fits, reducts)) or list(reducts[:1])
