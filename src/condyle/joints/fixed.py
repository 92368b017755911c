"""Bodies that stay together completely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from condyle.joints.joint import Joint

if TYPE_CHECKING:
    from condyle.system.builder import Builder


@dataclass
class Fixed(Joint):
    """Points stay together and directions keep their angles: v1^(a)·v2^(b), v2^(a)·v3^(b), v3^(a)·v1^(b)."""

    def compile(self, builder: Builder) -> None:
        """One vector and one (2D) or three (3D) scalar constraints."""
        self.meet(builder)
        e = np.eye(builder.d)
        for i in range(1 if builder.d == 2 else 3):
            j = (i + 1) % builder.d
            self.stay_square(
                builder, self.on(builder, self.a, e[i]), self.on(builder, self.b, e[j]), f"rotation {i + 1}"
            )


@dataclass
class Weld(Fixed):
    """The fixed joint of 2D models."""

    dimensions = (2,)
    elsewhere = "Fixed"
