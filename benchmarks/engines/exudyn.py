"""Exudyn: rigid bodies held together by joints, generalized-α with modified Newton; hinged trees also in joint coordinates.

The module without range checks, default tolerances, no output. A variant names the coordinates (Euler parameters, Lie
group with rotation vectors, joint angles), the linear solver, the number of threads, and whether joints are held in
positions (index 3) or velocities (index 2, with the trapezoidal rule, as it demands).
"""

from __future__ import annotations

import io
import os
import sys
import time
from contextlib import redirect_stdout
from itertools import pairwise
from typing import Any

import numpy as np
from workloads import GRAVITY, GROUND, Line, Mechanism, Snapshot

sys.exudynFast = True  # type: ignore[attr-defined]  # the faster of its two modules, chosen before the import
with redirect_stdout(io.StringIO()):
    import exudyn as exu
    import exudyn.itemInterface as items
    from exudyn.itemInterface import NodeGenericODE2, ObjectKinematicTree
    from exudyn.rigidBodyUtilities import RigidBodyInertia
exu.config.printToConsole = False

NODES = {"Euler": exu.NodeType.RotationEulerParameters, "Lie": exu.NodeType.RotationRotationVector}
SOLVERS = {
    "dense": exu.LinearSolverType.EigenDense,
    "sparse": exu.LinearSolverType.EigenSparse,
}


def variants(mechanism: Mechanism) -> list[str]:
    """What came out fastest somewhere; the rest of what it offers was slower by far at the sizes left out here."""
    threads = min(4, os.cpu_count() or 1)
    if mechanism.size > 2000:
        return ["Euler sparse 1 index3", f"Euler sparse {threads} index3"]
    names = ["Euler sparse 1 index3", "Euler sparse 1 index2", "Lie sparse 1 index3"]
    if mechanism.size > 200:
        return [*names, f"Euler sparse {threads} index3"]
    if mechanism.size <= 30:
        names.append("Euler dense 1 index3")
    if mechanism.hinges.all() and not mechanism.closing().any():
        names.append("joints dense 1 index3")
    return names


