"""A run in a separate process, slow enough to be killed: ``resumable.py LOG RESULT DELAY``."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzzyfrog.search import Checkpoint, ShuffledFrogs, run
from search.lookup import Lookup, plain, random_table


class Slow(Lookup):
    def __init__(self, table, delay):
        super().__init__(table)
        self.delay = delay

    def score(self, masks, at_least=None):
        scores = super().score(masks, at_least)
        time.sleep(self.delay)
        return scores


def main(log, result, delay):
    objective = Slow(random_table(seed=1), float(delay))
    checkpoint = Checkpoint(log, data="random table 1")
    outcome = run(ShuffledFrogs(), objective, objective.problem(), seed=3, checkpoint=checkpoint)
    Path(result).write_text(plain(outcome), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
