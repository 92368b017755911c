"""What is simulated: mechanisms of rigid bodies in plain arrays that say nothing of any engine, and how errors are measured.

Every mechanism starts in a pose that is not flat, with links that turn against each other as far as the joints let them, and
falls under gravity, so that all of it moves in three dimensions from the first step on. Energy and joint gaps are computed
from poses and velocities by the same two functions for every engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import splu

Array = NDArray[np.float64]

GRAVITY = 9.81  # [m/s²], along −z
GROUND = -1  # as body a of a joint
LENGTH = 0.2  # of a link [m]
SECTION = (0.04, 0.02)  # of a link [m]
DENSITY = 1000.0  # [kg/m³]
SPIN = 10.0  # of a link at the start, before the joints are asked [rad/s]


@dataclass(frozen=True)
class Mechanism:
    """n rigid bodies and m joints at the start.

    mass [kg] (n,); inertia [kg m²] (n, 3) about the principal axes, which are the body axes; position [m] (n, 3) of the
    centres of mass; rotation (n, 3, 3) from body to world axes; velocity [m/s] (n, 3) of the centres of mass and spin
    [rad/s] (n, 3) in world axes, which agree with the joints. Joint k holds body b[k] to body a[k] (or GROUND) at the
    place at[k] [m]; axis (m, 3) is the direction of a hinge, zero for a ball joint.
    """

    name: str
    mass: Array
    inertia: Array
    position: Array
    rotation: Array
    velocity: Array
    spin: Array
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    at: Array
    axis: Array

    @property
    def size(self) -> int:
        """Number of bodies."""
        return len(self.mass)

    @property
    def hinges(self) -> NDArray[np.bool_]:
        """Which joints are hinges, shape (m,)."""
        return self.axis.any(axis=1)

    def closing(self) -> NDArray[np.bool_]:
        """Which joints close a loop: those that join two bodies that earlier joints already connect, shape (m,)."""
        root = np.arange(self.size + 1)  # the ground is the last

        def top(i: int) -> int:
            while root[i] != i:
                root[i] = root[root[i]]
                i = root[i]
            return i

        closing = np.zeros(len(self.a), dtype=bool)
        for k, (i, j) in enumerate(zip(self.a % (self.size + 1), self.b, strict=True)):
            first, second = top(i), top(j)
            closing[k] = first == second
            root[second] = first
        return closing

    def tree(self) -> list[tuple[int, int, int]]:
        """The joints that close no loop as (parent, child, joint), depth first: each branch is numbered through."""
        beside: dict[int, list[tuple[int, int]]] = {}
        for k in np.flatnonzero(~self.closing()).tolist():
            for one, other in ((int(self.a[k]), int(self.b[k])), (int(self.b[k]), int(self.a[k]))):
                beside.setdefault(one, []).append((other, k))
        found: list[tuple[int, int, int]] = []
        waiting = [(GROUND, child, k) for child, k in beside[GROUND]]
        while waiting:
            parent, body, joint = waiting.pop()
            found.append((parent, body, joint))
            waiting += [(body, child, k) for child, k in beside[body] if k != joint]
        return found


@dataclass(frozen=True)
class Snapshot:
    """Positions [m] and velocities [m/s] of the centres of mass (n, 3), rotations (n, 3, 3), spins [rad/s] in world axes."""

    position: Array
    rotation: Array
    velocity: Array
    spin: Array


# --- errors -----------------------------------------------------------------------------------------------------------


def energies(mechanism: Mechanism, now: Snapshot) -> tuple[float, float]:
    """Kinetic energy and total energy [J]."""
    local = np.einsum("nji,nj->ni", now.rotation, now.spin)
    kinetic = 0.5 * (mechanism.mass @ (now.velocity**2).sum(axis=1) + (mechanism.inertia * local**2).sum())
    return float(kinetic), float(kinetic + GRAVITY * mechanism.mass @ now.position[:, 2])


def at_start(mechanism: Mechanism) -> Snapshot:
    """The state in which it is described."""
    return Snapshot(mechanism.position, mechanism.rotation, mechanism.velocity, mechanism.spin)


def joint_gap(mechanism: Mechanism, now: Snapshot) -> float:
    """Largest distance between the two points of a joint, in link lengths; of a hinge also the angle between its axes."""
    m = mechanism

    def carried(body: NDArray[np.int64], vector: Array, *, point: bool) -> Array:
        """A point or direction at the start, where its body has taken it."""
        base = vector - m.position[body] if point else vector
        turned = np.einsum("nij,nkj,nk->ni", now.rotation[body], m.rotation[body], base)
        turned = turned + now.position[body] if point else turned
        return np.where((body == GROUND)[:, None], vector, turned)

    gap = carried(m.a, m.at, point=True) - carried(m.b, m.at, point=True)
    twist = np.cross(carried(m.a, m.axis, point=False), carried(m.b, m.axis, point=False))
    return float(max(np.linalg.norm(gap, axis=1).max() / LENGTH, np.linalg.norm(twist, axis=1).max()))


# --- building ---------------------------------------------------------------------------------------------------------


class Assembly:
    """Collects links (boxes between two points) and joints."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bodies: list[tuple[float, Array, Array, Array]] = []
        self.joints: list[tuple[int, int, Array, Array]] = []

    def link(self, start: Array, end: Array, mass: float | None = None, width: float | None = None) -> int:
        """A box from start to end, its own x axis along it; returns its number."""
        along = end - start
        length = float(np.linalg.norm(along))
        x = along / length
        side = np.cross((0.0, 0.0, 1.0) if abs(x[2]) < 0.9 else (0.0, 1.0, 0.0), x)
        y = side / np.linalg.norm(side)
        turn = np.column_stack((x, y, np.cross(x, y)))
        w, h = SECTION if width is None else (width, 0.8 * width)
        m = DENSITY * length * w * h if mass is None else mass
        inertia = m / 12.0 * np.array([w * w + h * h, length**2 + h * h, length**2 + w * w])
        self.bodies.append((m, inertia, 0.5 * (start + end), turn))
        return len(self.bodies) - 1

    def joint(self, a: int, b: int, at: Array, axis: Array | None = None) -> None:
        """A ball joint, or with an axis a hinge."""
        unit = np.zeros(3) if axis is None else np.asarray(axis) / np.linalg.norm(axis)
        self.joints.append((a, b, np.asarray(at, dtype=float), unit))

    def done(self) -> Mechanism:
        """The mechanism."""
        mass, inertia, position, rotation = (np.array(column) for column in zip(*self.bodies, strict=True))
        a, b, at, axis = (np.array(column) for column in zip(*self.joints, strict=True))
        velocity, spin = swing(mass, inertia, position, rotation, a, b, at, axis)
        return Mechanism(self.name, mass, inertia, position, rotation, velocity, spin, a, b, at, axis)


