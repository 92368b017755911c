"""The geometrically exact beam: nodes are positions and rigid frames, strains are those of laws/rigid_frames.py.

An element is one of constant strain (sonneville-2014): its strains are found from the two frames at its ends, exactly,
so that nothing locks, a beam bent to a circle or twisted to a helix by what is constant along it is exact with any number of
elements, and else the error falls with the square of their length. The frames are those of rigid bodies: three unknowns each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import AncfAnchor, Mesh
from condyle.bodies.ancf.frames import frame_strains, in_space, rounded
from condyle.bodies.ancf.line_body import BeamBody
from condyle.bodies.ancf.lines import check_line, frames_along, make_line
from condyle.bodies.ancf.measures import section_at
from condyle.bodies.ancf.shapes import FRAMES, FRAMES_2D, gauss
from condyle.bodies.rigid import keep_rigid
from condyle.errors import InputError
from condyle.laws.codes import FRAME_CONSTRAINT, FRAME_STRAINS
from condyle.model.given import NumbersOrNone, VectorOrNone
from condyle.model.part import Part
from condyle.model.point import Point
from condyle.model.quantities import declared, quantity
from condyle.system.builder import turned
from condyle.system.tables import DIRECTOR, MULTIPLIER
from condyle.system.weights import Weights, combination

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]

# Names of the strains in the order of the law.
STRAINS = ("stretch", "shear y", "shear z", "twist", "bending y", "bending z")


@declared
class Beam(BeamBody):
    """A geometrically exact beam (Simo and Reissner): stretch, shear, bending and twist of any size; sections stay rigid.

    line: points of the axis [m] (two: straight; more: a smooth curve); tangents: directions of the curve there; elements:
    divisions of each piece; section: RoundSection, RectangularSection, Rope (with a diameter) or TaperedSection; normal:
    direction of the section's y axis at the start (3D). prestrain: axial strain without force. inextensible: no stretch;
    shear_rigid: sections stay square to the axis; both are held by one multiplier per strain and element: the force that the
    section carries, times the length of the element. An element must turn by less than half a turn.
    Points: 'start', 'end', node numbers, at(s, y, z): arc length and place in the section [m].
    """

    inextensible: bool = False
    shear_rigid: bool = False
    damping: float = quantity("s", default=0.0, at_least=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)

    def __post_init__(self) -> None:
        self.check_beam_fields()
        self.check_motion()

    def validate(self, model: Model) -> None:
        super().validate(model)
        check_line(self, model.dimension)
        if not self.section.at(0.0).moment_y > 0:
            raise InputError(f"{self.label}: its section has no inertia against turning; give the Rope a diameter")

    @property
    def held(self) -> tuple[int, ...]:
        """Strains (by their place in STRAINS) that are held at zero."""
        return (0,) * self.inextensible + (1, 2) * self.shear_rigid

    def mesh(self, d: int) -> Mesh:
        line = make_line(self)
        frames = frames_along(line, self.normal, self.label)
        lengths, starts = np.ones((len(line.cells), d)), np.zeros((len(line.cells), d))
        lengths[:, 0], starts[:, 0] = line.lengths, line.starts
        nodal = np.concatenate((line.nodes[:, None], frames[:, 1:]), axis=1)
        groups = {"start": [0], "end": [len(nodal) - 1]}
        return Mesh(FRAMES_2D if d == 2 else FRAMES, nodal, line.cells, lengths, starts, groups=groups)

    def section_gradients(self, parameters: int) -> tuple[int, ...]:
        return tuple(range(1, parameters))

    def compile(self, builder: Builder) -> BeamAnchor:
        mesh = self.mesh(builder.d)
        nodes = self._nodes(builder, mesh)
        for e in range(len(mesh.cells)):
            self._add_energy(builder, mesh, e, nodes)
            self._add_mass(builder, mesh, e, nodes)
        return BeamAnchor(self, mesh, nodes)

    def _nodes(self, builder: Builder, mesh: Mesh) -> list[list[Weights]]:
        """r, d1, d2(, d3) of all nodes: rows of a rigid frame each; tied nodes follow the body they are tied to."""
        d = builder.d
        velocity = np.zeros(d) if self.velocity is None else np.asarray(self.velocity)
        spin: Any = np.zeros(3) if d == 3 else 0.0
        if self.angular_velocity is not None:
            spin = np.asarray(self.angular_velocity) if d == 3 else float(np.ravel(self.angular_velocity)[0])
        tied = builder.tied_points(self.name, dict(enumerate(mesh.nodal[:, 0])), mesh.groups)
        nodes: list[list[Weights]] = []
        for i, own in enumerate(mesh.nodal):
            D = _directors(own[1:])
            if i in tied:
                at, anchor, tie = tied[i]
                place = Point(tie.to, tuple(own[0].tolist()), "world")
                nodes.append([at, *(anchor.direction(place, v, "world", tie) for v in D)])
                continue
            r, directors = builder.frame(
                self.name, own[0], D.T, velocity + turned(spin, own[0]), spin, kind=DIRECTOR
            )  # fmt: skip
            keep_rigid(builder, self, directors)
            nodes.append([Weights([row], [1.0]) for row in (r, *directors)])
        return nodes

    def _add_energy(self, builder: Builder, mesh: Mesh, e: int, nodes: list[list[Weights]]) -> None:
        d, L = builder.d, float(mesh.lengths[e, 0])
        i, j = mesh.cells[e]
        k = [section_at(self, mesh, e, q) for q in gauss(2)[0]]
        own = [0.5 * (a + b) for a, b in zip(*((s.axial, s.shear_y, s.shear_z, s.torsion, s.bending_y, s.bending_z) for s in k),
                                             strict=True)]  # fmt: skip
        C = np.diag(np.array(own) / (1.0, 1.0, 1.0, L**2, L**2, L**2))
        # Strains that are held keep their stiffness: it is never stretched, and keeps the equations well conditioned.
        for q in (2, 3, 4) if d == 2 else ():
            C[q, q] = 0.0
        gamma, angles = self.strains(mesh, e, mesh.nodal[i], mesh.nodal[j])
        gamma[0] += self.prestrain
        terms, constant = _terms(d)
        rest = rounded(np.concatenate((gamma, angles)))
        params = (constant, float(len(terms)), *C.ravel().tolist(), *rest, *(float(v) for term in terms for v in term))
        slope = (1.0 / L) * (nodes[j][0] - nodes[i][0])
        vectors = [slope, *nodes[i][1:], *nodes[j][1:]]
        builder.add_energy(self.name, FRAME_STRAINS, vectors, params, L, columns=1)
        builder.energies[-1].element = e
        builder.energies[-1].damping = self.viscosity
        for q in self.held:
            if q < d:
                builder.add_constraint(
                    self.name, FRAME_CONSTRAINT, vectors, (float(q), *params), MULTIPLIER, None, STRAINS[q]
                )

    def strains(self, mesh: Mesh, e: int, first: Array, second: Array) -> tuple[Array, Array]:
        """Γ and L κ of element e between nodes with the vectors r, d2(, d3), shape (d, d)."""
        slope = in_space(second[0] - first[0])[0] / float(mesh.lengths[e, 0])
        a, b = (in_space(_directors(own[1:])) for own in (first, second))
        if len(a) == 2:
            a, b = np.vstack((a, (0.0, 0.0, 1.0))), np.vstack((b, (0.0, 0.0, 1.0)))
        return frame_strains(slope, a, b)

    def _add_mass(self, builder: Builder, mesh: Mesh, e: int, nodes: list[list[Weights]]) -> None:
        """∫ (ρA N Nᵀ on r, ∫ρy² N Nᵀ on d2, ∫ρz² N Nᵀ on d3) ds."""
        L, pair = float(mesh.lengths[e, 0]), [nodes[i] for i in mesh.cells[e]]
        m = np.zeros((3, 2, 2))
        for q, w in zip(*gauss(3), strict=True):
            k = section_at(self, mesh, e, q)
            N = np.array([1.0 - q, q])
            m += w * L * np.array([k.mass, k.moment_y, k.moment_z])[:, None, None] * np.outer(N, N)
        for which, matrix in zip((0, 2, 3), m, strict=True):
            if which <= builder.d:
                builder.add_mass([pair[0][which], pair[1][which]], matrix)


def _directors(sides: Array) -> Array:
    """d1, d2(, d3) as rows, of d2(, d3)."""
    if len(sides) == 1:
        return np.vstack(((sides[0, 1], -sides[0, 0]), sides))
    return np.vstack((np.cross(sides[0], sides[1]), sides))


def _terms(d: int) -> tuple[list[tuple[int, int, int, float]], float]:
    """g (0 … 2), k (3 … 5) and c (6) in the Gram matrix of (Δr/L, a1 … a_d, b1 … b_d), and the constant part of c."""
    a, b = range(1, d + 1), range(d + 1, 2 * d + 1)
    terms = []
    for i in range(d):
        terms += [(i, 0, a[i], 0.5), (i, 0, b[i], 0.5), (6, a[i], b[i], 0.5)]
    for q in range(3) if d == 3 else (2,):
        i, j = (q + 2) % 3 if d == 3 else 1, (q + 1) % 3 if d == 3 else 0
        terms += [(3 + q, a[i], b[j], 0.5), (3 + q, a[j], b[i], -0.5)]
    return terms, -0.5 if d == 3 else 0.0


class BeamAnchor(AncfAnchor):
    """Points of a beam of frames; directions are those of its sections, which do not follow the axis where it shears."""

    rigid_sections = True

    def __init__(self, body: Beam, mesh: Mesh, nodes: list[list[Weights]]) -> None:
        super().__init__(body, mesh, [[own[0], *own[2:]] for own in nodes])
        self.frames = [own[1:] for own in nodes]

    def direction(self, point: Point, vector: Array, frame: str, wanted_by: Part) -> Weights:
        e, xi = self.place(point, wanted_by)
        parts, basis = [], np.zeros((len(vector), len(vector)))
        for i, share in zip(self.mesh.cells[e], (1.0 - xi[0], xi[0]), strict=True):
            D = _directors(self.mesh.nodal[i, 1:])
            basis += share * D
            parts += [(share, k, v) for k, v in enumerate(self.frames[i])]
        amounts = np.linalg.solve(basis.T, np.asarray(vector, dtype=float))
        return combination((share * amounts[k], v) for share, k, v in parts).pruned()
