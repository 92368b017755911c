"""Slider–crank with a flexible coupler.

A rotation-free rod couples a driven crank to a block. Its middle bends under its own inertia: the deflection converges
with mesh and step, swings about the quasi-static deflection of a pinned beam and vanishes with the compliance; the
energy gained is the work that the multiplier of the drive does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "crank": cd.Parameter(0.15, "length of the crank", "m"),
    "coupler": cd.Parameter(0.5, "length of the coupler", "m"),
    "depth": cd.Parameter(0.01, "depth of its section", "m"),
    "width": cd.Parameter(0.02, "width of its section", "m"),
    "young": cd.Parameter(2e9, "Young's modulus of the coupler", "Pa"),
    "density": cd.Parameter(1200.0, "density of the coupler", "kg/m³"),
    "crank_mass": cd.Parameter(0.3, "mass of the crank", "kg"),
    "block_mass": cd.Parameter(0.2, "mass of the block", "kg"),
    "speed": cd.Parameter(25.0, "speed of the crank after its rise", "rad/s"),
    "rise": cd.Parameter(0.2, "time of rise of the speed", "s"),
    "elements": cd.Parameter(16, "elements of the finest coupler, a multiple of 4"),
    "dt": cd.Parameter(5e-4, "time step", "s"),
    "end": cd.Parameter(0.8, "time simulated", "s"),
}
QUICK = {"dt": 1e-3, "end": 0.35}
INPUTS = ("crank", "coupler", "depth", "width", "young", "density", "crank_mass", "block_mass", "speed", "rise")


def crank_model(p: cd.Parameters, elements: int, young: float) -> cd.Model:
    """A rigid crank, a rod as coupler, a block on a guide along x; in the plane, without gravity."""
    model = cd.Model("flexible crank", dimension=2)
    crank = model.add(
        cd.RigidBody("crank", p.crank_mass, inertia=p.crank_mass * p.crank**2 / 12.0, position=(0.5 * p.crank, 0.0),
                     outline=[[(-0.5 * p.crank, 0.0), (0.5 * p.crank, 0.0)]])
    )  # fmt: skip
    material = cd.StVenantKirchhoff(young=young, poisson=0.0, density=p.density)
    end = p.crank + p.coupler
    rod = model.add(cd.Rod("coupler", [(p.crank, 0.0), (end, 0.0)], elements, p.depth, material, width=p.width))
    block = model.add(cd.RigidBody("block", p.block_mass, inertia=1e-3 * p.block_mass, position=(end, 0.0)))
    model.add(cd.Pin("shaft", model.ground, crank, at=(0.0, 0.0)))
    model.add(cd.Pin("big end", crank, rod.point("start"), at=(p.crank, 0.0)))
    model.add(cd.Pin("small end", rod.point("end"), block, at=(end, 0.0)))
    model.add(cd.Slider("guide", model.ground, block, at=(end, 0.0), axis=(1.0, 0.0)))
    rise = cd.Ramp(0.0, p.rise, 0.0, p.speed)
    model.add(cd.Drive("motor", "shaft.angle", rate=rise))
    return model


def deflection(p: cd.Parameters, result: cd.Result, elements: int) -> NDArray[np.float64]:
    """Of the middle of the coupler from the line between its ends [m]."""
    start, middle, end = (result.position(f"coupler.{k}") for k in (0, elements // 2, elements))
    chord = end - start
    off = middle - start
    return (chord[:, 0] * off[:, 1] - chord[:, 1] * off[:, 0]) / np.linalg.norm(chord, axis=1)


def rigid_deflection(p: cd.Parameters, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quasi-static deflection of a pinned beam under the inertia of the rigid coupler across its line.

    The load varies linearly along the coupler; the part at the middle bends it by 5 q ℓ⁴ / (384 EI) and q = −ρA a⊥.
    """
    rate = cd.Ramp(0.0, p.rise, 0.0, p.speed)
    w = np.array([rate(t) for t in times])
    grid = np.linspace(0.0, times[-1], 20001)
    speed = np.array([rate(t) for t in grid])
    turned = np.concatenate(([0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(grid))))
    th, a = np.interp(times, grid, turned), np.interp(times, grid, np.gradient(speed, grid))
    r, length = p.crank, p.coupler
    sp = -r / length * np.sin(th)
    cp = np.sqrt(1.0 - sp**2)
    wp = -r * np.cos(th) * w / (length * cp)
    ap = (-r * (np.cos(th) * a - np.sin(th) * w**2) + length * sp * wp**2) / (length * cp)
    start = r * np.array([-np.sin(th) * a - np.cos(th) * w**2, np.cos(th) * a - np.sin(th) * w**2])
    across = -sp * start[0] + cp * start[1] + 0.5 * length * ap  # acceleration of the middle across the coupler
    EI = p.young * p.width * p.depth**3 / 12.0
    return -5.0 * p.density * p.width * p.depth * across * length**4 / (384.0 * EI)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Finer and finer couplers, a stiffer one, and half the step."""
    meshes = [p.elements // 4, p.elements // 2, p.elements]

    def turn(elements: int) -> cd.Result:
        model = crank_model(p, elements, p.young)
        return context.simulate(f"elements-{elements}", model, end=p.end, dt=p.dt)

    result = turn(p.elements)
    finest = {p.elements: deflection(p, result, p.elements)}
    yield {"t": result.times, "curves": finest, "energy": result.energy["total"]}
    curves = {n: deflection(p, turn(n), n) for n in meshes[:-1]} | finest
    E, W = result.energy["total"], result.energy["work"]
    torque = -result.multipliers("motor")["drive"]
    speed = np.array([cd.Ramp(0.0, p.rise, 0.0, p.speed)(t) for t in result.multiplier_times])
    drive_work = np.concatenate(([0.0], np.cumsum(torque * speed * p.dt)))
    half = context.simulate("half-step", crank_model(p, meshes[0], p.young), end=p.end, dt=0.5 * p.dt, every=2)
    stiff = context.simulate("stiff", crank_model(p, meshes[0], 100.0 * p.young), end=p.end, dt=p.dt)
    exact = rigid_deflection(p, result.times)
    top = np.abs(exact).max()
    yield {
        "curves": curves,
        "rigid": exact,
        "mesh change": [float(np.abs(curves[a] - curves[b]).max() / top) for a, b in pairwise(meshes)],
        "step change": float(np.abs(curves[meshes[0]] - deflection(p, half, meshes[0])).max() / top),
        "quasi-static": float(np.sqrt(np.mean((curves[meshes[-1]] - exact) ** 2) / np.mean(exact**2))),
        "stiff": float(np.abs(deflection(p, stiff, meshes[0])).max() / np.abs(curves[meshes[0]]).max()),
        "drive work": drive_work,
        "work balance": float(np.abs(E - E[0] - drive_work).max() / np.ptp(E)),
        "recorded balance": float(np.abs(E - E[0] - W + W[0]).max() / np.ptp(E)),
        "gap": float(result.constraint_error.max()),
    }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Deflection of the coupler, and energy against the work of the drive."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.8))
    top, bottom = figure.subplots(2, 1, sharex=True)
    t = outcome["t"]
    for (n, curve), line in zip(outcome["curves"].items(), (":", "--", "-"), strict=True):
        top.plot(t, 1e3 * curve, line, label=f"{n} elements")
    top.plot(t, 1e3 * outcome["rigid"], color="0.4", linewidth=0.9, label="quasi-static beam")
    top.set(ylabel="deflection of the middle (mm)", xlim=(0.0, p.end))
    top.legend(ncols=4, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), columnspacing=1.0)
    bottom.plot(t, outcome["energy"] - outcome["energy"][0], label="energy gained")
    every = max(1, len(t) // 60)
    bottom.plot(
        t[::every], outcome["drive work"][::every], "o", color="0.25", markersize=2.4, label="work of the drive"
    )
    bottom.set(xlabel="time (s)", ylabel="energy (J)")
    bottom.legend(fontsize="small", loc="lower right", bbox_to_anchor=(1.0, 0.98), ncols=2)
    figure.align_ylabels()
    return {"flexible_crank": figure}


CLAIMS = [
    cd.Claim("change of the deflection from the middle to the finest mesh", "small (relative)",
             lambda o: o["mesh change"][1], tolerance=0.1, kind="property", origin="convergence with the mesh"),
    cd.Claim("ratio of successive changes with the mesh", "falls", lambda o: o["mesh change"][0] / o["mesh change"][1],
             tolerance=2.0, sense="above",
             kind="property", origin="4 would be second order, but free vibrations get out of phase"),
    cd.Claim("change of the deflection with half the step", "small (relative)", lambda o: o["step change"],
             tolerance=0.01, kind="property", origin="convergence with the step"),
    cd.Claim("deflection against a quasi-static beam, root mean square", "near (relative)", lambda o: o["quasi-static"],
             tolerance=0.2, kind="reference", origin="pinned beam under the inertia of the rigid coupler"),
    cd.Claim("deflection of the middle at 0.3 s", -2.950,
             lambda o: 1e3 * np.interp(0.3, o["t"], o["curves"][max(o["curves"])]), unit="mm", tolerance=0.03,
             kind="reference", origin="converged run: 32 elements, step of 0.25 ms"),
    cd.Claim("energy at 0.3 s", 3.1108, lambda o: np.interp(0.3, o["t"], o["energy"]), unit="J", tolerance=0.002,
             kind="reference", origin="converged run: 32 elements, step of 0.25 ms"),
    cd.Claim("deflection of a coupler of 100 times the stiffness", "small (relative)", lambda o: o["stiff"],
             tolerance=0.02, kind="relation", origin="it bends in proportion to the compliance"),
    cd.Claim.kept("energy gained minus work of the drive's torque", "work balance", 1e-4,
                  "torque times speed of the drive, summed over the steps", words="balanced (relative)"),
    cd.Claim.kept("energy gained minus recorded work", "recorded balance", 1e-9,
                  "energy balance with the work of the drive", words="balanced (relative)"),
    cd.Claim.kept("largest violation of a constraint", "gap", 1e-11, "joints", words="closed"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
