"""Shooting: the start of a motion from where it has to end, by Newton's method on whole runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.dynamics import simulate
from condyle.errors import ConvergenceError, InputError
from condyle.joints.initial import Initial
from condyle.model.model import Model
from condyle.system.coordinate import split

if TYPE_CHECKING:
    from condyle.model.given import Option
    from condyle.results.result import Result

Array = NDArray[np.float64]


class Shot(NamedTuple):
    """What shooting found: rates by the name of their Initial, the run with them, what it misses, and runs needed."""

    rates: dict[str, float]
    result: Result
    miss: dict[str, float]
    runs: int


def shoot(
    model: Model,
    rates: Mapping[str, float],
    aims: Mapping[str, float],
    *,
    end: float,
    dt: float,
    tolerance: float = 1e-9,
    iterations: int = 30,
    **options: Option,
) -> Shot:
    """Rates at the start with which joint coordinates reach given values at the end.

    rates: name of an `Initial` of the model -> first guess of its rate [rad/s or m/s]; aims: coordinate -> value at `end`
    [rad or m], as many as rates; tolerance of each [rad or m]. options: of `simulate`.

    Newton's method with differences; a step that does not bring the end nearer is shortened. If there is no solution,
    ConvergenceError names the coordinate that misses most, and its `result` is the `Shot` that came nearest.
    """
    _check(model, rates, aims)
    names, runs = list(rates), 0

    def fire(values: Array) -> tuple[Array, Result]:
        nonlocal runs
        runs += 1
        for name, value in zip(names, values, strict=True):
            model[name].rate = float(value)
        result = simulate(model, end=end, dt=dt, **options)
        return np.array([result.coordinate(c)[-1] - aim for c, aim in aims.items()]), result

    def shot(values: Array, miss: Array, result: Result) -> Shot:
        return Shot(
            dict(zip(names, values.tolist(), strict=True)), result, dict(zip(aims, miss.tolist(), strict=True)), runs
        )

    before = {name: model[name].rate for name in names}
    try:
        values = np.array(list(rates.values()), dtype=float)
        miss, result = fire(values)
        for _ in range(iterations):
            if (np.abs(miss) <= tolerance).all():
                return shot(values, miss, result)
            J = np.empty((len(aims), len(names)))
            for k in range(len(names)):
                step = 1e-5 * max(1.0, abs(values[k]))
                ahead, behind = (fire(values + sign * step * np.eye(len(names))[k])[0] for sign in (1.0, -1.0))
                J[:, k] = (ahead - behind) / (2.0 * step)
            move = np.linalg.lstsq(J, -miss, rcond=1e-12)[0]
            factor = 1.0
            while factor > 1e-3:
                try:
                    there, run = fire(values + factor * move)
                except ConvergenceError:  # a start so wild that it cannot be run is no better
                    there, run = np.full(len(aims), np.inf), result
                if np.linalg.norm(there) < (1.0 - 1e-4 * factor) * np.linalg.norm(miss):
                    break
                factor *= 0.5
            else:
                break
            values, miss, result = values + factor * move, there, run
        worst = list(aims)[int(np.argmax(np.abs(miss)))]
        best = shot(values, miss, result)
        found = ", ".join(f"{name} = {value:.6g}" for name, value in best.rates.items())
        raise ConvergenceError(
            f"shooting found no start of '{model.name}' that ends as wanted: at best '{worst}' misses its aim by "
            f"{best.miss[worst]:.4g} with {found}; try another guess or another end",
            result=best, time=end, part=worst,
        )  # fmt: skip
    finally:
        for name, rate in before.items():
            model[name].rate = rate


def _check(model: Model, rates: Mapping[str, float], aims: Mapping[str, float]) -> None:
    if not rates or len(rates) != len(aims):
        raise InputError(
            f"shoot: give as many aims as rates, at least one; there are {len(rates)} rates, {len(aims)} aims"
        )
    for name in rates:
        part = model.get(name)
        if not isinstance(part, Initial):
            raise InputError(
                f"shoot: '{name}' is no Initial of the model; add cd.Initial('{name}', coordinate, rate=0.0)"
            )
        for coordinate in aims:
            split(model, coordinate, part)
    for name, number in {**rates, **aims}.items():
        if not np.isfinite(number):
            raise InputError(f"shoot: the value of '{name}' must be finite, not {number}")
