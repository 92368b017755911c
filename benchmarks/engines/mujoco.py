"""MuJoCo: ball and hinge joints in generalized coordinates, all steps in one call; loops closed by `connect` equalities."""

from __future__ import annotations

import time

import mujoco as mj
import numpy as np
from workloads import GRAVITY, GROUND, Mechanism, Snapshot


def variants(mechanism: Mechanism) -> list[str]:
    """Integrators; where loops are closed also the storage of their Jacobian and the solver of their forces.

    Its mass matrix holds every body with all before it, so that long chains fill it: beyond 1000 links they do not fit,
    and closed ones take minutes. Of the integrators, Euler is the fastest at any size.
    """
    loops = mechanism.closing().any()
    if mechanism.size > (200 if loops else 1000):
        return []
    if not loops:
        return ["Euler", "implicitfast", "RK4"] if mechanism.size <= 200 else ["Euler"]
    return [f"Euler {jacobian} {solver}" for jacobian in ("dense", "sparse") for solver in ("Newton", "CG")]


class Run:
    """A compiled model and its data. Body frames sit at the joints and are those of the world at the start."""

    def __init__(self, mechanism: Mechanism, variant: str, dt: float) -> None:
        began = time.perf_counter()
        self.mechanism = m = mechanism
        integrator, *of_loops = variant.split()
        spec = mj.MjSpec()
        spec.option.timestep = dt
        spec.option.gravity = (0.0, 0.0, -GRAVITY)
        spec.option.integrator = getattr(mj.mjtIntegrator, f"mjINT_{integrator.upper()}")
        spec.option.disableflags = mj.mjtDisableBit.mjDSBL_CONTACT
        if of_loops:
            spec.option.jacobian = getattr(mj.mjtJacobian, f"mjJAC_{of_loops[0].upper()}")
            spec.option.solver = getattr(mj.mjtSolver, f"mjSOL_{of_loops[1].upper()}")
        made, origin, rates = {GROUND: spec.worldbody}, {GROUND: np.zeros(3)}, []
        for parent, child, k in m.tree():
            body = made[parent].add_body(name=f"b{child}", pos=m.at[k] - origin[parent])
            made[child], origin[child] = body, m.at[k]
            body.explicitinertial = True
            body.mass, body.inertia, body.ipos = m.mass[child], m.inertia[child], m.position[child] - m.at[k]
            mj.mju_mat2Quat(body.iquat, m.rotation[child].ravel())
            turning = m.spin[child] - (0.0 if parent == GROUND else m.spin[parent])
            if m.hinges[k]:
                body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=m.axis[k])
                rates.append((f"b{child}", [m.axis[k] @ turning]))
            else:
                body.add_joint(type=mj.mjtJoint.mjJNT_BALL)
                rates.append((f"b{child}", turning))
        for k in np.flatnonzero(m.closing()):
            if m.hinges[k]:
                raise ValueError("a loop is closed by a ball joint here")
            weld = spec.add_equality(type=mj.mjtEq.mjEQ_CONNECT, objtype=mj.mjtObj.mjOBJ_BODY)
            weld.name1, weld.name2 = f"b{m.b[k]}", "world" if m.a[k] == GROUND else f"b{m.a[k]}"
            weld.data[:3] = m.at[k] - origin[int(m.b[k])]
        self.model = spec.compile()
        self.data = mj.MjData(self.model)
        self.number = np.array([self.model.body(f"b{i}").id for i in range(m.size)])
        self.velocity = np.zeros(self.model.nv)
        for name, rate in rates:
            first = self.model.body(name).dofadr[0]
            self.velocity[first : first + len(rate)] = rate
        self.setup = time.perf_counter() - began

    def run(self, steps: int, frames: int = 0) -> tuple[float, list[Snapshot]]:
        mj.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self.velocity
        each = max(1, steps // max(frames, 1))
        seconds, taken = 0.0, [self.snapshot()] if frames else []
        for _ in range(0, steps, each):
            began = time.perf_counter()
            mj.mj_step(self.model, self.data, nstep=each)
            seconds += time.perf_counter() - began
            if frames:
                taken.append(self.snapshot())
        return seconds, taken

    def snapshot(self) -> Snapshot:
        model, data = self.model, self.data
        for update in (mj.mj_kinematics, mj.mj_comPos, mj.mj_comVel):
            update(model, data)
        both = np.empty((len(self.number), 6))  # spin, velocity at the centre of mass
        for row, body in zip(both, self.number, strict=True):
            mj.mj_objectVelocity(model, data, mj.mjtObj.mjOBJ_BODY, body, row, 0)
        position, rotation = data.xipos[self.number].copy(), data.ximat[self.number].reshape(-1, 3, 3).copy()
        return Snapshot(position, rotation, both[:, 3:], both[:, :3])
