"""Time competitors side by side: one process, interleaved, best of several, answers checked first.

A competitor is a pair of functions. The first prepares what may be prepared once per data set and
is not timed; it runs again before every lap, so that nothing remembered from an earlier lap helps.
The second takes what the first gave, is timed, and returns dependencies.
"""

import os
import platform
from dataclasses import dataclass
from time import perf_counter, process_time

import numpy as np

SLOW = 1.0  # seconds; one lap of this length is enough


@dataclass(frozen=True)
class Lap:
    """Wall time and CPU time in seconds, summed over threads."""

    wall: float
    cpu: float

    def times(self, factor):
        """Return the lap of a share, or of a multiple, of the work."""
        return Lap(self.wall * factor, self.cpu * factor)


def machine():
    """Return one line about where the numbers come from."""
    return f"{platform.processor() or platform.machine()}, {os.cpu_count()} CPUs, " + (
        f"Python {platform.python_version()}, NumPy {np.__version__}"
    )


def one_lap(prepare, run):
    """Return the answer and the time of one run."""
    ready = prepare()
    wall, cpu = perf_counter(), process_time()
    answer = run(ready)
    return answer, Lap(perf_counter() - wall, process_time() - cpu)


def race(competitors, laps=5):
    """Return the best lap of each competitor, after checking that all answer the same.

    Parameters
    ----------
    competitors : dict of str to (prepare, run)
        The first one is the reference of the check.
    laps : int
        Laps of each; a competitor whose warm-up took over a second gets only that.
    """
    answers, best = {}, {}
    for name, (prepare, run) in competitors.items():
        answers[name], best[name] = one_lap(prepare, run)
    agree(answers)
    slow = {name for name, lap in best.items() if lap.wall > SLOW}
    best = {name: lap for name, lap in best.items() if name in slow}  # warm-ups may compile
    for _ in range(laps):
        for name, (prepare, run) in competitors.items():
            if name not in slow:
                _, lap = one_lap(prepare, run)
                best[name] = min(best.get(name, lap), lap, key=lambda each: each.wall)
    return {name: best[name] for name in competitors}


def agree(answers):
    """Stop when competitors disagree: the times of wrong answers mean nothing."""
    reference, *_ = answers
    for name, answer in answers.items():
        worst = np.max(np.abs(np.subtract(answer, answers[reference])))
        if not worst <= 1e-9:
            raise SystemExit(f"{name} and {reference} differ by {worst}; nothing was timed.")


def seconds(value):
    """Return a time with three digits and its unit."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * scale >= 1:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def lap_text(lap):
    """Return wall and CPU time of a lap."""
    return f"{seconds(lap.wall)} / {seconds(lap.cpu)}"


def ratio_text(lap, ours):
    """Return how many times longer a lap took on the wall than ours, and its time."""
    return f"**{lap.wall / ours.wall:.3g}×** ({seconds(lap.wall)})"


def print_row(*cells):
    """Print one row of a Markdown table, at once."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def print_head(*names):
    """Print the head of a Markdown table."""
    print_row(*names)
    print_row(*("---" for _ in names))
