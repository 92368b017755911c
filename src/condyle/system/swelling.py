"""Stress-free shapes that change with time: swelling, heat.

A shape that is s times as large has the gathered vectors y/s and the volume s³ of the one its weights were made for, so
weights and measures of its laws are written anew for every step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.system.contributions import Instance
from condyle.system.tables import LawTable

Array = NDArray[np.float64]


class Swelling:
    """The laws of swelling bodies in the table of energies of a run, by their function of time.

    declared: the same table of the system itself, with weights and measures as they were made.
    """

    def __init__(self, table: LawTable, declared: LawTable, instances: list[Instance]) -> None:
        self.table = table
        places: dict[int, tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]] = {}
        self.part: dict[int, str] = {}
        self.at_end: dict[int, bool] = {}
        for i, instance in enumerate(instances):
            if instance.swelling < 0:
                continue
            weights, measures = places.setdefault(instance.swelling, ([], []))
            self.part[instance.swelling] = instance.part
            self.at_end[instance.swelling] = bool(table.at_end[i])
            first, last = table.point_start[i], table.point_start[i + 1]
            ny = int(table.vectors[i])
            nr = int(table.row_start[i + 1] - table.row_start[i])
            moving = (3 if ny == 4 else ny) * nr  # the fourth vector is the fixed direction across
            weights.append((table.weight_start[first:last][:, None] + np.arange(moving, dtype=np.int64)).ravel())
            measures.append(np.arange(first, last, dtype=np.int64))
        self.groups = {}
        for function, (weights, measures) in places.items():
            w, m = np.concatenate(weights), np.concatenate(measures)
            self.groups[function] = (w, declared.weights[w], m, declared.measure[m])

    def __bool__(self) -> bool:
        return bool(self.groups)

    def put(self, stretches: Array) -> None:
        """Write the stretches (values of all functions of time) into the table."""
        for function, (w, weights, m, measures) in self.groups.items():
            s = float(stretches[function])
            if not (np.isfinite(s) and s > 0.0):
                raise InputError(f"the natural_stretch of '{self.part[function]}' became {s:g}; it must stay positive")
            self.table.weights[w] = weights / s
            self.table.measure[m] = measures * s**3
