"""A wheel with a round tyre: all points within the radius of its tube of a flat disk."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import condyle as cd
from condyle.contact.surface import from_vector, half_plane, revolved


@dataclass
class Tyre(cd.Surface):
    """disk, tube: radii [m] of the flat disk and of the tube round its rim; axis: of the wheel, through the origin."""

    disk: float
    tube: float
    axis: Any = (0.0, 0.0, 1.0)
    dimensions = (3,)

    def distance(self, points):
        axis = np.asarray(self.axis) / np.linalg.norm(self.axis)
        place, radius, radial = half_plane(points, np.zeros(3), axis)
        over = radius < self.disk  # above the flat of the disk, where the surface does not bend
        away = np.column_stack((np.where(over, 0.0, radius - self.disk), place[:, 1]))
        return revolved(from_vector(away, self.tube, np.outer(over, (1.0, 0.0))), radius, radial, axis)
