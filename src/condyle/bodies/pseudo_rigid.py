"""Pseudo-rigid bodies: rows r, d_1 … d_d with a stored energy of the homogeneous deformation F = [d_1 … d_d]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from condyle.bodies.body import FrameAnchor
from condyle.bodies.materials import Material
from condyle.bodies.rigid import RigidBody
from condyle.errors import InputError
from condyle.model.part import number
from condyle.system.tables import FREE
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class PseudoRigidBody(RigidBody):
    """A body that deforms homogeneously (Taylor 2000, §8): a rigid body whose constraints are replaced by elasticity.

    material: its law; volume [m³] (2D: area times thickness), by default mass / density of the material. In 2D give
    second_moment, not the polar inertia, because the two directors move independently.
    """

    material: Any = None
    volume: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self, "volume", low=0.0, strict=True, none_ok=True)
        if not isinstance(self.material, Material):
            raise InputError(f"{self.label}: give a material such as NeoHookean(young=…, poisson=…, density=…)")
        if self.volume is None and self.material.density <= 0:
            raise InputError(f"{self.label}: give its volume, or the density of its material")

    def validate(self, model: Model) -> None:
        super().validate(model)
        if model.dimension == 2 and self.second_moment is None:
            raise InputError(f"{self.label}: in 2D give second_moment (2×2), or build it with PseudoRigidBody.box(…)")

    def compile(self, builder: Builder) -> FrameAnchor:
        d = builder.d
        origin, turn, velocity = self.start_frame(d)
        r, rows = builder.frame(self.name, origin, turn, velocity, self.spin(d), kind=FREE)
        directors = [Weights([row], [1.0]) for row in rows]
        builder.add_mass([Weights([r], [1.0]), *directors], self.moments(d))
        volume = self.volume if self.volume is not None else self.mass / self.material.density
        law = self.material
        builder.add_energy(
            self.name,
            law.number,
            directors,
            law.parameters(d),
            volume,
            damping=law.viscosity,
            prony=law.prony,
            columns=d,
        )
        return FrameAnchor(builder, self, r, rows)
