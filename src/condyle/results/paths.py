"""Lengths, forces and powers of paths over a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.muscles.reading import PathReader, path_values, with_path

if TYPE_CHECKING:
    from condyle.results.result import Result

Array = NDArray[np.float64]


def path_history(result: Result, part: object) -> dict[str, Array]:
    """What a muscle, ligament or actuator on a path does over a run, by name, each of shape (frames,); see `path_values`."""
    found = with_path(result.model, part)
    length, rate = _lengths(PathReader(found.terms(result.system.points)), result)
    function = getattr(found, "excitation", getattr(found, "scale", None))
    driven = np.array([function(t) for t in result.times]) if function is not None else np.zeros(len(length))
    turns = result._store.array("turns")[result._frames]
    return path_values(found, result.system, length, rate, driven, turns)


def _lengths(reader: PathReader, result: Result) -> tuple[Array, Array]:
    """Length [m] and rate [m/s] of a path in all frames of a result, shape (frames,) each."""
    y, ydot = (np.stack([result._history(name, w) for w in reader.vectors], axis=1) for name in ("x", "v"))
    length, rate = np.zeros(len(y)), np.zeros(len(y))
    for k in range(len(y)):  # also the frames before a slice, because angles are followed from the start
        length[k], gradient = reader.of(y[k])
        rate[k] = np.sum(gradient * ydot[k])
    return length[result._frames], rate[result._frames]