class Run:
    """An assembled system and its settings."""

    def __init__(self, mechanism: Mechanism, variant: str, dt: float) -> None:
        began = time.perf_counter()
        coordinates, solver, threads, index = variant.split()
        self.mechanism, self.dt = mechanism, dt
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.tree = JointTree(self.mbs, mechanism) if coordinates == "joints" else None
        if self.tree is None:
            self.bodies = add_bodies(self.mbs, mechanism, NODES[coordinates])
        self.mbs.Assemble()
        self.settings = exu.SimulationSettings()
        self.settings.solution.file.write = False
        self.settings.solution.sensors.active = False
        self.settings.linearSolver.solverType = SOLVERS[solver]
        self.settings.linearSolver.reuseAnalyzedPattern = True
        self.settings.parallel.numberOfThreads = int(threads)
        stepping = self.settings.timeIntegration
        stepping.newton.useModifiedNewton = True
        stepping.generalizedAlpha.useIndex2Constraints = stepping.generalizedAlpha.useNewmark = index == "index2"
        data, initial = self.mbs.systemData, exu.ConfigurationType.Initial
        self.start = data.GetSystemState(initial)
        self.setup = time.perf_counter() - began

    def run(self, steps: int, frames: int = 0) -> tuple[float, list[Snapshot]]:
        stepping, data = self.settings.timeIntegration, self.mbs.systemData
        data.SetSystemState(self.start, exu.ConfigurationType.Initial)
        seconds, taken = 0.0, [self.snapshot(exu.ConfigurationType.Initial)] if frames else []
        each = max(1, steps // max(frames, 1))
        for done in range(0, steps, each):
            stepping.startTime, stepping.numberOfSteps = done * self.dt, each
            stepping.endTime = (done + each) * self.dt
            stepping.generalizedAlpha.computeInitialAccelerations = done == 0
            began = time.perf_counter()
            self.mbs.SolveDynamic(self.settings, updateInitialValues=frames > 0)
            seconds += time.perf_counter() - began
            if frames:
                taken.append(self.snapshot(exu.ConfigurationType.Current))
        return seconds, taken

    def snapshot(self, which: Any) -> Snapshot:
        if self.tree is not None:
            return self.tree.snapshot(which)
        kind = exu.OutputVariableType
        kinds = (kind.Position, kind.RotationMatrix, kind.Velocity, kind.AngularVelocity)
        read = [np.array([self.mbs.GetObjectOutputBody(b, k, configuration=which) for b in self.bodies]) for k in kinds]
        return Snapshot(read[0], read[1].reshape(-1, 3, 3), read[2], read[3])


def add_bodies(mbs: Any, m: Mechanism, kind: Any) -> list[Any]:
    """Rigid bodies and joints with multipliers; returns the numbers of the bodies."""
    ground = mbs.CreateGround()
    bodies = [
        mbs.CreateRigidBody(
            inertia=RigidBodyInertia(mass=m.mass[i], inertiaTensor=np.diag(m.inertia[i])), nodeType=kind,
            referencePosition=m.position[i], referenceRotationMatrix=m.rotation[i], initialVelocity=m.velocity[i],
            initialAngularVelocity=m.spin[i], gravity=[0, 0, -GRAVITY],
        )
        for i in range(m.size)
    ]  # fmt: skip
    for k, hinge in enumerate(m.hinges):
        pair = [ground if m.a[k] == GROUND else bodies[m.a[k]], bodies[m.b[k]]]
        if hinge:
            mbs.CreateRevoluteJoint(itemNumbers=pair, position=m.at[k], axis=m.axis[k], useGlobalFrame=True, show=False)
        else:
            mbs.CreateSphericalJoint(itemNumbers=pair, position=m.at[k], show=False)
    return bodies


class JointTree:
    """The same in the angles of the hinges: frames sit at the joints, with their third axis along the hinge."""

    def __init__(self, mbs: Any, m: Mechanism) -> None:
        self.mbs, self.mechanism = mbs, m
        self.order = m.tree()  # parent body, body, joint
        place = {child: i for i, (_, child, _) in enumerate(self.order)}
        self.parents = [-1 if parent == GROUND else place[parent] for parent, _, _ in self.order]
        self.frames = [frame_about(m.axis[k] * (1.0 if m.b[k] == child else -1.0)) for _, child, k in self.order]
        self.at = [m.at[k] for _, _, k in self.order]
        turns, offsets, inertias, centres, rates = [], [], [], [], []
        for (parent, child, k), before, frame in zip(self.order, self.parents, self.frames, strict=True):
            base = np.eye(3) if parent == GROUND else self.frames[before]
            origin = np.zeros(3) if parent == GROUND else self.at[before]
            turns.append(base.T @ frame)
            offsets.append(base.T @ (m.at[k] - origin))
            own = frame.T @ m.rotation[child]
            inertias.append(own @ np.diag(m.inertia[child]) @ own.T)
            centres.append(frame.T @ (m.position[child] - m.at[k]))
            rates.append(frame[:, 2] @ (m.spin[child] - (0.0 if parent == GROUND else m.spin[parent])))
        n = m.size
        self.node = mbs.AddNode(
            NodeGenericODE2(referenceCoordinates=[0.0] * n, initialCoordinates=[0.0] * n,
                            initialCoordinates_t=[float(rate) for rate in rates], numberOfODE2Coordinates=n)
        )  # fmt: skip
        mbs.AddObject(
            ObjectKinematicTree(
                nodeNumber=self.node, jointTypes=[exu.JointType.RevoluteZ] * n, linkParents=self.parents,
                jointTransformations=exu.Matrix3DList(turns), jointOffsets=exu.Vector3DList(offsets),
                linkInertiasCOM=exu.Matrix3DList(inertias), linkCOMs=exu.Vector3DList(centres),
                linkMasses=[float(m.mass[child]) for _, child, _ in self.order], gravity=[0, 0, -GRAVITY],
            )
        )  # fmt: skip

    def snapshot(self, which: Any) -> Snapshot:
        """Forward kinematics from angles and their rates."""
        m, kind = self.mechanism, exu.OutputVariableType
        q = np.atleast_1d(self.mbs.GetNodeOutput(self.node, kind.Coordinates, which))
        rate = np.atleast_1d(self.mbs.GetNodeOutput(self.node, kind.Coordinates_t, which))
        out = Snapshot(*(np.empty_like(a) for a in (m.position, m.rotation, m.velocity, m.spin)))
        for i, (parent, child, k) in enumerate(self.order):
            c, s = np.cos(q[i]), np.sin(q[i])
            turn = self.frames[i] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ self.frames[i].T
            base = np.eye(3) if parent == GROUND else out.rotation[parent] @ m.rotation[parent].T
            axis = base @ self.frames[i][:, 2]
            out.rotation[child] = base @ turn @ m.rotation[child]
            joint, moving, spin = m.at[k], np.zeros(3), np.zeros(3)
            if parent != GROUND:
                arm = base @ (m.at[k] - m.position[parent])
                spin = out.spin[parent]
                joint, moving = out.position[parent] + arm, out.velocity[parent] + np.cross(spin, arm)
            out.spin[child] = spin + rate[i] * axis
            arm = base @ turn @ (m.position[child] - m.at[k])
            out.position[child], out.velocity[child] = joint + arm, moving + np.cross(out.spin[child], arm)
        return out


def frame_about(axis: np.ndarray) -> np.ndarray:
    """A rotation matrix whose third column is the axis."""
    side = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    side /= np.linalg.norm(side)
    return np.column_stack((side, np.cross(axis, side), axis))


class LineRun:
    """The cable in ObjectANCFCable2D or ObjectANCFCable, the beam in ObjectANCFBeam; generalized-α with modified Newton."""

    def __init__(self, line: Line, variant: str, dt: float) -> None:
        self.dt, self.dimension = dt, line.dimension
        self.container = exu.SystemContainer()
        mbs = self.mbs = self.container.AddSystem()
        self.nodes = beam_elements(mbs, line) if line.kind == "beam" else cable_elements(mbs, line)
        origin = mbs.AddMarker(
            items.MarkerNodeCoordinate(nodeNumber=mbs.AddNode(items.NodePointGround()), coordinate=0)
        )
        for k in range(9 if line.kind == "beam" else line.dimension):
            own = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=self.nodes[0], coordinate=k))
            mbs.AddObject(items.CoordinateConstraint(markerNumbers=[origin, own]))
        mbs.Assemble()
        self.settings = exu.SimulationSettings()
        self.settings.solution.file.write = False
        self.settings.solution.sensors.active = False
        self.settings.linearSolver.solverType = SOLVERS[variant]
        self.settings.linearSolver.reuseAnalyzedPattern = True
        self.settings.timeIntegration.newton.useModifiedNewton = True

    def run(self, steps: int) -> tuple[float, np.ndarray]:
        stepping = self.settings.timeIntegration
        stepping.numberOfSteps, stepping.endTime = steps, steps * self.dt
        began = time.perf_counter()
        self.mbs.SolveDynamic(self.settings, updateInitialValues=False)
        seconds = time.perf_counter() - began
        tip = self.mbs.GetNodeOutput(self.nodes[-1], exu.OutputVariableType.Position)
        return seconds, np.asarray(tip)[: self.dimension]