def swing(mass: Array, inertia: Array, position: Array, rotation: Array, a: NDArray[np.int64], b: NDArray[np.int64],
          at: Array, axis: Array) -> tuple[Array, Array]:  # fmt: skip
    """Velocities and spins that agree with the joints, as near as possible (by kinetic energy) to links that spin on the spot.

    u = u0 − M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ G u0, with the gradients G of the joints and u = (v, ω) of all bodies.
    """
    n, angle = len(mass), 1.3 * np.arange(len(mass))
    wanted = np.zeros((n, 6))
    wanted[:, 3:] = SPIN * np.column_stack((0.3 * np.cos(2.0 * angle), np.sin(angle), np.cos(angle)))
    rows: list[NDArray[np.int64]] = []
    columns: list[NDArray[np.int64]] = []
    values: list[Array] = []

    def add(row: NDArray[np.int64], body: NDArray[np.int64], first: int, block: Array) -> None:
        """Blocks (k, 3) on the three velocities of a body from `first` on; the ground has none."""
        free = body != GROUND
        rows.append(np.repeat(row[free], 3))
        columns.append((6 * body[free, None] + first + np.arange(3)).ravel())
        values.append(block[free].ravel())

    joint = np.arange(len(a))
    for body, sign in ((a, 1.0), (b, -1.0)):
        arm = at - position[body]
        for i, unit in enumerate(np.eye(3)):  # component i of v + ω × arm
            add(3 * joint + i, body, 0, np.broadcast_to(sign * unit, arm.shape))
            add(3 * joint + i, body, 3, sign * np.cross(arm, unit))
    hinge = np.flatnonzero(axis.any(axis=1))
    square = np.eye(3)[np.abs(axis[hinge]).argmin(axis=1)]
    for k in range(2):  # two directions square to the axis
        square = np.cross(axis[hinge], square)
        for body, sign in ((a, 1.0), (b, -1.0)):
            add(3 * len(a) + 2 * np.arange(len(hinge)) + k, body[hinge], 3, sign * square)
    size = (3 * len(a) + 2 * len(hinge), 6 * n)
    G = sp.csc_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=size)
    blocks = np.zeros((n, 6, 6))  # of M⁻¹
    blocks[:, :3, :3] = np.eye(3) / mass[:, None, None]
    blocks[:, 3:, 3:] = np.einsum("nij,nj,nkj->nik", rotation, 1.0 / inertia, rotation)
    inverse = sp.bsr_matrix((blocks, np.arange(n), np.arange(n + 1)), shape=(6 * n, 6 * n)).tocsc()
    u, factors = wanted.ravel(), splu((G @ inverse @ G.T).tocsc())
    for _ in range(2):  # the second time for what round-off left
        u = u - inverse @ (G.T @ factors.solve(G @ u))
    return u.reshape(n, 6)[:, :3].copy(), u.reshape(n, 6)[:, 3:].copy()


