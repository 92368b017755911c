"""A knee from geometry: bones, bundles of ligaments, condyles, menisci, and a patella with its tendon and the quadriceps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.anatomy.bones import bone_surface, distance_to_surface
from condyle.anatomy.ligaments import Bundle, add_bundle
from condyle.anatomy.menisci import MeniscusRing, add_ring
from condyle.bodies import RigidBody
from condyle.contact import ArticularContact, FlatSurface, ParametricSurface, RevolvedSurface
from condyle.contact.articular import common_normal, first_guess
from condyle.errors import InputError
from condyle.forces import Bushing
from condyle.joints import ClinicalJoint, CoordinateDamper, Drive, Fixed
from condyle.model.functions import as_function
from condyle.model.point import Point
from condyle.model.rotations import as_rotation_matrix
from condyle.muscles import ForceActuator, Ligament

if TYPE_CHECKING:
    from condyle.contact.laws.law import ContactLaw
    from condyle.model.given import BodyLike, NumbersLike, TimeLike, VectorLike
    from condyle.model.model import Model

Array = NDArray[np.float64]
PROFILE = (0.018, -3e-4, -93.0, 15.0, 1.6e6, -6.7e4, -2.4e10)  # radius of a condyle over its width [m], of gantoi-2013
CRUCIATE: dict[str, Any] = {
    "kind": "spring",
    "strain": 0.05,
    "damping": 613.0,
    "stiffness": 1e5,
}  # of each of two bundles


def source_bundles() -> dict[str, Bundle]:
    """The ligaments of gantoi-2013: collaterals as cables; cruciates as two springs each, 3 mm beside the printed sites."""
    back = 0.0666 * np.sin(np.radians(19.0))
    out = {
        "mcl": Bundle((0.0, 0.035, 0.0328), (0.0, 0.035, -0.062), radii=(7e-3, 2.3e-3)),
        "lcl": Bundle((0.0, -0.035, 0.0195), (-back, -0.035, -0.0435), bone="fibula"),
    }
    for name, femoral, distal, first, second in (
        ("acl", (-0.012, -0.005, 0.02), (0.012, 0.003, -0.003), "anteromedial", "posterolateral"),
        ("pcl", (0.007, 0.010, 0.02), (-0.013, -0.005, -0.008), "anterolateral", "posteromedial"),
    ):
        for bundle, way in ((first, 0.003), (second, -0.003)):
            shift = np.array((way, 0.0, 0.0))
            sites = tuple(np.add(femoral, shift).tolist()), tuple(np.add(distal, shift).tolist())
            out[f"{name} {bundle}"] = Bundle(*sites, **CRUCIATE)
    return out


def source_condyles() -> dict[str, tuple[ParametricSurface, ParametricSurface]]:
    """Two condyles turned about an axis 18 mm over a flat plateau: surfaces of femur and tibia in their own coordinates."""
    return {
        name: (
            RevolvedSurface(
                PROFILE, (0, 1, 0), (0, 0, -1), centre=(0.0, y, -0.182), half_width=0.009, angles=(-1.5, 2.4)
            ),
            FlatSurface((0, 0, 1), point=(0.0, 0.0, 0.2), extent=0.3),
        )
        for name, y in (("medial", 0.022), ("lateral", -0.022))
    }


@dataclass
class Knee:
    """What a knee is built of, in metres, in the world as it is drawn: x forward, y medial, z up, the plateau at z = 0.

    bundles: ligaments by name. condyles: by name, a surface of the femur and one of the tibia, each in the coordinates of its
    body. femur: mass [kg], inertia [kg m²] about its centre, and where that is. bones: surfaces of 'femur', 'tibia', 'fibula',
    as files (.stl, .ply, .vtk) or (points, triangles) in the world; they are drawn, and insertions must lie on them, within
    `near` [m]; bone_scale: 1e-3 for files in millimetres. meniscus [N s/m], spin [N m s]: dampers of the menisci at each
    condyle and about the shaft; meniscus_stiffness [N/m]: of springs beside them; ring: menisci as solids
    (`MeniscusRing`), of use where the contact gives way (`Foundation`). flexion_axis: a point of it.

    contact: 'hard', 'hertz' with `modulus` [Pa], or a law, of all condyles; a `Foundation` is their cartilage, with
    contact_points=(60, 20) over the surfaces of the femur rather than in closed form.

    patella: a body on the groove of the femur with a tendon to the tibia and two retinacula; quadriceps [N]: force of the
    muscle, a number or a function of time.
    """

    bundles: dict[str, Bundle] = field(default_factory=source_bundles)
    condyles: dict[str, tuple[ParametricSurface, ParametricSurface]] = field(default_factory=source_condyles)
    femur: tuple[float, NumbersLike, VectorLike] = (7.516, (0.354614, 0.354614, 0.004604), (0.0, 0.0, 0.2))
    tibia: tuple[float, NumbersLike, VectorLike] = (3.537, (0.166880, 0.166880, 0.002166), (0.0, 0.0, -0.2))
    bones: dict[str, str | Path | tuple[NumbersLike, NumbersLike]] = field(default_factory=dict)
    bone_scale: float = 1.0
    near: float = 5e-3
    contact: ContactLaw | str = "hard"
    modulus: float = 1e9
    contact_points: int | Sequence[int] = 1
    meniscus: float = 50.0
    meniscus_stiffness: float = 0.0
    spin: float = 100.0
    ring: MeniscusRing | None = None
    flexion_axis: VectorLike = (0.0, 0.0, 0.017)
    patella: bool = False
    quadriceps: TimeLike = 200.0

    def check(self) -> None:
        """InputError that names what cannot be built."""
        for name, bundle in self.bundles.items():
            bundle.check(name)
        surfaces = {name: bone_surface(given, name, self.bone_scale) for name, given in self.bones.items()}
        unknown = set(surfaces) - {"femur", "tibia", "fibula"}
        if unknown:
            raise InputError(f"Knee: no bone is called {sorted(unknown)[0]!r}; bones are femur, tibia and fibula")
        for name, bundle in self.bundles.items():
            for bone, site in (("femur", bundle.femoral), (bundle.bone, bundle.distal)):
                if bone not in surfaces:
                    continue
                off = distance_to_surface(site, *surfaces[bone])
                if off > self.near:
                    raise InputError(
                        f"bundle '{name}': its site {tuple(np.round(site, 4).tolist())} is {1e3 * off:.1f} mm off the surface "
                        f"of '{bone}'; move it, or raise near (now {1e3 * self.near:g} mm)"
                    )


def build_knee(
    knee: Knee | None = None, *, flexion: TimeLike | None = None, gravity: Sequence[float] | None = (0.0, 0.0, -9.81)
) -> Model:
    """A model of a knee on a tibia that is held.

    flexion: of `knee.flexion` [rad], a number or a function of time; None leaves it free. Find the equilibrium by
    `solve_static` before a motion starts.
    """
    from condyle.parts import Model

    knee = knee or Knee()
    knee.check()
    model = Model("knee", gravity=gravity)
    femur = model.add(_bone("femur", knee.femur, knee))
    tibia = model.add(_bone("tibia", knee.tibia, knee))
    model.add(Fixed("held tibia", tibia, model.ground, at=knee.tibia[2]))
    add_knee(model, femur, tibia, knee)
    if flexion is not None:
        model.add(Drive("flexion", "knee.flexion", motion=flexion))
    return model


def add_knee(
    model: Model,
    femur: BodyLike,
    tibia: BodyLike,
    knee: Knee | None = None,
    *,
    at: VectorLike = (0.0, 0.0, 0.0),
    rotation: NumbersLike | None = None,
) -> None:
    """Add ligaments, condyles, menisci and patella between two bodies of a model, drawn straight; the fibula is the tibia's.

    at: where the middle of the plateau, the origin of everything in `knee`, is in the world of the model [m]. rotation: of the
    axes of the knee (forward, medial, up) against the world, as of a RigidBody; the bodies are drawn with the same one.
    """
    knee = knee or Knee()
    knee.check()
    place = Place(np.asarray(at, dtype=float), as_rotation_matrix(rotation, 3, "add_knee"))
    place.check(femur, tibia)
    forward, axis, shaft = (place.direction(e) for e in np.eye(3))
    model.add(ClinicalJoint("knee", femur, tibia, at=place.point(knee.flexion_axis), axis=axis, shaft=shaft))
    for name, bundle in knee.bundles.items():
        placed = replace(bundle, femoral=place.point(bundle.femoral), distal=place.point(bundle.distal))
        add_bundle(model, name, placed, femur, tibia, forward)
    for name, (upper, lower) in knee.condyles.items():
        _check_gap(name, upper, lower, femur, tibia)
        model.add(
            ArticularContact(
                name,
                femur,
                upper,
                tibia,
                lower,
                law=knee.contact,
                modulus=knee.modulus,
                overlap="resolve",
                points=knee.contact_points,
            )
        )
        if knee.ring is not None:
            poses = [(own.at, own.rotation) for own in (_origin(femur), _origin(tibia))]
            axes = (forward, axis, shaft)
            add_ring(model, f"{name} ring", knee.ring, (femur, tibia), (upper, lower), (poses[0], poses[1]), axes)
        if knee.meniscus or knee.meniscus_stiffness:
            _add_meniscus(model, f"{name} meniscus", femur, tibia, upper, knee)
    if knee.spin:
        model.add(CoordinateDamper("menisci", "knee.rotation", knee.spin))
    if knee.patella:
        _add_patella(model, femur, tibia, knee, place)


@dataclass(frozen=True)
class Place:
    """Where the axes of the knee (forward, medial, up, from the plateau) are in the world: origin [m] and rotation matrix."""

    at: Array
    rotation: Array

    def point(self, x: ArrayLike) -> tuple[float, ...]:
        """World coordinates [m] of a point of the knee."""
        return tuple((self.at + self.rotation @ np.asarray(x, dtype=float)).tolist())

    def direction(self, x: NDArray[np.float64]) -> tuple[float, ...]:
        """World components of a direction of the knee."""
        return tuple((self.rotation @ np.asarray(x, dtype=float)).tolist())

    def check(self, *bodies: Any) -> None:
        """InputError for a bone that is not drawn with the rotation of the knee."""
        for body in bodies:
            own = as_rotation_matrix(body.rotation, 3, body.label)
            if np.abs(own - self.rotation).max() > 1e-9:
                raise InputError(
                    f"add_knee: {body.label} is not drawn with the rotation of the knee, so joint surfaces in its coordinates "
                    "would be turned; give both bones and add_knee the same rotation"
                )


def _bone(name: str, given: tuple[float, Any, Any], knee: Knee) -> RigidBody:
    mass, inertia, centre = given
    faces = None
    if name in knee.bones:
        points, cells = bone_surface(knee.bones[name], name, knee.bone_scale)
        faces = {"points": points - np.asarray(centre, dtype=float), "cells": cells}
    return RigidBody(name, mass, inertia=inertia, position=centre, faces=faces)


def _check_gap(name: str, upper: Any, lower: Any, femur: Any, tibia: Any) -> None:
    """InputError for surfaces that are far apart as they are drawn, mostly because they are in other coordinates."""
    poses = np.zeros((2, 4, 3))
    for pose, body in zip(poses, (tibia, femur), strict=True):
        pose[0] = (0.0, 0.0, 0.0) if body.position is None else body.position
        pose[1:] = as_rotation_matrix(body.rotation, 3, body.label).T
    s, left, _ = common_normal(lower, upper, poses, first_guess(lower, upper, poses))
    if left > 1e-9:
        return  # `ArticularContact` says what is wrong
    both = ((0, lower, s[2:]), (1, upper, s[:2]))
    places = [poses[k, 0] + surface.jet(at)[0] @ poses[k, 1:] for k, surface, at in both]
    apart = float(np.linalg.norm(places[1] - places[0]))
    if apart > MOST_APART:
        raise InputError(
            f"condyle '{name}': its surfaces are {1e3 * apart:.1f} mm apart as they are drawn; give each in the coordinates of "
            "its body, with the bones in place"
        )


def _add_meniscus(model: Any, name: str, femur: Any, tibia: Any, surface: Any, knee: Knee) -> None:
    """Spring and damper in parallel, from the centre of a condyle to the tibia below."""
    low, high = surface.domain.T
    centre = getattr(surface, "centre", None)
    inside = surface.jet(0.5 * (low + high))[0] if centre is None else np.asarray(centre, dtype=float)
    world = _origin(femur).point(inside)
    model.add(Bushing(name, femur, tibia, at=world, stiffness=knee.meniscus_stiffness, damping=knee.meniscus))


MOST_APART = 5e-3  # [m]
GROOVE, BALL, UP = 0.022, 0.010, np.radians(35.0)  # radius of the groove, of the back of the patella [m], its place


def _origin(body: Any) -> Place:
    """Where the axes of a body are at the start."""
    at = np.zeros(3) if body.position is None else np.asarray(body.position, dtype=float)
    return Place(at, as_rotation_matrix(body.rotation, 3, body.label))


def _add_patella(model: Any, femur: Any, tibia: Any, knee: Knee, place: Place) -> None:
    """Of a sphere's curvature at its back, in a groove about the axis of the condyles."""
    axis = np.array((0.0, 0.0, 0.018))
    out = np.array((np.cos(UP), 0.0, np.sin(UP)))
    along = np.array((-np.sin(UP), 0.0, np.cos(UP)))
    centre = axis + (GROOVE + BALL) * out
    patella = model.add(RigidBody("patella", 0.1, inertia=(2e-5, 2e-5, 2e-5), position=place.point(centre),
                                  rotation=place.rotation))  # fmt: skip
    in_femur = place.rotation.T @ (np.subtract(place.point(axis), _origin(femur).at))
    groove = RevolvedSurface(
        (GROOVE, 0.0, 1.0 / 0.04), (0, -1, 0), (1, 0, 0), centre=tuple(in_femur.tolist()), half_width=0.012,
        angles=(-1.2, 2.4),
    )  # fmt: skip
    ball = RevolvedSurface(
        [(y, float(np.sqrt(BALL**2 - y**2))) for y in np.linspace(-0.006, 0.006, 13)], (0, 1, 0),
        tuple((-out).tolist()), angles=(-2.2, 2.2),
    )  # fmt: skip
    model.add(ArticularContact("patellofemoral", patella, ball, femur, groove, law=knee.contact, modulus=knee.modulus,
                               overlap="resolve"))  # fmt: skip
    top, tip = (Point("patella", place.point(centre + way * along), "world") for way in (0.012, -0.012))
    tuberosity = Point(tibia.name, place.point((0.028, 0.0, -0.045)), "world")
    model.add(Ligament("patellar tendon", [tip, tuberosity], 6e4, reference_strain=0.02, damping=50.0))
    origin = Point(femur.name, place.point((0.0, 0.0, 0.3)), "world")
    function = as_function(knee.quadriceps, "quadriceps")
    model.add(ForceActuator("quadriceps", [top, origin], 1.0, scale=function))
    for name, y in (("medial retinaculum", 0.03), ("lateral retinaculum", -0.03)):
        side = Point("patella", place.point(centre + np.array((0.0, np.sign(y) * 0.012, 0.0))), "world")
        to = Point(femur.name, place.point((0.0, y, 0.018)), "world")
        model.add(Ligament(name, [side, to], 2e3, reference_strain=0.01, damping=20.0))
