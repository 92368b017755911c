"""What MuJoCo says of a model at a state, and what Condyle says of the same: for tests, and for the numbers beside them.

`python tests/support/mujoco_side.py` writes tests/imports/data/mujoco.json anew, with MuJoCo installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[1] / "imports" / "data"
REFERENCE = DATA / "mujoco.json"


def states(mujoco: Any, m: Any, count: int, seed: int = 0, spread: float = 0.5) -> list[tuple[Any, Any]]:
    """Random states near the reference: joint values within `spread` [rad or m] of it, velocities of about 1."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        q = m.qpos0.copy()
        mujoco.mj_integratePos(m, q, rng.uniform(-spread, spread, m.nv), 1.0)
        found.append((q, rng.normal(size=m.nv)))
    return found


def loaded(mujoco: Any, path: Path) -> Any:
    """A model of MuJoCo without contact, limits and soft constraints, which Condyle holds exactly."""
    m = mujoco.MjModel.from_xml_path(str(path))
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS | mujoco.mjtDisableBit.mjDSBL_EQUALITY
    m.opt.density = m.opt.viscosity = 0.0
    return m


def of_mujoco(mujoco: Any, m: Any, qpos: Any, qvel: Any, ctrl: Any = None) -> dict[str, Any]:
    """Places, rotations, velocities and accelerations of bodies by name, energies, at a state."""
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = qpos, qvel
    if ctrl is not None:
        d.ctrl[:] = ctrl
    mujoco.mj_forward(m, d)
    mujoco.mj_rnePostConstraint(m, d)
    mujoco.mj_energyPos(m, d)
    mujoco.mj_energyVel(m, d)
    bodies = {}
    still = bool(m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    for k in range(1, m.nbody):
        v, a = np.zeros(6), np.zeros(6)
        mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, v, 0)
        mujoco.mj_objectAcceleration(m, d, mujoco.mjtObj.mjOBJ_XBODY, k, a, 0)
        bodies[m.body(k).name] = {
            "place": d.xpos[k].tolist(),
            "turn": d.xmat[k].reshape(3, 3).tolist(),
            "velocity": v[3:].tolist(),
            "spin": v[:3].tolist(),
            "acceleration": (
                a[3:] + (0.0 if still else m.opt.gravity)
            ).tolist(),  # MuJoCo's contains the upward pull of the ground
            "turning": a[:3].tolist(),
        }
    return {"bodies": bodies, "kinetic": float(d.energy[1]), "potential": float(d.energy[0])}


def of_condyle(model: Any) -> dict[str, Any]:
    """The same of a model at its start."""
    import condyle as cd
    from condyle.system.running import RunningSystem
    from condyle.system.start import consistent_state

    system = RunningSystem(cd.compile(model))
    state, report = consistent_state(system)
    a = state.memory["acceleration"]
    bodies = {}
    for body in model.bodies:
        if not isinstance(body, cd.RigidBody):
            continue
        anchor: Any = system.anchors[body.name]
        turn, rate = state.x[list(anchor.directors)].T, state.v[list(anchor.directors)].T
        spin = _vector(rate @ turn.T)
        bodies[body.name] = {
            "place": state.x[anchor.r],
            "turn": turn,
            "velocity": state.v[anchor.r],
            "spin": spin,
            "acceleration": a[anchor.r],
            "turning": _vector(a[list(anchor.directors)].T @ turn.T),  # W' + W W: the second part is symmetric
        }
    return {"bodies": bodies, "changed": report.position_change, "state": state, "system": system}


def after(mujoco: Any, m: Any, qpos: Any, qvel: Any, time: float, dt: float = 1e-4) -> dict[str, Any]:
    """What MuJoCo says after some time [s], by Runge-Kutta steps of fourth order."""
    m.opt.integrator, m.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, dt
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = qpos, qvel
    for _ in range(round(time / dt)):
        mujoco.mj_step(m, d)
    return of_mujoco(mujoco, m, d.qpos, d.qvel)


def _vector(matrix: Any) -> Any:
    """Of the skew part of a matrix."""
    skew = 0.5 * (matrix - matrix.T)
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


def differences(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, float]:
    """The largest difference of each quantity over all bodies that both have, relative to the largest value (at least 1)."""
    worst: dict[str, float] = {}
    for name, values in theirs["bodies"].items():
        for key, value in values.items():
            if name in ours["bodies"]:
                off = float(np.abs(np.asarray(value) - ours["bodies"][name][key]).max())
                worst[key] = max(worst.get(key, 0.0), off / max(1.0, float(np.abs(value).max())))
    return worst


def reference(mujoco: Any) -> dict[str, Any]:
    """All reference numbers: three random states of a free model, one with controls, one of a closed chain."""
    found: dict[str, Any] = {"MuJoCo": mujoco.__version__}
    m = loaded(mujoco, DATA / "tumbler.xml")
    found["tumbler"] = [
        {"qpos": q.tolist(), "qvel": v.tolist(), **of_mujoco(mujoco, m, q, v)} for q, v in states(mujoco, m, 3)
    ]
    found["tumbler later"] = after(mujoco, m, *states(mujoco, m, 1)[0], 0.2)
    found["tumbler masses"] = {m.body(k).name: float(m.body_mass[k]) for k in range(1, m.nbody)}
    m = loaded(mujoco, DATA / "pulled_arm.xml")
    key = m.key("bent")
    found["pulled_arm"] = of_mujoco(mujoco, m, key.qpos, key.qvel, key.ctrl)
    m = loaded(mujoco, DATA / "four_bar.xml")
    m.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_EQUALITY)
    spin = np.zeros(m.nv)
    spin[:3], spin[3] = (1.5, -1.5, 1.5), -3.0  # a parallelogram: the coupler does not turn
    wheel = np.array([0.0, -3.0, 0.0])
    arm = np.array([0.1, 0.0, 0.1])
    spin[4:7], spin[7:] = np.cross(wheel, arm), wheel
    found["four_bar"] = {"qvel": spin.tolist(), **of_mujoco(mujoco, m, m.qpos0, spin)}
    m = loaded(mujoco, DATA / "arm.urdf")
    q = np.array([0.4, -0.3, 0.05, 0.0, 0.0])
    found["arm"] = {
        "joints": [m.joint(k).name for k in range(m.njnt)],
        "qpos": q.tolist(),
        **of_mujoco(mujoco, m, q, 0.0 * q),
    }
    return found


if __name__ == "__main__":
    import mujoco

    REFERENCE.write_text(json.dumps(reference(mujoco), indent=1) + "\n", encoding="utf-8")
