"""A run in a separate process that waits to be killed: ``resumable.py LOG RESULT N_BYTES``."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzzyfrog.search import Checkpoint, ShuffledFrogs, run
from search.lookup import Lookup, plain, random_table


class Waiting(Lookup):
    """Scores nothing more once the log has some bytes."""

    def __init__(self, table, log, n_bytes):
        super().__init__(table)
        self.log, self.n_bytes = Path(log), n_bytes

    def score(self, masks, at_least=None):
        if self.log.stat().st_size >= self.n_bytes:
            time.sleep(3600)
        return super().score(masks, at_least)


def main(log, result, n_bytes):
    objective = Waiting(random_table(seed=1), log, float(n_bytes))
    checkpoint = Checkpoint(log, data="random table 1")
    outcome = run(ShuffledFrogs(), objective, objective.problem(), seed=3, checkpoint=checkpoint)
    Path(result).write_text(plain(outcome), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
