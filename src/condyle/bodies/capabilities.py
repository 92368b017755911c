"""What some bodies can do beyond having points and directions: one protocol for each capability, and one error for all.

A part that needs a capability asks for it by `able`; it does not ask what kind of body it has. So a body of one's own takes
pressures, ties or contact as soon as its anchor (or the body itself, for the last group) has the methods.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.body import Body
from condyle.model.part import Part, part_types
from condyle.model.point import Point
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.bodies.elements import Element, Facets
    from condyle.bodies.mesh_anchor import MeshAnchor

Array = NDArray[np.float64]
T = TypeVar("T")

# --- of anchors: what is found of a compiled body ---------------------------------------------------------------------------


@runtime_checkable
class Faceted(Protocol):
    """Its surface is made of facets, each an element on some of its nodes: contact, ties of surfaces, pressure.

    X: places of the nodes at rest [m], (n, d); vectors: the same as weights; depth: thickness of a plane mesh [m], None
    about an axis.
    """

    X: Array
    vectors: list[Weights]
    depth: float | None

    def facets(self, group: str, wanted_by: Part) -> list[Facets]:
        """Facets of a named surface or set, by their kinds."""
        ...

    def facet_normals(self, facet: Element, face: NDArray[np.int64]) -> tuple[Array, Array]:
        """Shape functions (q, nodes), and outward normals times area [m²] (q, d), at the points of one facet."""
        ...

    def weighted(self, factors: Array, nodes: NDArray[np.int64]) -> Weights:
        """Σ factor · node."""
        ...


@runtime_checkable
class Sided(Protocol):
    """It has curved sides by name, which contact finds points on."""

    def side(self, name: str, wanted_by: Part) -> Any:
        """The pieces of a side."""
        ...


@runtime_checkable
class Loaded(Protocol):
    """A dead traction can act on a part of its surface."""

    def surface_vector(self, group: str, wanted_by: Part) -> Weights:
        """∫ x dA over a named surface."""
        ...


@runtime_checkable
class Filled(Protocol):
    """A force per volume can act on it."""

    def volume_vector(self) -> Weights:
        """∫ x dV."""
        ...


@runtime_checkable
class Extended(Protocol):
    """A line, surface or solid of parameters: loads are spread over it."""

    def spread(self, counts: int = 4) -> list[tuple[float, list[Weights], Array]]:
        """Measure, place and tangents, and tangents at rest, of points all over it; counts: in each direction of an element."""
        ...

    def along(self) -> NDArray[np.int64]:
        """Its parameters that run along it, not across: 1 of a line, 2 of a surface."""
        ...


@runtime_checkable
class Parametric(Protocol):
    """It is a mesh of polynomials in parameters, on which contact can find places anywhere.

    vectors: of each node, its place and gradients as weights.
    """

    body: Any
    mesh: Any
    vectors: list[list[Weights]]

    def along(self) -> NDArray[np.int64]:
        """Its parameters that run along it, not across: 1 of a line, 2 of a surface."""
        ...


@runtime_checkable
class Noded(Protocol):
    """It has nodes that can be held along a direction, or be points of a contact."""

    def node_places(self) -> tuple[dict[str, list[int]], list[Weights]]:
        """Named sets of nodes, and the place of each node."""
        ...

    def slopes_between(self, nodes: list[int]) -> list[tuple[Weights, str]]:
        """Gradients along edges between nodes that are held with them."""
        ...


@runtime_checkable
class Graded(Protocol):
    """It has gradients at its points, which can be clamped and take moments."""

    def gradients(self, point: Point, wanted_by: Part) -> tuple[list[Weights], Array]:
        """r_x, r_y, … at a point, and their values at rest."""
        ...

    def section_gradients(self, point: Point, wanted_by: Part) -> tuple[list[Weights], Array]:
        """Those that turn with the section."""
        ...


@runtime_checkable
class Sectioned(Protocol):
    """A tie holds its sections too, not only their places."""

    def section_vectors(self, point: Point, wanted_by: Part) -> list[Weights]:
        """Vectors of the section at a point that go along with what it is tied to."""
        ...


@runtime_checkable
class SectionTied(Protocol):
    """The same for a tie that is built into the weights."""

    def tied_vectors(self, point: Point, wanted_by: Part) -> list[Weights]:
        """Vectors of the section that still have rows of their own."""
        ...


@runtime_checkable
class Shown(Protocol):
    """It is shown by polygons."""

    def polygons(self) -> tuple[list[Weights], list[list[int]]]:
        """Points, and the numbers of those of each polygon."""
        ...


@runtime_checkable
class Meshed(Protocol):
    """It has stress at the integration points of cells, which `result.fields` reads."""

    def find(self, place: Array, wanted_by: Part) -> tuple[Element, NDArray[np.int64], Array]:
        """Kind and nodes of the cell that holds a place at rest, and ξ there."""
        ...


# --- of bodies as they are declared -----------------------------------------------------------------------------------------


@runtime_checkable
class Shaped(Protocol):
    """Its surfaces are known before it is compiled, so that they can follow those of another."""

    def shape_anchor(self) -> MeshAnchor:
        """Facets and places of its mesh."""
        ...


@runtime_checkable
class Grouped(Protocol):
    """It has named sets of nodes."""

    sets: dict[str, Any]


@runtime_checkable
class Slender(Protocol):
    """It has a section along a line."""

    section: Any


@runtime_checkable
class Averaged(Protocol):
    """Its dilatation may be averaged over cells."""

    dilatation: str


@runtime_checkable
class Reeled(Protocol):
    """Its length may change, wound onto a drum."""

    reel: float | None


# What a body lacks without the capability.
_WORDS: dict[type, str] = {
    Faceted: "surface of facets",
    Sided: "sides",
    Loaded: "surface",
    Filled: "volume",
    Extended: "line or surface that a load spreads over",
    Noded: "nodes",
    Graded: "gradients",
    Meshed: "mesh",
    Shaped: "surface of facets",
    Reeled: "reel",
}


def able(thing: object, capability: type[T], name: str, label: str, fix: str = "") -> T:
    """`thing`, the anchor of the body `name` or the body itself, if it has the capability.

    Otherwise the error of the part `label`: which body, what it lacks, which bodies have it, and `fix`: what to do instead.
    """
    if isinstance(thing, capability):
        return thing
    raise lacking(capability, name, label, fix)


def lacking(capability: type, name: str, label: str, fix: str = "") -> InputError:
    """The error that says that a body has not what it is asked for."""
    what, having = _WORDS[capability], bodies_with(capability)
    others = f" ({', '.join(having)} have)" if having else ""
    return InputError(f"{label}: '{name}' has no {what}{others}{'; ' + fix if fix else ''}")


def bodies_with(capability: type) -> list[str]:
    """Names of the kinds of bodies that have a capability, themselves or by the anchor that their `compile` returns."""
    methods = [name for name in vars(capability) if not name.startswith("_")]
    wanted = methods or list(vars(capability)["__annotations__"])
    found = []
    for name, kind in part_types().items():
        if not issubclass(kind, Body):
            continue
        made = kind.compile.__annotations__.get("return", "")
        anchor = vars(sys.modules[kind.compile.__module__]).get(str(made))
        fields = getattr(kind, "__dataclass_fields__", {})
        if any(all(hasattr(one, n) or n in fields for n in wanted) for one in (kind, anchor) if one is not None):
            found.append(name)
    return sorted(found)
