"""Parameters of objects and their checks, shared by all layers."""

from collections.abc import Iterable
from inspect import Parameter, signature
from math import inf
from numbers import Integral, Real
from typing import Any, Self, TypeGuard

from fuzzyfrog.common.messages import listed, shown
from fuzzyfrog.errors import ParameterError


class Parametrized:
    """An object whose parameters are the arguments of its constructor, kept as attributes.

    scikit-learn can clone it, look into it and set its parameters as those of an estimator, but
    it does not need scikit-learn, which is slow to import.
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Not used: parameters of parameters are left to scikit-learn.

        Returns
        -------
        dict
            The parameters.
        """
        return {name: getattr(self, name) for name in sorted(self._defaults())}

    def set_params(self, **params: Any) -> Self:
        """Set parameters.

        Parameters
        ----------
        **params : dict
            Names and values of parameters.

        Returns
        -------
        self : object
            The object itself.
        """
        known = self._defaults()
        for name, value in params.items():
            if name not in known:
                what = f"one of {listed(sorted(known))}" if known else "left out: there are none"
                raise ParameterError(
                    f"parameters of {type(self).__name__}", f"be {what}", shown(name)
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        if cls.__init__ is object.__init__:
            return {}
        _, *parameters = signature(cls.__init__).parameters.values()
        several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        return {one.name: one.default for one in parameters if one.kind not in several}


def is_index(value: object) -> TypeGuard[int]:
    """Whether a value is an integer, of Python or NumPy."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_count(name: str, value: object, *, least: int = 1) -> None:
    """Raise unless the value is an integer of at least `least`."""
    if not is_index(value) or value < least:
        raise ParameterError(name, f"be an integer of at least {least}", shown(value))


def check_share(name: str, value: object, *, zero: bool = True, hint: str = "") -> None:
    """Raise unless the value is a number from 0 (included or not) to 1."""
    is_share = _is_number(value) and 0 <= float(value) <= 1  # type: ignore[arg-type]
    if not is_share or (value == 0 and not zero):
        rule = "be a number from 0 to 1" if zero else "be a number above 0 and at most 1"
        raise ParameterError(name, rule, shown(value), hint)


def check_positive(name: str, value: object) -> None:
    """Raise unless the value is a finite number above 0."""
    if not _is_number(value) or not 0 < float(value) < inf:  # type: ignore[arg-type]
        raise ParameterError(name, "be a finite number above 0", shown(value))


def check_budget(max_evaluations: object, max_seconds: object) -> None:
    """Raise unless each is None or a number above 0, the first one an integer."""
    if max_evaluations is not None:
        check_count("max_evaluations", max_evaluations)
    is_positive = _is_number(max_seconds) and float(max_seconds) > 0  # type: ignore[arg-type]
    if max_seconds is not None and not is_positive:
        raise ParameterError(
            "max_seconds", "be a number above 0", repr(max_seconds), "None sets no limit."
        )


def check_known(name: str, value: object, known: Iterable[str]) -> None:
    """Raise unless the value is one of the known names; the message lists them."""
    names = list(known)
    if not isinstance(value, str) or value not in names:
        raise ParameterError(name, f"be one of {listed(names)}", shown(value))


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and type(value).__name__ not in ("bool", "bool_")
