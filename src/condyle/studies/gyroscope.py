"""Gyroscope in gimbals: precession and nutation.

A rotor spins in two gimbal rings. With a weight on the inner ring it precesses steadily, at the moment divided by the spin
momentum. Pushed and left alone, its axis nutates on the ellipse and with the frequency of linear theory, in which the inertia
of the rings counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "outer": cd.Parameter((0.004, 0.003, 0.0035), "inertias of the outer ring about x, y, z", "kg m²"),
    "inner": cd.Parameter((0.0015, 0.0015, 0.0025), "inertias of the inner ring", "kg m²"),
    "rotor": cd.Parameter((0.003, 0.0018, 0.0018), "inertias of the rotor; it spins about x", "kg m²"),
    "spin": cd.Parameter(120.0, "spin of the rotor", "rad/s"),
    "weight": cd.Parameter(2.0, "weight on the inner ring", "N"),
    "arm": cd.Parameter(0.1, "distance of the weight from the centre", "m"),
    "push": cd.Parameter(0.5, "rate of the inner ring at the start of the nutation", "rad/s"),
    "gravity": cd.Parameter(9.81, "gravity (balanced: all centres of mass are at the crossing)", "m/s²"),
    "dt": cd.Parameter(2.5e-4, "time step", "s"),
    "end": cd.Parameter(2.0, "time simulated", "s"),
}
QUICK = {"dt": 5e-4, "end": 0.8}
INPUTS = ("outer", "inner", "rotor", "spin", "weight", "arm", "push")


def gyroscope_model(p: cd.Parameters, *, weight: float, push: float = 0.0) -> cd.Model:
    """Outer ring about z, inner ring about y, rotor about x; all axes meet in the origin. Push: rate of the inner ring."""
    model = cd.Model("gyroscope", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    outer = model.add(cd.RigidBody("outer ring", 1.0, inertia=p.outer, outline=_ring(1.2, (1, 2))))
    inner = model.add(cd.RigidBody("inner ring", 1.0, inertia=p.inner, outline=_ring(1.0, (0, 1))))
    rotor = model.add(
        cd.RigidBody("rotor", 1.0, inertia=p.rotor, angular_velocity=(p.spin, 0.0, 0.0), outline=_ring(0.8, (1, 2)))
    )
    model.add(cd.Revolute("vertical", model.ground, outer, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add(cd.Revolute("level", outer, inner, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(cd.Revolute("spin", inner, rotor, at=(0, 0, 0), axis=(1, 0, 0)))
    model.add(cd.Initial("turning", "spin.angle", rate=p.spin))
    if weight:
        model.add(cd.Load("weight", inner.at(p.arm, 0.0, 0.0), (0.0, 0.0, -weight)))
        # Steady precession from the first moment on: the outer ring has its rate already.
        model.add(cd.Initial("precession", "vertical.angle", rate=precession(p, weight)))
        model.add(cd.Initial("no tilt", "level.angle", rate=0.0))
    else:
        model.add(cd.Initial("pushed", "level.angle", rate=push))
    return model


def _ring(radius: float, plane: tuple[int, int]) -> list[Any]:
    turn = np.linspace(0.0, 2.0 * np.pi, 49)
    line = np.zeros((49, 3))
    line[:, plane[0]], line[:, plane[1]] = 0.1 * radius * np.cos(turn), 0.1 * radius * np.sin(turn)
    return [line.tolist()]


def precession(p: cd.Parameters, weight: float) -> float:
    """Rate of steady precession of a level axis: J_s (Ω_s) Ω = F a, exactly, since level rings have no other moment."""
    return weight * p.arm / (p.rotor[0] * p.spin)


def nutation(p: cd.Parameters) -> float:
    """Small oscillations of the free gyroscope about a level axis: ω = J_s Ω_s / √(A B).

    A: inertia about the vertical of all three, B: about the level axis of inner ring and rotor.
    """
    A = p.outer[2] + p.inner[2] + p.rotor[2]
    B = p.inner[1] + p.rotor[1]
    return float(p.rotor[0] * p.spin / np.sqrt(A * B))


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Steady precession at two weights, and a free nutation."""
    out: cd.Outcome = {"rates": {}}
    for factor in (1.0, 2.0):
        weight = factor * p.weight
        result = context.simulate(f"precession-{factor:g}", gyroscope_model(p, weight=weight), end=p.end, dt=p.dt)
        turned = result.coordinate("vertical.angle")
        rate = np.polyfit(result.times, turned, 1)[0]
        out["rates"][factor] = (float(rate), precession(p, weight))
        out[f"tilt {factor:g}"] = float(np.abs(result.coordinate("level.angle")).max())
        out[f"precession {factor:g}"] = (result.times, turned)
    E, work = result.energy["total"], result.energy["work"]
    out["energy balance"] = float(np.abs(E - E[0] - work + work[0]).max() / E[0])
    out["gap"] = float(result.constraint_error.max())
    free = context.simulate("nutation", gyroscope_model(p, weight=0.0, push=p.push), end=p.end, dt=p.dt)
    level, vertical = free.coordinate("level.angle"), free.coordinate("vertical.angle")
    out |= {
        "nutation": _frequency(free.times, level),
        "exact nutation": nutation(p),
        "t": free.times,
        "level": level,
        "vertical": vertical - vertical.mean(),
        "energy drift": float(np.ptp(free.energy["total"]) / free.energy["total"][0]),
        "spin momentum": float(np.ptp(_spin_momentum(p, free)) / (p.rotor[0] * p.spin)),
    }
    # The axis draws an ellipse: J_s Ω_s θ̇ drives A ψ̈, so the amplitudes are as √(B/A).
    out["ellipse"] = float(np.ptp(vertical) / np.ptp(level))
    A, B = p.outer[2] + p.inner[2] + p.rotor[2], p.inner[1] + p.rotor[1]
    out["exact ellipse"] = float(np.sqrt(B / A))
    return out


