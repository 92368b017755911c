"""Pinocchio: forward dynamics in joint coordinates, stepped in Python by semi-implicit Euler; for information only.

Trees by the articulated-body algorithm, loops by proximal constraint dynamics.
"""

from __future__ import annotations

import time

import numpy as np
import pinocchio as pin
from workloads import GRAVITY, GROUND, Mechanism, Snapshot

CORRECTION = 1e3  # stabilisation of closed loops [1/s²], critically damped


def variants(mechanism: Mechanism) -> list[str]:
    """Its data holds arrays of the cube of the number of velocities, so that larger models do not fit."""
    velocities = np.where(mechanism.hinges, 1, 3)[~mechanism.closing()].sum()
    return ["semi-implicit Euler"] if velocities <= 400 else []


class Run:
    """A model, its data and its closed loops. Joint frames are those of the world at the start."""

    def __init__(self, mechanism: Mechanism, variant: str, dt: float) -> None:
        began = time.perf_counter()
        self.mechanism, self.dt = mechanism, dt
        m = mechanism
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array([0.0, 0.0, -GRAVITY]), np.zeros(3))
        self.joint, origin, rates = {GROUND: 0}, {GROUND: np.zeros(3)}, []
        for parent, child, k in m.tree():
            kind = pin.JointModelRevoluteUnaligned(m.axis[k]) if m.hinges[k] else pin.JointModelSpherical()
            place = pin.SE3(np.eye(3), m.at[k] - origin[parent])
            self.joint[child] = self.model.addJoint(self.joint[parent], kind, place, f"b{child}")
            origin[child] = m.at[k]
            inertia = m.rotation[child] @ np.diag(m.inertia[child]) @ m.rotation[child].T
            self.model.appendBodyToJoint(
                self.joint[child], pin.Inertia(m.mass[child], m.position[child] - m.at[k], inertia), pin.SE3.Identity()
            )
            turning = m.spin[child] - (0.0 if parent == GROUND else m.spin[parent])
            rates.append((self.joint[child], [m.axis[k] @ turning] if m.hinges[k] else turning))
        self.origin = np.array([origin[i] for i in range(m.size)])
        self.data = self.model.createData()
        self.velocity = np.zeros(self.model.nv)
        for joint, rate in rates:
            first = self.model.joints[joint].idx_v
            self.velocity[first : first + len(rate)] = rate
        self.loops, self.loop_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for k in np.flatnonzero(m.closing()):
            self.loops.append(self._loop(k, origin))
            self.loop_data.append(self.loops[-1].createData())
        if len(self.loops):
            self.proximal = pin.ProximalSettings(1e-12, 1e-12, 10)
            pin.initConstraintDynamics(self.model, self.data, self.loops, self.loop_data)
        self.setup = time.perf_counter() - began

    def _loop(self, k: int, origin: dict[int, np.ndarray]) -> pin.RigidConstraintModel:
        m = self.mechanism
        ends = []
        for body in (int(m.a[k]), int(m.b[k])):
            ends += [self.joint[body], pin.SE3(np.eye(3), m.at[k] - origin[body])]
        loop = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, self.model, *ends, pin.LOCAL)
        loop.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(CORRECTION, 2.0 * CORRECTION**0.5))
        return loop

    def run(self, steps: int, frames: int = 0) -> tuple[float, list[Snapshot]]:
        model, data, dt = self.model, self.data, self.dt
        q, v, tau = pin.neutral(model), self.velocity.copy(), np.zeros(model.nv)
        each = max(1, steps // max(frames, 1))
        seconds, taken = 0.0, [self.snapshot(q, v)] if frames else []
        for _ in range(0, steps, each):
            began = time.perf_counter()
            for _ in range(each):
                if len(self.loops):
                    a = pin.constraintDynamics(model, data, q, v, tau, self.loops, self.loop_data, self.proximal)
                else:
                    a = pin.aba(model, data, q, v, tau)
                v = v + dt * a
                q = pin.integrate(model, q, dt * v)
            seconds += time.perf_counter() - began
            if frames:
                taken.append(self.snapshot(q, v))
        return seconds, taken

    def snapshot(self, q: np.ndarray, v: np.ndarray) -> Snapshot:
        m = self.mechanism
        pin.forwardKinematics(self.model, self.data, q, v)
        frames = [self.data.oMi[self.joint[i]] for i in range(m.size)]
        turn = np.array([frame.rotation for frame in frames])
        arm = np.einsum("nij,nj->ni", turn, m.position - self.origin)
        moving = [
            frame.act(self.data.v[self.joint[i]]) for i, frame in enumerate(frames)
        ]  # in world axes at the world origin
        position = np.array([frame.translation for frame in frames]) + arm
        spin = np.array([motion.angular for motion in moving])
        velocity = np.array([motion.linear for motion in moving]) + np.cross(spin, position)
        return Snapshot(position, turn @ m.rotation, velocity, spin)
