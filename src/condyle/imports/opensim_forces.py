"""Forces, constraints, locked and prescribed coordinates, and contact of OpenSim files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact import Contact, NonlinearDashpot, Plane, Regularised, Sphere
from condyle.errors import InputError
from condyle.forces import Bushing, Spring
from condyle.imports.opensim_build import Import
from condyle.imports.opensim_file import Transform, body_fixed_xyz
from condyle.imports.opensim_functions import Function, read_function
from condyle.imports.opensim_joints import enforced
from condyle.imports.opensim_muscles import MUSCLES, add_ligament, add_muscle, once
from condyle.imports.opensim_paths import Paths
from condyle.imports.xml import Element
from condyle.joints import (
    CoordinateDamper,
    CoordinateForce,
    CoordinateSpring,
    Distance,
    Drive,
    Spherical,
    TransformJoint,
)
from condyle.model.functions import Constant, Spline
from condyle.model.point import Point
from condyle.muscles.surfaces import SURFACES
from condyle.system.compile import compile as compile_system

if TYPE_CHECKING:
    from condyle.contact.laws.law import ContactLaw, FrictionLaw

__all__ = ["add_constraints", "add_forces", "add_held_coordinates"]

Array = NDArray[np.float64]
LIGAMENTS = ("Ligament", "Blankevoort1991Ligament", "PathSpring")


def add_forces(work: Import) -> None:
    """All objects of the ForceSet that act; what cannot be taken is noted."""
    paths = Paths(work)
    for element in work.file.objects("ForceSet"):
        if work.file.flag(element, "isDisabled") or not work.file.flag(element, "appliesForce", True):
            work.left_out(element.tag, str(element.get("name")), "it is switched off in the file")
        elif element.tag in (*MUSCLES, *LIGAMENTS, *FORCES):
            try:
                if element.tag in MUSCLES:
                    add_muscle(work, paths, element)
                elif element.tag in LIGAMENTS:
                    add_ligament(work, paths, element)
                else:
                    FORCES[element.tag](work, element)
            except InputError as error:
                work.left_out(element.tag, str(element.get("name")), str(error))
        else:
            work.left_out(element.tag, str(element.get("name")), "forces of this kind are not read")
    wrapped = [part for part in work.imported.model if any(isinstance(e, SURFACES) for e in getattr(part, "path", ()))]
    if wrapped:
        points = compile_system(work.bare()).points
        for part in wrapped:
            paths.checked(part, points)
    for name in ("ControllerSet", "ProbeSet"):
        for element in work.file.objects(name):
            work.left_out(element.tag, str(element.get("name")), "controllers and probes are not read")


def add_held_coordinates(work: Import) -> None:
    """Locked coordinates stay where they are, prescribed ones follow their functions of time."""
    for name, q in work.skeleton.coordinates.items():
        reference = work.coordinates.get(name)
        if reference is None or q.name != name or not (q.locked or q.prescribed):
            continue
        if q.locked:
            work.imported.model.add(
                Drive(work.name_for(f"{name} locked"), reference, motion=Constant(work.values[name]))
            )
            continue
        function = read_function(work.file, work.file.child(q.element, "prescribed_function")) or Function()
        times = np.array(function.x) if function.x else np.array([0.0, 1.0])
        # A `Spline` has no curvature at its ends, where the function may have some: short pieces there keep its slope.
        near = np.geomspace(1e-5, 2e-3, 12)
        parts = np.concatenate(([0.0], near, np.linspace(0.0, 1.0, 401)[1:-1], 1.0 - near, [1.0]))
        fine = times[0] + (times[-1] - times[0]) * np.sort(parts) if function.x else times
        motion = Spline(tuple(fine.tolist()), tuple(function(t) for t in fine))
        work.imported.model.add(Drive(work.name_for(f"{name} motion"), reference, motion=motion))


def add_constraints(work: Import) -> None:
    """WeldConstraint, PointConstraint and ConstantDistanceConstraint; couplings of coordinates are made with the joints."""
    file, model = work.file, work.imported.model
    for element in file.objects("ConstraintSet"):
        name = str(element.get("name"))
        if not enforced(file, element):
            work.left_out(element.tag, name, "it is switched off in the file")
        elif element.tag == "CoordinateCouplerConstraint":
            continue
        elif element.tag == "WeldConstraint":
            ends = [_constraint_frame(work, element, k) for k in (1, 2)]
            worlds = [work.poses[body].then(stands) for body, stands in ends]
            one, two = (work.on_body(body, stands.place) for body, stands in ends)
            model.add(
                TransformJoint(
                    work.name_for(name), one, two,
                    axes=worlds[0].turn.tolist(), axes_b=worlds[1].turn.tolist(), assemble=True,
                )
            )  # fmt: skip
        elif element.tag == "PointConstraint":
            one, two = (_constraint_point(work, element, k, f"location_body_{k}") for k in (1, 2))
            model.add(Spherical(work.name_for(name), one, two, assemble=True))
        elif element.tag == "ConstantDistanceConstraint":
            one, two = (_constraint_point(work, element, k, f"location_body_{k}") for k in (1, 2))
            length = file.number(element, "constant_distance", 1.0)
            model.add(Distance(work.name_for(name), one, two, length=length, assemble=True))
        else:
            work.left_out(element.tag, name, "constraints of this kind are not read")


def _body_said(work: Import, element: Element, k: int) -> str:
    file = work.file
    return file.socket(element, f"frame{k}") or file.socket(element, f"body_{k}") or file.text(element, f"body_{k}")


def _constraint_frame(work: Import, element: Element, k: int) -> tuple[str, Transform]:
    file, owner = work.file, str(element.get("name"))
    file.add_frames(element, owner)
    body, stands = file.frame(_body_said(work, element, k), owner)
    inner = Transform(
        body_fixed_xyz(file.vector(element, f"orientation_body_{k}").tolist()),
        file.vector(element, f"location_body_{k}"),
    )
    return body, stands.then(inner)


def _constraint_point(work: Import, element: Element, k: int, where: str) -> Point:
    body, stands = work.file.frame(_body_said(work, element, k), str(element.get("name")))
    return work.on_body(body, stands.place + stands.turn @ work.file.vector(element, where))


# --- on coordinates ---------------------------------------------------------------------------------------------------


def _coordinate(work: Import, element: Element) -> tuple[str, bool] | None:
    """The coordinate that a force acts on, and whether it is an angle; noted if the model has none of that name."""
    name = work.file.text(element, "coordinate") or work.file.socket(element, "coordinate").rpartition("/")[2]
    if name not in work.coordinates:
        work.left_out(element.tag, str(element.get("name")), f"the model has no coordinate '{name}'")
        return None
    return work.coordinates[name], work.skeleton.coordinates[name].turning


def _limit(work: Import, element: Element) -> None:
    """A stop whose stiffness comes in smoothly over `transition`; in degrees for angles, as the file has them."""
    found = _coordinate(work, element)
    if found is None:
        return
    file, name = work.file, str(element.get("name"))
    reference, turning = found
    unit = np.pi / 180.0 if turning else 1.0
    upper, lower = (file.number(element, f"{side}_limit", 0.0) * unit for side in ("upper", "lower"))
    k_up, k_low = (file.number(element, f"{side}_stiffness", 1.0) / unit for side in ("upper", "lower"))
    width = max(file.number(element, "transition", 0.1) * unit, 1e-6)

    def resists(q: float) -> float:
        over, under = np.clip(np.array([q - upper, lower - q]) / width, 0.0, 1.0)
        up, low = (s**3 * (10.0 + s * (6.0 * s - 15.0)) for s in (over, under))
        return float(k_up * up * (q - upper) + k_low * low * (q - lower))

    rise = np.linspace(0.0, 1.0, 21) * width
    places = np.unique(
        np.concatenate((lower - 2.0 * width - rise[:1], lower - rise[::-1], upper + rise, [upper + 2.0 * width]))
    )
    torques = [resists(q) for q in places]
    work.imported.model.add(CoordinateSpring(work.name_for(name, "limit"), reference, curve=(places.tolist(), torques)))
    if file.number(element, "damping", 0.0):
        once(work, "CoordinateLimitForce", "its damping, which acts beyond the limits only, is not taken")


def _spring(work: Import, element: Element) -> None:
    found = _coordinate(work, element)
    if found is None:
        return
    file, name, model = work.file, str(element.get("name")), work.imported.model
    stiffness, damping = file.number(element, "stiffness", 0.0), file.number(element, "viscosity", 0.0)
    if stiffness:
        rest = file.number(element, "rest_length", 0.0)
        model.add(CoordinateSpring(work.name_for(name, "spring"), found[0], stiffness, rest))
    if damping:
        model.add(CoordinateDamper(work.name_for(f"{name} damper"), found[0], damping))


def _actuator(work: Import, element: Element) -> None:
    found = _coordinate(work, element)
    if found is not None:
        force = work.file.number(element, "optimal_force", 1.0)
        work.imported.model.add(
            CoordinateForce(work.name_for(str(element.get("name")), "actuator"), found[0], force, scale=0.0)
        )


# --- between points ---------------------------------------------------------------------------------------------------


def _point_spring(work: Import, element: Element) -> None:
    file = work.file
    ends = []
    for k in (1, 2):
        body, stands = file.frame(file.socket(element, f"body{k}") or file.text(element, f"body{k}"))
        ends.append(work.on_body(body, stands.place + stands.turn @ file.vector(element, f"point{k}")))
    work.imported.model.add(
        Spring(
            work.name_for(str(element.get("name")), "spring"), ends[0], ends[1], file.number(element, "stiffness", 0.0),
            file.number(element, "rest_length", 0.0),
        )
    )  # fmt: skip


def _bushing(work: Import, element: Element) -> None:
    file, name = work.file, str(element.get("name"))
    ends = [_constraint_frame(work, element, k) for k in (1, 2)]
    sizes = []
    for field in ("translational_stiffness", "translational_damping", "rotational_stiffness", "rotational_damping"):
        values = file.vector(element, field)
        sizes.append(float(values.mean()))
        if np.ptp(values) > 1e-9 * max(np.abs(values).max(), 1e-300):
            work.left_out("BushingForce", name, f"its {field} {values.tolist()} is the mean about all axes here")
    worlds = [work.poses[body].then(stands) for body, stands in ends]
    if np.abs(worlds[0].turn - worlds[1].turn).max() > 1e-6:
        work.left_out("BushingForce", name, "its frames differ in the declared pose, where it is free of torque here")
    one, two = (work.on_body(body, stands.place) for body, stands in ends)
    work.imported.model.add(
        Bushing(
            work.name_for(name, "bushing"), one, two, stiffness=sizes[0], damping=sizes[1], turning_stiffness=sizes[2],
            turning_damping=sizes[3],
        )
    )  # fmt: skip


# --- contact ----------------------------------------------------------------------------------------------------------


def _geometry(work: Import) -> dict[str, Element]:
    return {str(e.get("name")): e for e in work.file.objects("ContactGeometrySet")}


def _stands(work: Import, element: Element) -> tuple[str, Transform]:
    """Body and place of a contact geometry, on the body that carries it here."""
    file = work.file
    said = file.socket(element, "frame") or file.text(element, "body_name")
    body, outer = file.frame(said)
    stands = outer.then(
        Transform(body_fixed_xyz(file.vector(element, "orientation").tolist()), file.vector(element, "location"))
    )
    carrier, more = work.carriers.get(body, (body, Transform(np.eye(3), np.zeros(3))))
    return work.names.get(f"body {carrier}", carrier), more.then(stands)


def _parameters(element: Element) -> list[Element]:
    return [e for e in element.iter() if e.tag.endswith("ContactParameters") and isinstance(e, Element)]


def _hunt_crossley(work: Import, element: Element) -> None:
    """Spheres on half-spaces: 4/3 k √(R k) x^(3/2) (1 + 3/2 c ẋ), k of the two stiffnesses, as in Simbody."""
    file, owner = work.file, str(element.get("name"))
    known, said = _geometry(work), {}
    for parameters in _parameters(element):
        for name in file.text(parameters, "geometry").split():
            said[name] = parameters
    spheres = [n for n in said if n in known and known[n].tag == "ContactSphere"]
    planes = [n for n in said if n in known and known[n].tag == "ContactHalfSpace"]
    for name in said:
        if name not in (*spheres, *planes):
            work.left_out(element.tag, owner, f"of its geometry '{name}', only spheres and half-spaces are taken")
    for plane in planes:
        for sphere in spheres:
            one, two = said[sphere], said[plane]
            first, second = (file.number(e, "stiffness", 1.0) ** (2.0 / 3.0) for e in (one, two))
            share = second / (first + second)
            k = first * share
            loss = share * file.number(one, "dissipation", 0.0) + (1.0 - share) * file.number(two, "dissipation", 0.0)
            radius = file.number(known[sphere], "radius", 0.0)
            stiffness = 4.0 / 3.0 * k * np.sqrt(radius * k)
            friction = _friction(work, element, one, two)
            _touch(work, f"{owner} {sphere}", known[sphere], known[plane],
                   NonlinearDashpot(stiffness, 1.5 * loss * stiffness), friction)  # fmt: skip
    if not (spheres and planes):
        work.left_out(element.tag, owner, "it has no sphere that meets a half-space")


def _friction(work: Import, element: Element, one: Element, two: Element) -> Regularised | float:
    file = work.file

    def both(name: str) -> float:
        a, b = file.number(one, name, 0.0), file.number(two, name, 0.0)
        return 2.0 * a * b / (a + b) if a + b > 0.0 else 0.0

    dynamic, static = both("dynamic_friction"), both("static_friction")
    if dynamic <= 0.0:
        return 0.0
    once(
        work,
        element.tag,
        "friction is μ v/√(v² + ε²) near rest, which starts as steeply as OpenSim's, without its peak",
    )
    if both("viscous_friction"):
        once(work, element.tag, "its viscous friction is not taken")
    return Regularised(dynamic, _creep(file.number(element, "transition_velocity", 0.01), static, dynamic))


def _creep(transition: float, static: float, dynamic: float) -> float:
    """ε [m/s] with which μ v/√(v² + ε²) starts as steeply as (v/v_t) (μ_d + 2 (μ_s − μ_d)/(1 + (v/v_t)²))."""
    return transition * dynamic / (2.0 * max(static, dynamic) - dynamic)


def _touch(
    work: Import, name: str, sphere: Element, plane: Element, law: ContactLaw, friction: FrictionLaw | float
) -> None:
    body, stands = _stands(work, sphere)
    target, wall = _stands(work, plane)
    ball = Sphere(work.file.number(sphere, "radius", 0.0), centre=tuple(stands.place.tolist()))
    # A half-space of OpenSim fills x > 0 of its own axes.
    flat = Plane(tuple((-wall.turn[:, 0]).tolist()), tuple(wall.place.tolist()))
    work.imported.model.add(
        Contact(work.name_for(name, "contact"), body, ball, target, flat, law=law, friction=friction)
    )


def _smooth_sphere(work: Import, element: Element) -> None:
    file, known = work.file, _geometry(work)
    names = [file.socket(element, which).rpartition("/")[2] for which in ("sphere", "half_space")]
    if not all(name in known for name in names):
        work.left_out(element.tag, str(element.get("name")), "its sphere or half-space is missing")
        return
    sphere, plane = (known[name] for name in names)
    k = 0.5 * file.number(element, "stiffness", 1.0) ** (2.0 / 3.0)
    stiffness = 4.0 / 3.0 * k * np.sqrt(file.number(sphere, "radius", 0.0) * k)
    loss = file.number(element, "dissipation", 0.0)
    dynamic, static = (file.number(element, f"{kind}_friction", 0.0) for kind in ("dynamic", "static"))
    creep = _creep(file.number(element, "transition_velocity", 0.01), static, dynamic) if dynamic > 0.0 else 0.0
    friction = Regularised(dynamic, creep) if dynamic > 0.0 else 0.0
    once(work, element.tag, "it is Hunt and Crossley's law without the smoothing, which pulls a little off the ground")
    _touch(work, str(element.get("name")), sphere, plane, NonlinearDashpot(stiffness, 1.5 * loss * stiffness), friction)


def _elastic_foundation(work: Import, element: Element) -> None:
    work.left_out(
        element.tag, str(element.get("name")),
        "contact of meshes is given by hand: Contact(…, FacetSurface(…), law=Foundation(…)), or Imported.replace_joint",
    )  # fmt: skip


FORCES: dict[str, Callable[[Import, Element], None]] = {
    "CoordinateLimitForce": _limit,
    "SpringGeneralizedForce": _spring,
    "CoordinateActuator": _actuator,
    "PointToPointSpring": _point_spring,
    "BushingForce": _bushing,
    "HuntCrossleyForce": _hunt_crossley,
    "SmoothSphereHalfSpaceForce": _smooth_sphere,
    "ElasticFoundationForce": _elastic_foundation,
}