def helix(count: int, turn: float = 2.1) -> Array:
    """Corners of a line of `count` links that goes round a helix along x, shape (count + 1, 3)."""
    angle = turn * np.arange(count)
    steps = np.column_stack((np.ones(count), 0.5 * np.cos(angle), 0.5 * np.sin(angle)))
    steps *= LENGTH / np.linalg.norm(steps, axis=1)[:, None]
    return np.vstack((np.zeros(3), np.cumsum(steps, axis=0)))


def chain(bodies: int, *, hinges: bool = False, copies: int = 1) -> Mechanism:
    """A chain held at one end; with hinges, their axes are square to the links and alternate between two directions."""
    kind = "revolute" if hinges else "spherical"
    made = Assembly(f"{kind} chain of {bodies}" if copies == 1 else f"{copies} chains of {bodies}")
    for copy in range(copies):
        line = helix(bodies) + copy * np.array([0.0, 1.0, 0.0])
        before = GROUND
        for i, (start, end) in enumerate(pairwise(line)):
            body = made.link(start, end)
            made.joint(before, body, start, made.bodies[body][3][:, 1 + i % 2] if hinges else None)
            before = body
    return made.done()


def tree(bodies: int) -> Mechanism:
    """A binary tree: two links hang on the end of every link."""
    made = Assembly(f"tree of {bodies}")
    angle, height = 2.4 * np.arange(bodies), np.linspace(-0.8, 0.8, 7)[np.arange(bodies) % 7]
    ring = np.sqrt(1.0 - height**2)
    way = LENGTH * np.column_stack((ring * np.cos(angle), ring * np.sin(angle), height))
    ends = [np.zeros(3)]
    for i in range(bodies):
        before = (i - 1) // 2 if i else GROUND
        start = ends[before + 1]
        ends.append(start + way[i])
        made.joint(before, made.link(start, ends[-1]), start)
    return made.done()


def ring(bodies: int) -> Mechanism:
    """One closed loop that hangs at one of its corners."""
    made = Assembly(f"ring of {bodies}")
    angle = 2.0 * np.pi * np.arange(bodies + 1) / bodies
    radius = LENGTH / (2.0 * np.sin(np.pi / bodies))
    wave = 0.2 * LENGTH * np.cos(np.arange(bodies + 1) * 2.1)
    wave[-1] = wave[0]
    line = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), 0.3 * radius * np.cos(angle) + wave))
    line -= line[0]
    links = [made.link(start, end) for start, end in pairwise(line)]
    made.joint(GROUND, links[0], line[0])
    for one, other in pairwise(links):
        made.joint(one, other, line[other])
    made.joint(links[-1], links[0], line[0])
    return made.done()


