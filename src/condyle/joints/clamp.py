"""Clamps of cables, beams and plates: a point and its gradients, all of them or their directions only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.capabilities import Graded, able
from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.joint import Joint
from condyle.laws.section_frames import polar_frame
from condyle.model.point import Point
from condyle.model.quantities import choice, declared
from condyle.system.coordinate import Term, slide

if TYPE_CHECKING:
    from condyle.system.builder import Builder


@declared
class Clamp(Joint):
    """A point of an ANCF body (a) is clamped to another body (b), such as a rigid body or the ground.

    If a is a set, such as plate.point("left"), every node of it is clamped.

    hold: 'direction' keeps the directions of the tangents (a section may stretch and shrink); 'gradient' keeps the
    gradients themselves, so that the section is rigid there (of a Beam it always is); 'rotation' keeps the rotation R of
    the gradients F = R U (polar decomposition), so that the section may stretch and shear every way, and b turns with
    its angular velocity (bodies with as many gradients as dimensions). To clamp without equations, use a Tie.
    """

    hold: str = choice("direction", "gradient", "rotation", default="direction")

    def __post_init__(self) -> None:
        super().__post_init__()

    def compile(self, builder: Builder) -> None:
        """One vector constraint for the point; then per gradient a vector, or scalar products with directions of b."""
        anchor: Any = able(builder.anchor(self.a.body, self), Graded, self.a.body, self.label, "use Fixed")
        group = anchor.nodes(self.a, self)
        if len(group) > 1:
            for node in group:
                place = anchor.mesh.placed[node, 0].tolist()
                one = replace(self, a=Point(self.a.body, node), b=Point(self.b.body, tuple(place), "world"))
                one._hold_point(builder, anchor)
            return
        self._hold_point(builder, anchor)

    def _hold_point(self, builder: Builder, anchor: Any) -> None:
        self.meet(builder)
        if self.hold == "rotation" and not anchor.rigid_sections:
            self._hold_rotation(builder, anchor)
            return
        gradients, values = anchor.section_gradients(self.a, self)
        if self.hold == "gradient" and not anchor.rigid_sections:
            for k, (own, value) in enumerate(zip(gradients, values, strict=True)):
                follows = self.on(builder, self.b, value)
                builder.add_link(self.name, own - follows, *held(self.enforcement, self), component=f"gradient {k + 1}")
            return
        # The first gradient keeps its direction: square to d − 1 directions of b; the second its side of it.
        across = _across(values, builder.d)
        pairs = [(0, c) for c in range(builder.d - 1)]
        if builder.d == 3 and len(gradients) > 1:
            pairs.append((1, 1))
        for number, (k, c) in enumerate(pairs):
            other = self.on(builder, self.b, across[c])
            self.stay_square(builder, gradients[k], other, f"direction {number + 1}")

    def _hold_rotation(self, builder: Builder, anchor: Any) -> None:
        """e_i·r_j = e_j·r_i for the axes e of b that are R at the start: RᵀF is symmetric, hence R the rotation of F.

        Its rate is ω_b = ω_a, ω_a = (tr V 1 − V)⁻¹ Σ e_k × ṙ_k with V = F Rᵀ (romero-2009), held at the level of places.
        """
        gradients, values = anchor.gradients(self.a, self)
        d = builder.d
        if len(gradients) != d:
            raise InputError(
                f"{self.label}: '{self.a.body}' has {len(gradients)} gradients at a point, of which no rotation follows; "
                "hold 'direction' or 'gradient'"
            )
        axes = [self.on(builder, self.b, axis) for axis in polar_frame(values)]
        for i in range(d):
            for j in range(i + 1, d):
                terms = [Term(slide(axes[i], gradients[j])), Term(slide(axes[j], gradients[i]), -1.0)]
                name = f"rotation {4 - i - j}" if d == 3 else "rotation"  # about axis 1, 2 or 3
                builder.add_coordinate_constraint(self.name, terms, 0.0, *held(self.enforcement, self), name)


def _across(values: np.ndarray, d: int) -> np.ndarray:
    """Directions square to the first gradient; the last is square to the second one, too."""
    t = values[0] / np.linalg.norm(values[0])
    if d == 2:
        return np.array([[-t[1], t[0]]])
    near = values[1] if len(values) > 1 else np.eye(3)[int(np.argmin(np.abs(t)))]
    first = near - (near @ t) * t
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(t, first)])
