"""Numbers -> places in a picture, in percent of its width and height.

Lines are drawn in a picture that is stretched, and everything with a form or a text is placed
on top of it by CSS: so a picture fits any width and its text stays readable.
"""

from dataclasses import dataclass
from math import ceil, floor, log10

__all__ = ["Scale", "line", "nice_ticks", "steps"]


@dataclass(frozen=True)
class Scale:
    """Places of numbers along an axis.

    Attributes
    ----------
    lowest, highest : float
        The numbers at 0 and at 100 percent.
    is_log : bool
        Whether equal ratios, not differences, are equally far apart.
    """

    lowest: float
    highest: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Give the place of a number in percent."""
        low, high, here = self.lowest, self.highest, value
        if self.is_log:
            low, high, here = log10(low), log10(high), log10(max(value, low))
        share = 0.5 if high == low else (here - low) / (high - low)
        return round(100 * min(max(share, 0.0), 1.0), 3)


def nice_ticks(scale: Scale, most: int = 6, finest: float = 0.0) -> list[float]:
    """Give round numbers along an axis, at least `finest` apart."""
    if scale.is_log:
        powers = range(ceil(log10(scale.lowest)), floor(log10(scale.highest)) + 1)
        return [10.0**power for power in powers]
    width = scale.highest - scale.lowest
    if width <= 0:
        return [scale.lowest]
    rough = max(width / most, finest)
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = ceil(scale.lowest / step)
    last = floor(scale.highest / step + 1e-9)
    return [round(n * step, 10) for n in range(first, last + 1)]


def line(points: list[tuple[float, float]]) -> str:
    """Give the path through points, with 0 at the bottom as in every chart."""
    return "M" + "L".join(f"{x:g} {100 - y:g}" for x, y in points)


def steps(points: list[tuple[float, float]]) -> str:
    """Give the path of a value that stays until it changes."""
    x, y = points[0]
    path = [f"M{x:g} {100 - y:g}"]
    path += [f"H{x:g}V{100 - y:g}" for x, y in points[1:]]
    return "".join(path)
