"""An Oldham coupling: parallel shafts that are not in line turn alike; between them slides a disk with crossed slots."""

from dataclasses import dataclass

import numpy as np

import condyle as cd


@dataclass
class Oldham(cd.Joint):
    """Body b has the rotation of body a, and its point stays level with that of a along `axis`; it is free to slide across."""

    axis: tuple = (0.0, 0.0, 1.0)
    dimensions = (3,)

    @classmethod
    def example(cls):
        return cls("coupling", "a", "b")

    def compile(self, builder):
        self.stay_level(builder, self.on(builder, self.a, self.axis), "along")
        for i, e in enumerate(np.eye(3)):
            first, second = self.on(builder, self.a, e), self.on(builder, self.b, np.roll(e, 1))
            self.stay_square(builder, first, second, f"rotation {i + 1}")