def _spin_momentum(p: cd.Parameters, result: cd.Result) -> NDArray[np.float64]:
    """Angular momentum of the rotor about its own axis, which no joint can change."""
    return p.rotor[0] * np.sum(result.angular_velocity("rotor") * result.directors("rotor")[:, :, 0], axis=1)


def _frequency(times: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Angular frequency [rad/s] from upward zero crossings."""
    at = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    cross = times[at] - values[at] * (times[at + 1] - times[at]) / (values[at + 1] - values[at])
    return float(2.0 * np.pi * (len(cross) - 1) / (cross[-1] - cross[0]))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Precession under two weights, and the ellipse of nutation."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.0))
    left, right = figure.subplots(1, 2)
    for factor, line in ((1.0, "-"), (2.0, "--")):
        t, turned = outcome[f"precession {factor:g}"]
        left.plot(t, turned, line, label=f"{factor * p.weight:g} N")
        every = max(1, len(t) // 20)
        exact = outcome["rates"][factor][1] * t[::every]
        left.plot(t[::every], exact, "o", color="0.25", markersize=2.4, label="theory" if factor == 2.0 else None)
    left.set(xlabel="time (s)", ylabel="angle of the outer ring (rad)", xlim=(0.0, p.end))
    left.legend(fontsize="small")
    period = outcome["t"] <= 2.0 * np.pi / outcome["exact nutation"] * 1.02
    right.plot(1e3 * outcome["vertical"][period], 1e3 * outcome["level"][period])
    right.set(xlabel="outer ring (mrad)", ylabel="inner ring (mrad)", aspect="equal")
    return {"gyroscope": figure}


CLAIMS = [
    cd.Claim("precession rate", 0.555556, lambda o: o["rates"][1.0][0], unit="rad/s", tolerance=5e-5,
             kind="closed form", origin="moment over spin momentum, 2 · 0.1 / (0.003 · 120)"),
    cd.Claim("precession rate, twice the weight", 1.111111, lambda o: o["rates"][2.0][0], unit="rad/s", tolerance=1e-4,
             kind="closed form", origin="moment over spin momentum"),
    cd.Claim("largest tilt in steady precession", "level", lambda o: o["tilt 2"], unit="rad", tolerance=5e-5,
             kind="property", origin="steady precession"),
    cd.Claim("nutation frequency", 70.957, lambda o: o["nutation"], unit="rad/s", tolerance=0.05,
             kind="closed form", origin="linear theory of the free gyroscope in gimbals, J_s Ω_s / √(A B)"),
    cd.Claim("half range of the level angle in nutation", 0.0070465, lambda o: 0.5 * np.ptp(o["level"]), unit="rad",
             tolerance=1e-5, kind="closed form", origin="push over nutation frequency"),
    cd.Claim("axes of the ellipse of nutation over theory", 1.0, lambda o: o["ellipse"] / o["exact ellipse"],
             tolerance=5e-3, kind="closed form", origin="linear theory of the free gyroscope in gimbals"),
    cd.Claim.kept("spread of the rotor's momentum about its axis", "spin momentum", 1e-4,
                  "a symmetric rotor on a free hinge", words="constant up to O(Δt²)"),
    cd.Claim.kept("energy drift of the free gyroscope", "energy drift", 1e-10, "conservative system"),
    cd.Claim.kept("energy gained minus work of the weight", "energy balance", 1e-10, "energy balance", words="balanced"),
    cd.Claim.kept("largest violation of a constraint", "gap", 1e-11, "joints", words="closed"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
