"""Numbers in sentences."""

__all__ = ["count", "percent"]


def count(number: int, thing: str, plural: str | None = None) -> str:
    """Give a number with its noun, as in "1 reduct" and "2,000 reducts"."""
    return f"{number:,} {thing if number == 1 else plural or f'{thing}s'}"


def percent(share: float) -> str:
    """Give a share in percent; 100 and 0 only for all and none."""
    if share in (0.0, 1.0):
        return f"{share:.0%}"
    return f"{min(max(share, 0.001), 0.999):.1%}"