def cable_elements(mbs: Any, line: Line) -> list[Any]:
    """Nodes with a slope, elements between them, gravity; returns the nodes."""
    axial, bending, mass = line.stiffness
    size, plane = line.length / line.elements, line.dimension == 2
    node = items.NodePoint2DSlope1 if plane else items.NodePointSlope1
    rest = [1.0, 0.0] if plane else [1.0, 0.0, 0.0]
    nodes = [mbs.AddNode(node(referenceCoordinates=[k * size, *rest[1:], *rest])) for k in range(line.elements + 1)]
    for pair in pairwise(nodes):
        body = mbs.AddObject(
            (items.ObjectANCFCable2D if plane else items.ObjectANCFCable)(
                nodeNumbers=list(pair), physicsLength=size, physicsMassPerLength=mass, physicsBendingStiffness=bending,
                physicsAxialStiffness=axial, physicsBendingDamping=line.damping * bending,
                physicsAxialDamping=line.damping * axial,
            )
        )  # fmt: skip
        add_weight(mbs, body, plane)
    return nodes


def beam_elements(mbs: Any, line: Line) -> list[Any]:
    """The same with two slopes across, and a round section without Poisson's effect."""
    axial, bending, mass = line.stiffness
    size, turning = line.length / line.elements, 0.25 * mass * line.radius**2
    shear = 0.5 * axial * 6.0 / 7.0  # ν = 0
    section = exu.BeamSection()
    section.stiffnessMatrix = np.diag([axial, shear, shear, bending, bending, bending])
    section.inertia = np.diag([2.0 * turning, turning, turning])
    section.massPerLength = mass
    nodes = [
        mbs.AddNode(items.NodePointSlope23(referenceCoordinates=[k * size, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]))
        for k in range(line.elements + 1)
    ]
    for pair in pairwise(nodes):
        body = mbs.AddObject(items.ObjectANCFBeam(nodeNumbers=list(pair), physicsLength=size, sectionData=section))
        add_weight(mbs, body, False)
    return nodes


def add_weight(mbs: Any, body: Any, plane: bool) -> None:
    """Gravity on an element."""
    marker = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
    pull = [0.0, -GRAVITY, 0.0] if plane else [0.0, 0.0, -GRAVITY]
    mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=pull))
