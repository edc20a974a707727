"""What fuzzyfrog raises when it cannot go on."""

__all__ = ["DataError"]


class DataError(ValueError):
    """The data cannot be used as it is; the message says what is wrong and the way out."""
