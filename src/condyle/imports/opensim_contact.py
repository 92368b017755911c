"""Contact of OpenSim files: spheres on half-spaces, and meshes with an elastic foundation."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.contact import Contact, FacetSurface, Foundation, NonlinearDashpot, Plane, Regularised, Sphere
from condyle.errors import InputError
from condyle.imports.opensim_build import Import
from condyle.imports.opensim_file import Transform, body_fixed_xyz
from condyle.imports.opensim_muscles import once
from condyle.imports.surfaces import read_surface
from condyle.imports.xml import Element

if TYPE_CHECKING:
    from condyle.contact.laws.law import ContactLaw, FrictionLaw

__all__ = ["add_elastic_foundation", "add_hunt_crossley", "add_smooth_sphere"]


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


def _parameters(work: Import, element: Element) -> dict[str, Element]:
    """The ContactParameters of each geometry that a force names."""
    found = [e for e in element.iter() if e.tag.endswith("ContactParameters") and isinstance(e, Element)]
    return {name: parameters for parameters in found for name in work.file.text(parameters, "geometry").split()}


def add_hunt_crossley(work: Import, element: Element) -> None:
    """Spheres on half-spaces: 4/3 k √(R k) x^(3/2) (1 + 3/2 c ẋ), k of the two stiffnesses, as in Simbody."""
    file, owner = work.file, str(element.get("name"))
    known, said = _geometry(work), _parameters(work, element)
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
    (body, ball), (target, flat) = _shape(work, sphere), _shape(work, plane)
    work.imported.model.add(
        Contact(work.name_for(name, "contact"), body, ball, target, flat, law=law, friction=friction)
    )


def _shape(work: Import, element: Element) -> tuple[str, Any]:
    """The body that carries a geometry, and its surface in the axes of that body."""
    body, stands = _stands(work, element)
    if element.tag == "ContactSphere":
        return body, Sphere(work.file.number(element, "radius", 0.0), centre=tuple(stands.place.tolist()))
    if element.tag == "ContactHalfSpace":  # it fills x > 0 of its own axes
        return body, Plane(tuple((-stands.turn[:, 0]).tolist()), tuple(stands.place.tolist()))
    if element.tag != "ContactMesh":
        raise InputError(f"'{element.get('name')}' is a {element.tag}; spheres, half-spaces and meshes are taken")
    surface = read_surface(_mesh_file(work, element))
    return body, FacetSurface((stands.place + surface.points @ stands.turn.T).tolist(), surface.triangles.tolist())


def _mesh_file(work: Import, element: Element) -> Path:
    """Beside the model, or in the folder Geometry there."""
    said = work.file.text(element, "filename")
    folder = work.file.path.parent
    found = next((place for place in (folder / said, folder / "Geometry" / said) if place.is_file()), None)
    if found is None:
        raise InputError(f"there is no file '{said}' beside the model, nor in the folder Geometry there; put it there")
    return found


def add_smooth_sphere(work: Import, element: Element) -> None:
    """A sphere on a half-space, by the same law without its smoothing."""
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


def add_elastic_foundation(work: Import, element: Element) -> None:
    """Meshes that press with stiffness × depth × (1 + dissipation × rate) [Pa] on half-spaces, spheres and each other.

    OpenSim has one spring at the middle of each triangle, of stiffness × area. Of two meshes each counts half. Here three
    points of each triangle share its area. A foundation presses with E/thickness × depth. OpenSim has no thickness: here the
    layer is as thick as the mesh is large, and a model may start as deep as it does in OpenSim.
    """
    file, owner, model = work.file, str(element.get("name")), work.imported.model
    known, said = _geometry(work), _parameters(work, element)
    missing = [name for name in said if name not in known]
    if missing:
        raise InputError(f"it names the geometry {', '.join(missing)}, which the file does not have")
    shapes = {name: _shape(work, known[name]) for name in said}
    for one, two in permutations(said, 2):
        (body, surface), (target, obstacle) = shapes[one], shapes[two]
        if body == target or not isinstance(surface, FacetSurface):
            continue
        share = 0.5 if isinstance(obstacle, FacetSurface) else 1.0
        layer = float(np.ptp(np.array(surface.nodes), axis=0).max())
        young = share * file.number(said[one], "stiffness", 1.0) * layer
        friction = _friction(work, element, said[one], said[one])
        model.add(
            Contact(
                work.name_for(f"{owner} {one} {two}", "contact"), body, surface, target, obstacle, points="integration",
                law=Foundation(layer, young, 0.0, file.number(said[one], "dissipation", 0.0)), friction=friction,
                overlap="resolve",
            )
        )  # fmt: skip
    if not any(isinstance(surface, FacetSurface) for _, surface in shapes.values()):
        raise InputError("none of its geometries is a ContactMesh")
    once(
        work,
        element.tag,
        "three points of each triangle press here, in OpenSim one; that makes a difference on coarse meshes",
    )
