"""Arrays that `numpy.save` wrote: ``python fuzz SECONDS npy_tables``."""

import io

import atheris
import numpy as np

with atheris.instrument_imports(include=["fuzzyfrog", "numpy.lib.format"]):
    from harness import run
    from tables import reader

    from fuzzyfrog.errors import DataError


def saved(array: np.ndarray) -> bytes:
    """Return the file of an array."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


CELLS = np.array([[1.5, 0.0, 7.0], [2.5, 1.0, np.nan], [3.5, 0.0, 9.0]])
SEEDS = (
    saved(CELLS),
    saved(np.asfortranarray(CELLS)),
    saved(np.arange(6, dtype=">i2").reshape(3, 2)),
    saved(np.eye(3, dtype=bool)),
)

if __name__ == "__main__":
    run(reader("x.npy", target="x1"), SEEDS, (DataError,))