def ladder(bodies: int) -> Mechanism:
    """Many closed loops: two lines of links that hang side by side, with a rung at every joint; 3 bodies per loop."""
    made = Assembly(f"ladder of {bodies}")
    cells = max(1, bodies // 3)
    left = helix(cells)
    right = helix(cells, 1.7) + np.array([0.0, LENGTH, 0.0])
    rails = [GROUND, GROUND]
    for k in range(cells):
        for side, line in enumerate((left, right)):
            body = made.link(line[k], line[k + 1])
            made.joint(rails[side], body, line[k])
            rails[side] = body
        rung = made.link(left[k + 1], right[k + 1])
        made.joint(rails[0], rung, left[k + 1])
        made.joint(rails[1], rung, right[k + 1])
    return made.done()


def human() -> Mechanism:
    """A human of 20 segments and 75 kg that holds a bar with one hand and falls: 13 ball joints, 6 hinges, a grip.

    Lengths [m] and masses (shares of the whole) are rounded from common anthropometric tables.
    """
    made = Assembly("human")
    place: dict[str, Array] = {}
    number: dict[str, int] = {}

    def add(name: str, start: tuple[float, ...], end: tuple[float, ...], share: float, width: float) -> None:
        place[name] = np.array(start, dtype=float)
        number[name] = made.link(place[name], np.array(end, dtype=float), 75.0 * share, width)

    add("pelvis", (0, 0, 1.0), (0, 0, 1.12), 0.14, 0.30)
    add("abdomen", (0, 0, 1.12), (0.02, 0, 1.26), 0.14, 0.28)
    add("thorax", (0.02, 0, 1.26), (0, 0, 1.50), 0.19, 0.30)
    add("head", (0, 0, 1.50), (0.03, 0, 1.78), 0.08, 0.16)
    for side, s in (("left", 1.0), ("right", -1.0)):
        add(f"{side} clavicle", (0, 0.02 * s, 1.46), (0, 0.19 * s, 1.46), 0.01, 0.06)
        add(f"{side} upper arm", (0, 0.19 * s, 1.46), (0.05, 0.45 * s, 1.40), 0.028, 0.09)
        add(f"{side} forearm", (0.05, 0.45 * s, 1.40), (0.25, 0.55 * s, 1.48), 0.016, 0.07)
        add(f"{side} hand", (0.25, 0.55 * s, 1.48), (0.40, 0.56 * s, 1.55), 0.006, 0.06)
        add(f"{side} thigh", (0, 0.09 * s, 0.98), (0.08, 0.12 * s, 0.55), 0.10, 0.15)
        add(f"{side} shank", (0.08, 0.12 * s, 0.55), (-0.05, 0.13 * s, 0.12), 0.045, 0.10)
        add(f"{side} foot", (-0.05, 0.13 * s, 0.12), (0.08, 0.14 * s, 0.03), 0.012, 0.07)
        add(f"{side} toes", (0.08, 0.14 * s, 0.03), (0.15, 0.15 * s, 0.02), 0.003, 0.05)

    grip = made.bodies[number["left hand"]][2]
    made.joint(GROUND, number["left hand"], grip)
    for one, other in (("pelvis", "abdomen"), ("abdomen", "thorax"), ("thorax", "head")):
        made.joint(number[one], number[other], place[other])
    across = np.array([0.0, 1.0, 0.0])
    for side in ("left", "right"):
        arm = ["thorax", *(f"{side} {name}" for name in ("clavicle", "upper arm", "forearm", "hand"))]
        leg = ["pelvis", *(f"{side} {name}" for name in ("thigh", "shank", "foot", "toes"))]
        for one, other in (*pairwise(arm), *pairwise(leg)):
            hinge = other.endswith(("forearm", "shank", "toes"))
            axis = np.array([0.0, 0.3, 1.0]) if other.endswith("forearm") else across
            made.joint(number[one], number[other], place[other], axis if hinge else None)
    return made.done()


# --- cables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A round cable or beam in the plane or in space, level at the start and at rest, pinned (a beam: clamped) at one end.

    Lengths [m], Young's modulus [Pa], density [kg/m³], damping [s]: time of Kelvin–Voigt damping of stretch and bending.
    """

    elements: int
    kind: str = "cable"  # or, with shear, "beam" of nodes with gradients, "exact beam" of nodes with rigid frames
    dimension: int = 2
    length: float = 2.0
    radius: float = 0.01
    young: float = 2e8
    density: float = 1000.0
    damping: float = 0.0

    @property
    def name(self) -> str:
        """How tables call it."""
        return f"{self.kind} of {self.elements} elements"

    @property
    def stiffness(self) -> tuple[float, float, float]:
        """EA [N], EI [N m²], kg/m of the round section."""
        area = np.pi * self.radius**2
        return self.young * area, self.young * np.pi * self.radius**4 / 4.0, self.density * area
