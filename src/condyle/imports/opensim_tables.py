"""Muscles of OpenSim files whose curves are tables: the curves of Millard's muscle that come nearest to them.

The tables of Schutte's and Delp's muscles differ from model to model. Millard's curves have enough parameters to follow them:
ends, slopes and bends. Those of each curve are found by least squares, up to F0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.imports.opensim_functions import Function
from condyle.laws.muscles import active_at, passive_at, tendon_at
from condyle.muscles import MillardShape, Muscle

__all__ = ["Fit", "fitted"]

Array = NDArray[np.float64]
POINTS = 60  # at which a table is compared
STRAINS = ("passive_strain", "tendon_strain")  # fields of the muscle, not of its shape
ITERATIONS = 400


class Fit(NamedTuple):
    """Options of a `Muscle`, and by how much of F0 each of its curves misses the table at most."""

    options: dict[str, Any]
    misses: dict[str, float]


class _Curve(NamedTuple):
    """One of the curves: its force where its table has a place, the range to compare, its fields and a first guess."""

    at: Callable[[float, Array], float]
    span: Callable[[Function], tuple[float, float]]
    fields: tuple[str, ...]
    guess: Callable[[Function], tuple[float, ...]]


def fitted(active: Function | None, passive: Function | None, tendon: Function | None) -> Fit:
    """The curves nearest to the tables, over length (strain of the tendon) and F0; without a table, the published ones."""
    return _fitted(active, passive, tendon)


@cache  # most muscles of a file have the same tables
def _fitted(*tables: Function | None) -> Fit:
    values: dict[str, float] = {}
    misses = {}
    for (name, curve), table in zip(CURVES.items(), tables, strict=True):
        if table is not None and table.x:
            found, misses[name] = _nearest(curve, table)
            values |= found
    return Fit(_options(values), misses)


def _options(values: dict[str, float]) -> dict[str, Any]:
    shape = {name: value for name, value in values.items() if name not in STRAINS}
    strains = {name: value for name, value in values.items() if name in STRAINS}
    return {"curves": "millard", **strains, "shape": MillardShape(**shape) if shape else None}


def _nearest(curve: _Curve, table: Function) -> tuple[dict[str, float], float]:
    """Values of the fields, and the largest difference."""
    from scipy.optimize import minimize

    first, last = np.clip(curve.span(table), table.x[0], table.x[-1]).tolist()
    x = np.linspace(first, last, POINTS)
    wanted = np.clip([table(v) for v in x], 0.0, 1.0)

    def difference(values: Array) -> Array:
        try:
            options = _options(dict(zip(curve.fields, map(float, values), strict=True)))
            p = np.array(Muscle("m", ["a", "b"], 1.0, 1.0, 1.0, **options).parameters())
        except InputError:  # no such curve
            return np.full(POINTS, 10.0)
        return np.minimum([curve.at(v, p) for v in x], 1.0) - wanted

    def misfit(values: Array) -> float:
        return float(np.sum(difference(values) ** 2))

    limits: Any = {"maxfev": ITERATIONS, "xatol": 1e-3, "fatol": 1e-6}
    found = minimize(misfit, np.array(curve.guess(table)), method="Nelder-Mead", options=limits).x
    return dict(zip(curve.fields, map(float, found), strict=True)), float(np.abs(difference(found)).max())


def _reaches(table: Function, level: float) -> float:
    """Where a table first comes to a level; its last place if it does not."""
    y = np.array(table.y)
    k = int(np.argmax(y >= level)) if (y >= level).any() else len(y) - 1
    if k == 0 or y[k] <= y[k - 1]:
        return float(table.x[k])
    return float(np.interp(level, y[k - 1 : k + 1], table.x[k - 1 : k + 1]))


def _ends(table: Function) -> tuple[float, float]:
    """Between which places an active curve has force."""
    inside = np.flatnonzero(np.array(table.y) > 1e-3)
    return table.x[max(inside[0] - 1, 0)], table.x[min(inside[-1] + 1, len(table.x) - 1)]


def _active_guess(table: Function) -> tuple[float, ...]:
    low, high = _ends(table)
    return max(low, 0.1), min(0.5 * (low + 1.0), 0.9), max(high, 1.2), 0.8


def _passive_guess(table: Function) -> tuple[float, ...]:
    slack, full = _reaches(table, 0.02) - 1.0, _reaches(table, 1.0) - 1.0
    return full, 0.7 * slack, 2.5 / max(full - slack, 1e-3), 0.75


def _tendon_guess(table: Function) -> tuple[float, ...]:
    full = _reaches(table, 1.0)
    steep = 0.8 / max(full - _reaches(table, 0.2), 1e-6)
    return full, 0.3, max(steep, 1.1 / full), 0.5


CURVES = {
    "active": _Curve(
        lambda x, p: float(active_at(x, p)[0]), lambda table: (_ends(table)[0] - 0.1, _ends(table)[1] + 0.2),
        ("active_shortest", "active_turn", "active_longest", "active_slope"), _active_guess,
    ),
    "passive": _Curve(
        lambda x, p: float(passive_at(x, p)[0]), lambda table: (0.9, _reaches(table, 1.0) + 0.05),
        ("passive_strain", "passive_slack", "passive_stiffness", "passive_bend"), _passive_guess,
    ),
    "tendon": _Curve(
        lambda x, p: float(tendon_at(1.0 + x, 0.0, p)[0]), lambda table: (0.0, 1.1 * _reaches(table, 1.0)),
        ("tendon_strain", "tendon_toe", "tendon_stiffness", "tendon_bend"), _tendon_guess,
    ),
}  # fmt: skip
