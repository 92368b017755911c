"""What holds velocities and not places: wheels and balls that roll without slip, blades, joint coordinates at a given rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.enforcement import held
from condyle.errors import AssemblyError, InputError
from condyle.joints.couplings import Drive
from condyle.joints.joint import Joint, triad
from condyle.laws.codes import BLADE, DISK_ON_PLANE, DOT_PRODUCT, RATE_OF_COORDINATES, ROLLING
from condyle.model.functions import as_function
from condyle.model.given import OverTime, Vector, VectorOrNone
from condyle.model.part import Part, fits
from condyle.model.point import Point
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.system.coordinate import Term, find, pack, split
from condyle.system.tables import DIRECTOR, FIXED
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

FLAT = 1e-6  # sine of the angle between a disk and the plane below which it lies on it


@declared
class Rolling(Joint):
    """A ball or a wheel, body b with its centre there, rolls without slip on a plane of body a.

    a: a point of the plane; normal: out of the plane to the side of b (world, at the start, carried by a; default up, the last
    axis). radius [m]. axis: of a wheel (world, at the start, carried by b): a thin disk, which may lean; None for a ball, and
    in 2D, where both are the same. Contact is held at the level of places ('normal': the height of the centre), slip at the
    level of velocities ('slip 1', 'slip 2' along two tangents of the plane, in 2D 'slip'). The joint can pull as well as push:
    look at the sign of the normal force. enforcement: of the contact; slip is always held by multipliers.
    """

    radius: float = quantity("m", kw_only=True, above=0.0)
    normal: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    axis: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    mirror = in_mirror(axis="axis")

    def __post_init__(self) -> None:
        super().__post_init__()

    def validate(self, model: Model) -> None:
        super().validate(model)
        fits(self, "normal", model.dimension)
        if self.axis is not None and model.dimension == 2:
            raise InputError(f"{self.label}: a wheel in the plane turns about the axis across it; leave axis out")
        fits(self, "axis", model.dimension)

    def tangents(self, d: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Unit normal at the start, and unit tangents, as rows."""
        n = np.eye(d)[-1] if self.normal is None else np.asarray(self.normal) / np.linalg.norm(self.normal)
        return n, (np.array([[n[1], -n[0]]]) if d == 2 else triad(n)[:2])

    def compile(self, builder: Builder) -> None:
        """Its height over the plane, and one (2D) or two (3D) velocities at the contact."""
        d = builder.d
        n, tangents = self.tangents(d)
        gap = builder.position(self.b, self) - builder.position(self.a, self)
        plane, wheel = (_axes(self, builder, end) for end in (self.a, self.b))
        normal = self.on(builder, self.a, n)
        height, disk = float(builder.value(gap) @ n), self.axis is not None
        axis = np.zeros(d) if self.axis is None else np.asarray(self.axis) / np.linalg.norm(self.axis)
        upright = float(np.sqrt(max(1.0 - float(axis @ n) ** 2, 0.0))) if disk else 1.0
        if upright < FLAT:
            raise InputError(f"{self.label}: the disk lies flat on the plane; tilt its axis {tuple(axis.tolist())}")
        gap_at_start = abs(height - self.radius * upright)
        if gap_at_start > 0.01 * builder.extent() and not self.assemble:
            raise AssemblyError(
                f"{self.label}: it is {gap_at_start:.4g} m apart from its plane; correct its place, or set assemble=True"
            )
        hold = held(self.enforcement, self)
        if disk:
            vectors = [gap, normal, self.on(builder, self.b, axis)]
            builder.add_constraint(self.name, DISK_ON_PLANE, vectors, (self.radius,), *hold, "normal")
        else:
            builder.add_constraint(self.name, DOT_PRODUCT, [gap, normal], (self.radius,), *hold, "normal")
        for k, t in enumerate(tangents):
            params = (self.radius, float(disk), *n, *t, *axis)
            component = "slip" if d == 2 else f"slip {k + 1}"
            builder.add_rate(self.name, ROLLING, [gap, *wheel, *plane], params, component)


@declared
class KnifeEdge(Joint):
    """A blade or a small wheel: a point of body b has no velocity across it, against body a, on which it glides.

    across: the direction without velocity (world, at the start, carried by b), normal to the blade. In space it holds that
    velocity and nothing else; `PointOnPlane` keeps the point on a plane. The force is −λ along it, λ the multiplier 'across'.
    """

    across: Vector = quantity(default=None, vector=True, nonzero=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.enforcement != "multiplier":
            raise InputError(f"{self.label}: velocities are held by multipliers; leave enforcement out")

    def validate(self, model: Model) -> None:
        super().validate(model)
        self.check_direction("across", model, "give the direction across the blade, in which it does not move")

    def compile(self, builder: Builder) -> None:
        """One velocity."""
        side = np.asarray(self.across) / np.linalg.norm(self.across)
        gap = builder.position(self.b, self) - builder.position(self.a, self)
        if not gap.pruned().rows.size:
            raise InputError(f"{self.label}: its two points are the same")
        vectors = [gap, self.on(builder, self.b, side), *_axes(self, builder, self.a)]
        builder.add_rate(self.name, BLADE, vectors, (), "across")


@declared
class DrivenRate(Part):
    """The rate of a joint coordinate follows a function of time [rad/s or m/s], at the level of velocities.

    Where `Drive` also holds the coordinate itself, here it goes where its rate takes it. The multiplier 'rate' is minus the
    torque [N m] or force [N] on the coordinate.
    """

    name: str
    coordinate: str
    rate: OverTime

    def __post_init__(self) -> None:
        self.rate = as_function(self.rate, self.label)

    def validate(self, model: Model) -> None:
        mine = split(model, self.coordinate, self)
        for part in model:
            other = isinstance(part, Drive | DrivenRate) and part is not self
            if other and split(model, part.coordinate, part) == mine:
                raise InputError(f"{self.label}: '{'.'.join(mine)}' is driven by {part.label} too; keep one of them")

    def compile(self, builder: Builder) -> None:
        """One velocity."""
        vectors, params, _ = pack([Term(find(builder, self.coordinate, self))], 0)
        builder.add_rate(self.name, RATE_OF_COORDINATES, vectors, params, "rate", self.rate)


def _axes(part: Part, builder: Builder, end: Point) -> list[Weights]:
    """The axes of a rigid body, along those of the world at the start; InputError if the body of that end is not rigid."""
    found = [builder.direction(end, axis, part) for axis in np.eye(builder.d)]
    if any(builder.kind[row] not in (DIRECTOR, FIXED) for axis in found for row in axis.rows):
        raise InputError(
            f"{part.label}: '{end.body}' is not rigid; only a rigid body or the ground has axes to roll by"
        )
    return found
