"""Quantities as people write them, ``4 mm`` or ``20 deg``, in the unit that a parameter has.

The units are those of Pint, which is imported when a text has a unit.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Any

from condyle.errors import InputError

__all__ = ["apart", "decimal", "number_in", "split_unit", "times"]

_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*\Z", re.DOTALL)

_TOGETHER = re.compile(r"\b(?:([kMmµ]?N)(m|mm|cm)(s?)|([kMmµ]?N)(s)|([kMGm]?Pa)(s))(?![A-Za-z0-9_])")


def split_unit(text: str) -> tuple[float, str]:
    """``"4 mm"`` as its number and its unit, which is empty where none is written.

    >>> split_unit("1.5e-3 N/m")
    (0.0015, 'N/m')
    """
    match = _NUMBER.match(text)
    if match is None:
        raise InputError(f"{text.strip()!r} is no number with a unit, such as 4 mm or 2.5e3")
    return float(match[1]), match[2]


def number_in(text: str, unit: str, where: str) -> float:
    """A text such as ``4 mm`` as a number in `unit`; without a unit it is in `unit` already.

    Parameters
    ----------
    text : a number, with or without a unit
    unit : SI symbol of the parameter, ``m`` or ``N s/m``; empty for pure numbers
    where : what the message of an error begins with, ``parameter 'thickness'``
    """
    try:
        number, written = split_unit(text)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return times(number, decimal(found := factor(written, unit, where)), found) if written else number


def decimal(number: float) -> Fraction | None:
    """A number of few decimal digits as that fraction, 1/1000 of 0.001; None of others, such as that of degrees.

    >>> decimal(0.001), decimal(0.017453292519943295)
    (Fraction(1, 1000), None)
    """
    text = f"{number:.8g}"
    return Fraction(text) if 1e-99 < abs(number) < 1e99 and float(text) == number else None


def times(number: float, exact: Fraction | None, otherwise: float) -> float:
    """A number times a unit, rounded once: 3.1 mm is 0.0031, as in Python, and not 3.1 times what a float is near 1/1000.

    exact: the unit, or None, where the product with the float `otherwise` has to do.
    """
    if exact is None or not 1e-99 < abs(number) < 1e99:
        return number * otherwise
    return float(Fraction(repr(float(number))) * exact)


def factor(written: str, unit: str, where: str) -> float:
    """How many of `unit` one of the written unit is: 1e-3 for ``mm`` in ``m``."""
    import pint

    try:
        wanted = _registry().parse_units(unit) if unit else _registry().dimensionless
    except Exception:  # a symbol with a letter as its exponent, N/mⁿ: Pint raises errors of many kinds
        raise InputError(
            f"{where}: write the number alone, in {unit}, which other units cannot be turned into"
        ) from None
    try:
        quantity = _registry().Quantity(1.0, _registry().parse_units(written))
        return float(quantity.to(wanted).magnitude)
    except pint.DimensionalityError:
        kind = f"in {unit} or the like" if unit else "a pure number"
        raise InputError(f"{where}: {written!r} is a unit of another dimension; it is {kind}") from None
    except Exception:
        raise InputError(f"{where}: there is no unit {written!r}; write it as in mm, MPa, N/mm or deg") from None


@cache
def base(written: str, where: str) -> tuple[float, tuple[tuple[str, float], ...]]:
    """A unit as a factor to SI base units, and its dimension as powers by name; angles have none."""
    try:
        one = _registry().Quantity(1.0, _registry().parse_units(written)).to_base_units()
        if _registry().Quantity(0.0, _registry().parse_units(written)).to_base_units().magnitude:
            raise ValueError("it does not begin at zero")  # °C: what is twice as much?
        powers = tuple(sorted((name, float(power)) for name, power in one.dimensionality.items()))
        return float(one.magnitude), powers
    except Exception:  # Pint raises errors of many kinds
        raise InputError(f"{where}: there is no unit {written!r}; write it as in mm, MPa, N/mm or deg") from None


@cache
def angle_power(written: str) -> float:
    """The power of an angle in a unit that `base` knows: 1 of deg and rad/s, -1 of N m/rad, 0 of mm."""
    one = _registry().Quantity(1.0, _registry().parse_units(written)).to_base_units()
    return float(dict(one.unit_items()).get("radian", 0))


def apart(symbol: str) -> list[str]:
    """Units that people write as one word, as Nm, kNm, Ns and Pas, one by one. (Pint takes Nm for a unit of yarn, Ns for N.)

    >>> apart("Nms"), apart("mm")
    (['N', 'm', 's'], ['mm'])
    """
    match = _TOGETHER.fullmatch(symbol)
    return [part for part in match.groups() if part] if match else [symbol]


@cache
def _registry() -> Any:
    import pint

    def pulled_apart(text: str) -> str:
        return _TOGETHER.sub(lambda match: "*".join(apart(match[0])), text)

    return pint.UnitRegistry(autoconvert_offset_to_baseunit=True, preprocessors=[pulled_apart])
