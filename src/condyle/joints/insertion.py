"""Insertions of ligaments and tendons: how much of a section is held where it grows into the bone (gantoi-2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.capabilities import Graded, able
from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.joint import Joint
from condyle.laws.section_frames import cross_section_frame, tangent_frame
from condyle.model.given import Names
from condyle.model.part import did_you_mean, plain
from condyle.model.quantities import choice, declared, given

if TYPE_CHECKING:
    from condyle.system.builder import Builder

AXES = "tnb"
# What keeps the frame of the section, or that of the tangent, at its place on the bone.
FRAMES = {
    ("section", 3): ("yt", "yb", "zt"), ("tangent", 3): ("xn", "xb", "yb"), ("section", 2): ("yt",), ("tangent", 2): ("xn",),
}  # fmt: skip


@declared
class Insertion(Joint):
    """A point of a beam or cable (a), such as an end of a ligament, is inserted into another body (b), such as a bone.

    The point stays where it is on the bone. Of the gradients r_x, r_y, r_z there, hold says what stays with the bone:

    'section': the cross-section frame (direction of r_y, and the plane of r_y and r_z); r_x is free, the section may stretch
    and shear in its plane: 6 equations.
    'tangent': the tangent frame (direction of r_x, and the plane of r_x and r_y): 6 equations; of a cable, which has nothing
    else, 5.
    'full': all gradients, so that no strain there can change: 12 equations; of a cable 6.

    also: more components that stay with the bone, such as ['xt', 'yn']: the gradient x, y or z along the axis t, n or b of the
    frame on the bone, each one equation. So there are joints with 7 to 11 equations.
    """

    hold: str = choice("section", "tangent", "full", default="section")
    also: Names = given(default=())

    def __post_init__(self) -> None:
        super().__post_init__()
        given = plain(self.also)
        given = [given] if isinstance(given, str) else given
        if not isinstance(given, list | tuple) or not all(isinstance(name, str) for name in given):
            raise InputError(f"{self.label}: also is a list of components such as ['xt', 'yn']")
        self.also = tuple(given)

    def compile(self, builder: Builder) -> None:
        """One vector constraint for the point; then one per gradient ('full'), or products with directions of the bone."""
        anchor: Any = able(builder.anchor(self.a.body, self), Graded, self.a.body, self.label, "use Fixed")
        gradients, values = anchor.gradients(self.a, self)
        if anchor.rigid_sections:
            raise InputError(f"{self.label}: the sections of '{self.a.body}' are rigid; use a Clamp, or an AncfBeam")
        names = self.components(len(gradients), builder.d)
        self.meet(builder)
        if self.hold == "full":
            for k, (own, value) in enumerate(zip(gradients, values, strict=True)):
                follows = self.on(builder, self.b, value)
                builder.add_link(self.name, own - follows, *held(self.enforcement, self), component=f"gradient {k + 1}")
            return
        frame = self.frame(values, builder.d)
        for name in names:
            k, axis = "xyz".index(name[0]), frame[AXES.index(name[1])]
            self.stay_square(builder, gradients[k], self.on(builder, self.b, axis), name)

    def components(self, gradients: int, d: int) -> list[str]:
        """Products of gradients and axes of the bone that stay what they are."""
        every = [f"{g}{axis}" for g in "xyz"[:gradients] for axis in AXES[:d]]
        if gradients not in (1, d):
            raise InputError(f"{self.label}: '{self.a.body}' is no beam or cable; use a Clamp")
        if gradients == 1 and self.hold == "section":
            raise InputError(f"{self.label}: the cable '{self.a.body}' has no section; hold 'tangent' or 'full'")
        for name in self.also:
            if name not in every:
                raise InputError(
                    f"{self.label}: '{self.a.body}' has no component '{name}'{did_you_mean(name, every)}; there are "
                    f"{', '.join(every)}"
                )
        if self.hold == "full":
            return every
        base = [name for name in FRAMES[self.hold, d] if name in every]
        return base + [name for name in self.also if name not in base]

    def frame(self, values: NDArray[np.float64], d: int) -> NDArray[np.float64]:
        """t, n(, b) at the start, as rows."""
        if len(values) == d:
            return cross_section_frame(values) if self.hold == "section" else tangent_frame(values)
        t = values[0] / np.linalg.norm(values[0])
        if d == 2:
            return np.array([t, (-t[1], t[0])])
        near = np.eye(3)[int(np.argmin(np.abs(t)))]
        return tangent_frame(np.array([t, near, np.cross(t, near)]))
