"""Rigid bodies: rows r, d_1 … d_d with orthonormal directors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies import faces, pictures
from condyle.bodies import inertia as shapes
from condyle.bodies.body import FrameAnchor
from condyle.bodies.faces import checked_faces
from condyle.bodies.mesh import Mesh
from condyle.errors import InputError
from condyle.laws.codes import DOT_PRODUCT, HALF_SQUARE
from condyle.model.body import Body
from condyle.model.fields import numbers
from condyle.model.given import (
    Faces,
    Json,
    NumbersLike,
    NumbersOrNone,
    Option,
    Places,
    ShapeOfBody,
    ShownFaces,
    VectorOrNone,
)
from condyle.model.part import Part, fits, places, plain
from condyle.model.quantities import declared, given, in_mirror, quantity
from condyle.model.rotations import as_rotation_matrix
from condyle.system.tables import DIRECTOR

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class RigidBody(Body):
    """A rigid body in 2D or 3D.

    mass [kg]; inertia [kg m²] about the centre of mass in body axes: one number in 2D, three principal values or a 3×3
    matrix in 3D; or instead second_moment ∫ρ ξξᵀ dV about the centre of mass (d, d), from which the inertia of bodies made
    from shapes follows: it can be read in either case. centre_of_mass, points (by name), outline (lines that draw the body)
    and faces (polygons for ParaView: {'points': …, 'cells': …}) are in body coordinates [m]; a body made of a ball, box,
    cylinder or polygon is drawn as that where they are not given. position, rotation (2D: angle
    [rad]; 3D: matrix, rotation vector or quaternion w, x, y, z), velocity [m/s] of the body origin and angular_velocity
    [rad/s] (3D: world axes) are at the start. shape: with which it meets others in `Collisions`, a Sphere, Box, … in body
    coordinates or a list of them; bodies made of a shape have theirs.
    """

    name: str
    mass: float = quantity("kg", at_least=0.0)
    inertia: NumbersOrNone = quantity("kg m²", default=None)
    centre_of_mass: VectorOrNone = quantity("m", default=None, vector=True)
    position: VectorOrNone = quantity("m", default=None, vector=True)
    rotation: NumbersOrNone = quantity("rad", default=None)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)
    points: Places = quantity("m", default_factory=dict)
    outline: NumbersOrNone = quantity("m", default=None)
    second_moment: NumbersOrNone = quantity("kg m²", default=None)
    faces: Faces = given(default=None)
    shape: ShapeOfBody = given(default=None)
    mirror = in_mirror(
        inertia="tensor", second_moment="tensor", rotation="turn", angular_velocity="axis", points="place", outline="place",
        faces="faces", shape="shape",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.mass == 0.0:
            raise InputError(f"{self.label}: a body that moves needs mass; give mass > 0, or tie it to another body")
        for name in ("inertia", "rotation", "angular_velocity", "second_moment", "outline"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        if self.outline is not None and not (isinstance(self.outline, list) and all(map(np.shape, self.outline))):
            raise InputError(f"{self.label}: its outline must be a list of lines, each a list of points")
        places(self, "points")
        if self.faces is not None:
            self.faces = checked_faces(self.faces, self.label)
        if self.second_moment is not None:
            self._inertia_of_shape()

    def _inertia_of_shape(self) -> None:
        """J = tr(Σ) 1 − Σ, so that `inertia` can be read however the body was made; an error if it is given and another."""
        try:
            second = np.asarray(self.second_moment, dtype=float)
            inertia = shapes.inertia_from_second_moment(second)
        except (TypeError, ValueError):
            return  # `moments` says what is wrong with it
        if inertia.shape not in ((1, 1), (3, 3)):
            return
        own = float(inertia[0, 0]) if len(inertia) == 1 else inertia.tolist()
        given = self.inertia if np.ndim(self.inertia) != 1 else np.diag(self.inertia).tolist()
        _, earlier = self.__dict__.get("_of_shape", (None, None))
        if given not in (None, earlier) and not np.allclose(given, own, rtol=1e-9, atol=1e-12 * np.abs(inertia).max()):
            raise InputError(f"{self.label}: inertia and second_moment contradict each other; give one of them")
        self.__dict__["inertia"], self.__dict__["_of_shape"] = own, (plain(self.second_moment), plain(own))

    def to_dict(self) -> dict[str, Json]:
        data = super().to_dict()
        if self.second_moment is not None:
            data.pop("inertia", None)
        return data

    # --- from shapes ------------------------------------------------------------------------------------------------

    @classmethod
    def box(cls, name: str, size: NumbersLike, density: float, **options: Option) -> Self:
        """A box (3D) or rectangle (2D, unit thickness) of edge lengths `size` [m], centred, density [kg/m³ or kg/m²]."""
        half = 0.5 * _positive(name, "size", size)
        if half.shape not in ((2,), (3,)):
            raise InputError(f"{cls.__name__} '{name}': size is 2 (2D) or 3 edge lengths [m], not {size!r}")
        of_box = shapes.box(2.0 * half, _density(name, density))
        return cls._of(name, of_box, {"box": (2.0 * half).tolist()}, options)

    @classmethod
    def ball(cls, name: str, radius: float, density: float, *, dimension: int = 3, **options: Option) -> Self:
        """A sphere, or with dimension=2 a disk of unit thickness."""
        _positive(name, "radius", radius, ())
        if dimension not in (2, 3):
            raise InputError(f"{cls.__name__} '{name}': dimension must be 2 or 3, not {dimension!r}")
        of_ball = shapes.ball(radius, _density(name, density), dimension)
        return cls._of(name, of_ball, {"ball": float(radius)}, options)

    @classmethod
    def disk(cls, name: str, radius: float, density: float, **options: Option) -> Self:
        """A circular disk in the plane (2D), unit thickness, centred."""
        return cls.ball(name, radius, density, dimension=2, **options)

    @classmethod
    def cylinder(cls, name: str, radius: float, length: float, density: float, **options: Option) -> Self:
        """A solid cylinder along the body's third axis, centred (3D)."""
        _positive(name, "radius and length", (radius, length), (2,))
        of_cylinder = shapes.cylinder(radius, length, _density(name, density))
        return cls._of(name, of_cylinder, {"cylinder": [float(radius), float(length)]}, options)

    @classmethod
    def polygon(cls, name: str, corners: ArrayLike, density: float, **options: Option) -> Self:
        """A flat body (2D) bounded by the corners (counter-clockwise), of unit thickness; any simple polygon."""
        X, density = numbers(corners, f"{cls.__name__} '{name}': corners"), _density(name, density)
        if X.ndim != 2 or X.shape[1] != 2 or len(X) < 3:
            raise InputError(f"{cls.__name__} '{name}': a polygon needs at least 3 corners (x, y)")
        fan = np.zeros((3, 3))  # signed sum over triangles (0, a, b): exact for any simple polygon
        for a, b in zip(X, np.roll(X, -1, axis=0), strict=True):
            P = np.column_stack((np.ones(3), np.array([np.zeros(2), a, b])))
            fan += 0.5 * (a[0] * b[1] - a[1] * b[0]) / 12.0 * P.T @ (np.ones((3, 3)) + np.eye(3)) @ P
        if fan[0, 0] <= 0:
            raise InputError(
                f"{cls.__name__} '{name}': the polygon has no positive area; list corners counter-clockwise"
            )
        centre = fan[0, 1:] / fan[0, 0]
        moment = density * (fan[1:, 1:] - fan[0, 0] * np.outer(centre, centre))
        properties = shapes.MassProperties(density * float(fan[0, 0]), centre, moment)
        return cls._of(name, properties, {"polygon": X.tolist()}, options)

    @classmethod
    def from_mesh(
        cls,
        name: str,
        nodes: ArrayLike,
        cells: NumbersLike,
        density: float,
        *,
        element: str,
        thickness: float = 1.0,
        **options: Option,
    ) -> Self:
        """A rigid body whose mass is that of a mesh with consistent element masses (Taylor 2000, eq. 77)."""
        label = f"{cls.__name__} '{name}'"
        mesh = Mesh(nodes, cells, element)
        X = mesh.nodes
        edges = {
            tuple(sorted((int(c[a]), int(c[b])))) for b_ in mesh.blocks for c in b_.cells for a, b in b_.kind.cell.edges
        }
        options.setdefault("outline", [X[list(edge)].tolist() for edge in sorted(edges)])
        _positive(name, "thickness", thickness, ())
        options.setdefault("faces", faces.of_mesh(X, mesh.cells, element, label))
        of_mesh = shapes.of_mesh(X, mesh.cells, element, _density(name, density), label, thickness)
        return cls._of(name, of_mesh, None, options)

    @classmethod
    def _of(
        cls, name: str, properties: shapes.MassProperties, shape: dict[str, Any] | None, options: dict[str, Any]
    ) -> Self:
        """A body with the mass of a shape, which also draws it; where it meets others with another one, it still does."""
        if shape is not None and options.setdefault("shape", shape) is not shape:
            d = len(properties.second_moment)
            options.setdefault("outline", [line.tolist() for line in pictures.lines_of(shape, d)])
            options.setdefault("faces", pictures.faces_of(shape, d))
        centre = properties.centre.tolist() if properties.centre.any() else None
        return cls(
            name,
            properties.mass,
            centre_of_mass=options.pop("centre_of_mass", centre),
            second_moment=properties.second_moment.tolist(),
            **options,
        )

    # --- checks and compilation -------------------------------------------------------------------------------------

    def validate(self, model: Model) -> None:
        d = model.dimension
        for name in ("centre_of_mass", "position", "velocity"):
            fits(self, name, d)
        as_rotation_matrix(self.rotation, d, self.label)
        self.spin(d)
        self.moments(d)
        for line in self.outline or ():
            if np.shape(line)[1:] != (d,):
                raise InputError(
                    f"{self.label}: its outline must be lines of points with {d} coordinates, not {line!r}"
                )
        for name, place in self.points.items():
            if len(place) != d or not np.isfinite(place).all():
                raise InputError(f"{self.label}: the point '{name}' must have {d} finite coordinates, not {place}")

    def spin(self, d: int) -> NDArray[np.float64]:
        """Angular velocity at the start: a number in 2D, shape (3,) in 3D [rad/s]."""
        shape = (3,) if d == 3 else ()
        if self.angular_velocity is None:
            return np.zeros(shape)
        return numbers(self.angular_velocity, f"{self.label}: angular_velocity", shape=shape, unit=" [rad/s]")

    def moments(self, d: int) -> NDArray[np.float64]:
        """∫ρ [1; ξ][1; ξ]ᵀ dV about the body origin, shape (d + 1, d + 1): the mass matrix of the rows r, d_1 … d_d."""
        given = plain([d, self.mass, self.centre_of_mass, self.second_moment, self.inertia])
        earlier, kept = self.__dict__.get("_moments", (None, None))
        if given == earlier:
            return kept
        follows = (self.second_moment, self.inertia) == self.__dict__.get("_of_shape")  # then it cannot contradict
        second = shapes.second_moment(self.second_moment, None if follows else self.inertia, d, self.label)
        centre = np.zeros(d) if self.centre_of_mass is None else np.asarray(self.centre_of_mass)
        matrix = np.empty((d + 1, d + 1))
        matrix[0, 0] = self.mass
        matrix[0, 1:] = matrix[1:, 0] = self.mass * centre
        matrix[1:, 1:] = second if self.centre_of_mass is None else second + self.mass * np.outer(centre, centre)
        matrix.flags.writeable = False
        self.__dict__["_moments"] = (given, matrix)  # asked for when it is checked and when it is compiled
        return matrix

    def in_short(self) -> str:
        return f"{self.mass:.6g} kg"

    def named_points(self) -> dict[str, tuple[float, ...]]:
        return self.points

    def shown_faces(self) -> ShownFaces:
        drawn = self._drawn_as()
        if self.faces is None and drawn is not None:
            return pictures.faces_of(*drawn)
        return self.faces or super().shown_faces()

    def _drawn_as(self) -> tuple[dict[str, Any], int] | None:
        """The ball, box, … that it is made of, by which it is drawn if nothing else was given, and its dimension."""
        made = self.second_moment is not None and isinstance(self.shape, dict)
        return (self.shape, len(self.second_moment)) if made else None

    def outline_lines(self) -> list[NDArray[np.float64]]:
        """Lines that draw the body, in body coordinates."""
        if self.outline is not None:
            return [np.asarray(line, dtype=float) for line in self.outline]
        drawn = self._drawn_as()
        if drawn is not None:
            return pictures.lines_of(*drawn)
        places = [np.asarray(p) for p in self.points.values()]
        centre = np.zeros(len(places[0])) if places else None
        return [np.array([centre, p]) for p in places if centre is not None]

    def start_frame(self, d: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Origin (d,), rotation matrix (d, d) and velocity (d,) at the start."""
        origin = np.zeros(d) if self.position is None else np.asarray(self.position, dtype=float)
        velocity = np.zeros(d) if self.velocity is None else np.asarray(self.velocity, dtype=float)
        return origin, as_rotation_matrix(self.rotation, d, self.label), velocity

    def compile(self, builder: Builder) -> FrameAnchor:
        d = builder.d
        origin, turn, velocity = self.start_frame(d)
        r, rows = builder.frame(self.name, origin, turn, velocity, self.spin(d), kind=DIRECTOR)
        moments = self.moments(d)
        builder.add_row_mass([r, *rows], moments)
        keep_rigid(builder, self, rows)
        # A body without inertia about some axis (thin bar, particle): its tangent needs a stand-in there.
        about_origin = moments[1:, 1:]
        eigenvalues = shapes.principal(about_origin) or np.linalg.eigvalsh(about_origin).tolist()
        trace = sum(eigenvalues)
        if sum(eigenvalues[: d - 1]) <= 1e-12 * max(trace, 1e-300) or trace <= 0.0:
            size = trace if trace > 0 else self.mass
            builder.singular.update(dict.fromkeys(rows, size))
        return FrameAnchor(builder, self, r, rows)


def keep_rigid(builder: Builder, body: Part, rows: tuple[int, ...]) -> None:
    """Internal constraints d_i·d_j = δ_ij."""
    name, own = getattr(body, "name", ""), np.array(rows)
    for i in range(len(rows)):
        builder.add_internal(name, HALF_SQUARE, own[i : i + 1], 1.0, f"|d{i + 1}|")
        for j in range(i):
            builder.add_internal(name, DOT_PRODUCT, own[[j, i]], 0.0, f"d{j + 1}·d{i + 1}")


def _positive(name: str, what: str, value: object, shape: tuple[int, ...] | None = None) -> NDArray[np.float64]:
    array = numbers(value, f"RigidBody '{name}': {what}", shape=shape)
    if (array <= 0).any():
        raise InputError(f"RigidBody '{name}': {what} must be positive, not {value!r}")
    return array


def _density(name: str, value: float) -> float:
    given = float(numbers(value, f"RigidBody '{name}': density", shape=()))
    if given < 0.0:
        raise InputError(f"RigidBody '{name}': density must be at least 0, not {given:g}")
    return given
