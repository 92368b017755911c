"""Other ways to declare a part than by its fields, ``type: Solid.block``, and meshes by their files or their shapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from condyle.bodies.mesh import Mesh
from condyle.errors import InputError, unknown_name
from condyle.files.tree import Node
from condyle.files.values import Scope
from condyle.model.part import Part, part_types

__all__ = ["FORMS", "MESHES", "form_of", "form_parameters", "forms", "mesh_of"]

# Classmethods of parts that make one of plain data; others take functions, or read files.
FORMS = ("box", "ball", "disk", "cylinder", "polygon", "block", "rectangle", "net", "from_moduli", "from_mesh", "of")
# Shapes of a mesh, and their lengths.
MESHES = ("block", "annulus", "disk", "cylinder", "sphere", "cup")
UNITS = {
    "size": "m", "radius": "m", "length": "m", "density": "kg/m³", "corners": "m", "origin": "m", "inner": "m", "outer": "m",
    "young": "Pa", "radii": "m", "angle": "rad", "thickness": "m", "points": "m", "inner_radius": "m", "outer_radius": "m",
    "poisson": "",
}  # fmt: skip


def forms() -> dict[str, Callable[..., Part]]:
    """All forms by the name that a file gives them, 'Solid.block'."""
    found = {}
    for name, kind in part_types().items():
        for word in FORMS:
            form = inspect.getattr_static(kind, word, None)
            if isinstance(form, classmethod) and _is_form(kind, word):
                found[f"{name}.{word}"] = getattr(kind, word)
    return found


def _is_form(kind: type[Part], word: str) -> bool:
    """RigidBody.from_mesh takes rows of numbers, Solid.from_mesh a mesh: both can be declared."""
    return not getattr(getattr(kind, word), "__isabstractmethod__", False)


def form_of(name: str) -> Callable[..., Part] | None:
    """The form of that name, or None."""
    kind, dot, word = name.partition(".")
    return forms().get(name) if dot and kind in part_types() and word in FORMS else None


def form_parameters(form: Callable[..., Any]) -> tuple[dict[str, bool], bool]:
    """Names of what it takes, each with whether it must be given; and whether it takes fields of the part besides."""
    found, more = {}, False
    for name, parameter in inspect.signature(form).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            more = True
        elif name != "cls":
            found[name] = parameter.default is parameter.empty
    return found, more


def mesh_of(node: Node, scope: Scope) -> Mesh:
    """``mesh: {file: liner.msh, region: cup}``, or ``mesh: {shape: cup, inner: 14 mm, outer: 20 mm, divisions: [6, 4, 2]}``."""
    shape, file = node.get("shape"), node.get("file")
    if not node.is_map or (shape is None) == (file is None):
        raise node.error(
            "a mesh has a file, such as {file: liner.msh}, or a shape, such as {shape: cup, inner: 14 mm, …}"
        )
    if file is not None:
        node.check_names(("file", "region"), "a mesh by its file")
        region = node.get("region")
        try:
            return Mesh.read(scope.folder.file(file), region=None if region is None else region.text)
        except InputError as error:
            raise file.error(str(error)) if not hasattr(error, "mistakes") else error from None
    assert shape is not None
    if shape.text not in MESHES:
        raise shape.error(str(unknown_name("shape", shape.text, MESHES, where="mesh")))
    make = getattr(Mesh, shape.text)
    wanted, _ = form_parameters(make)
    given = {}
    for key, entry in node.items():
        if key == "shape":
            continue
        if key not in wanted:
            raise node.keys[key].error(
                str(unknown_name("field", key, wanted, where=f"mesh of the shape '{shape.text}'"))
            )
        numeric = key not in ("element",)
        given[key] = scope.value(entry, unit=UNITS.get(key), numeric=numeric, text=not numeric)
    for key, needed in wanted.items():
        if needed and key not in given:
            raise node.error(f"a mesh of the shape '{shape.text}' needs '{key}'")
    try:
        return make(**given)
    except InputError as error:
        raise node.error(str(error)) from None
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise node.error(f"the mesh cannot be made of what is given: {error}") from None
