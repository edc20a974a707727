"""The t-norms: how the similarities of two samples on single features are joined.

All that one t-norm has and another has not is here, without slow imports, because the command line
lists their names. To add one: its name and code, then `both`, `N_ROUNDINGS` and `generator`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TNorm = Literal["lukasiewicz", "minimum", "product"]

# How the kernels know them. The first two join distances: their sum, or the largest. PRODUCT and
# all codes above it join similarities (1 - distance) by `both`. Filters and trees treat these as
# the largest distance, since no t-norm exceeds the minimum of the similarities.
SUM, LARGEST, PRODUCT = 0, 1, 2
CODES: dict[TNorm, int] = {"lukasiewicz": SUM, "minimum": LARGEST, "product": PRODUCT}

# How often `both` rounds. It must not enlarge errors: |both(a, b) - both(c, b)| <= |a - c|.
N_ROUNDINGS = {PRODUCT: 1}


def both(first: Any, second: Any, code: int) -> Any:
    """Return the similarity on two parts of the features together, of numbers or of arrays.

    Kernels compile this function, so it may use operators alone, nothing of NumPy. NumPy's arrays
    come here, too, and both round alike as long as it adds nothing to a product: compilers may
    round such a pair of operations once. However it rounds, the result must not exceed either part,
    and a part of 1 must change nothing: the filter relies on that (docs/theory.md#grid). Nor may it
    fall where `first` rises, or a feature could lower a score (docs/theory.md#monotonicity).
    Similarities may be 0, both of them, too.
    """
    return first * second


def generator(similarity: NDArray[np.float64], code: int) -> NDArray[np.float64]:
    """Return the additive generator: joined similarities have the sum of those of their parts.

    It falls to 0 for a similarity of 1. Proofs need it, because it makes a t-norm linear in the
    features (docs/theory.md#requirements).
    """
    import numpy as np

    return np.asarray(-np.log(similarity))
