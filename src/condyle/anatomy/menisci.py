"""Menisci as soft rings of solids that fill the gap between a condyle and the plateau around their contact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies import Mesh, NeoHookean, Solid
from condyle.contact import ArticularSurface, Contact
from condyle.errors import InputError
from condyle.joints import Tie

if TYPE_CHECKING:
    from condyle.bodies.materials.material import Material
    from condyle.contact.surface import Surface

Array = NDArray[np.float64]
TISSUE = NeoHookean(young=20e6, poisson=0.45, density=1100.0)


@dataclass(frozen=True)
class MeniscusRing:
    """A ring, open towards the middle of the knee, the lower edges of whose ends are grown to the tibia.

    inner, outer [m]: half axes forward and sideways, from the middle of the condyle. opening [rad]: of the ring. Its upper and
    lower sides follow the joint surfaces at a distance of `clearance` [m] as the knee is drawn, with a height of at least
    `edge` [m]. divisions: elements around, across and upwards.
    """

    material: Material = TISSUE
    inner: tuple[float, float] = (6e-3, 3.5e-3)
    outer: tuple[float, float] = (13e-3, 8e-3)
    opening: float = np.radians(60.0)
    clearance: float = 1e-5
    edge: float = 4e-4
    divisions: tuple[int, int, int] = (12, 2, 2)

    def check(self, name: str) -> None:
        """InputError for a ring that cannot be."""
        if not all(0.0 < a < b for a, b in zip(self.inner, self.outer, strict=True)):
            raise InputError(f"meniscus '{name}': inner half axes must be above 0 and below the outer ones [m]")
        if not 0.0 < self.opening < np.pi:
            raise InputError(f"meniscus '{name}': opening must be between 0 and pi [rad]")
        if self.edge <= 0.0 or self.clearance < 0.0:
            raise InputError(f"meniscus '{name}': edge must be above 0 and clearance at least 0 [m]")

    def mesh(self, centre: Array, up: Array, forward: Array, surfaces: tuple[Surface, Surface], name: str) -> Mesh:
        """Of hex8 between two surfaces; centre [m], up and forward in the world, surfaces: how far points in the world are."""
        self.check(name)
        around, across, upwards = self.divisions
        block = Mesh.block((1.0, 1.0, 1.0), (around, upwards, across))
        s = np.asarray(block.nodes)  # share of the way around, of the height, of the way outwards
        side = np.cross(up, forward)
        # The opening looks towards the middle plane of the knee, where the side is 0.
        towards = -1.0 if centre @ side > 0.0 else 1.0
        angle = towards * 0.5 * np.pi + 0.5 * self.opening + s[:, 0] * (2.0 * np.pi - self.opening)
        wide = np.array(self.inner) + s[:, 2:] * np.subtract(self.outer, self.inner)
        flat = centre + np.outer(wide[:, 0] * np.cos(angle), forward) + np.outer(wide[:, 1] * np.sin(angle), side)
        ends = [_heights(flat, up, far, self.clearance, name) for far in surfaces]
        height = np.maximum(ends[0] - ends[1], self.edge)
        nodes = flat + np.outer(ends[1] + s[:, 1] * height, up)
        sets = {key: np.asarray(own) for key, own in block.sets.items()}
        # A whole end that follows the tibia could not give way under the condyle.
        horns = {
            "front horn": np.intersect1d(sets["left"], sets["bottom"]),
            "rear horn": np.intersect1d(sets["right"], sets["bottom"]),
        }
        return Mesh(nodes, block.cells, block.element, sets | horns, dict(block.surfaces))


def add_ring(model: Any, name: str, ring: MeniscusRing, bones: tuple[Any, Any], surfaces: tuple[Any, Any],
             poses: tuple[Any, Any], axes: Any) -> None:  # fmt: skip
    """Add a ring between two bones (femur, tibia) with a surface each; poses: their (origin, rotation), axes: of the knee."""
    shapes = [ArticularSurface(surface) for surface in surfaces]

    def far(k: int) -> Any:
        at, rotation = poses[k]
        return lambda p: _in_world(shapes[k].distance((p - at) @ rotation), rotation)

    low, high = surfaces[0].domain.T
    given = getattr(surfaces[0], "centre", None)
    middle = surfaces[0].jet(0.5 * (low + high))[0] if given is None else np.asarray(given, dtype=float)
    at, rotation = poses[0]
    forward, _, up = (np.asarray(axis, dtype=float) for axis in axes)
    centre = at + rotation @ middle
    centre = centre - far(1)(centre[None])[0][0] * up
    body = model.add(Solid.from_mesh(name, ring.mesh(centre, up, forward, (far(0), far(1)), name), ring.material))
    for horn in ("front horn", "rear horn"):
        model.add(Tie(f"{name} {horn}", body, horn, bones[1]))
    for side, bone, shape in zip(("top", "bottom"), bones, shapes, strict=True):
        model.add(Contact(f"{name} {side}", body, side, bone, shape, overlap="resolve"))


def _in_world(near: Any, rotation: Array) -> tuple[Array, Array]:
    """Gaps and normals in the world."""
    return near.gap, near.normal @ rotation.T


def _heights(flat: Array, up: Array, far: Any, clearance: float, name: str) -> Array:
    """Along `up` from points, where a surface is `clearance` away [m]."""
    z = np.zeros(len(flat))
    for _ in range(60):
        gap, normal = far(flat + np.outer(z, up))
        along = normal @ up
        if (np.abs(along) < 0.05).any():
            break
        step = np.clip((clearance - gap) / along, -2e-3, 2e-3)
        z += step
        if np.abs(step).max() < 1e-9:
            return z
    raise InputError(
        f"meniscus '{name}': there is no joint surface over or under a part of its ring; make them larger or `outer` smaller"
    )
