"""Draws the pictures of these pages into docs/images: ``make images``, or ``python docs/make_figures.py [name ...]``.

Each is small and committed, so that the pages can be read without running anything.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from PIL import Image

import condyle as cd
from condyle import studies
from condyle.studies import ancf_roll_up, ancf_statics, solid_benchmarks

FOLDER = Path(__file__).parent / "images"
LARGEST = 80_000  # bytes
WIDTH, COLOURS = 1000, 256  # [pixels], entries of the palette


def materials() -> Figure:
    """Pull and push of a cube of each law, its sides free: nominal stress over stretch, all with E = 1 MPa at rest."""
    laws = {
        "St. Venant–Kirchhoff": cd.StVenantKirchhoff(1e6, 0.45, 1000.0),
        "neo-Hookean": cd.NeoHookean(1e6, 0.45, 1000.0),
        "Mooney–Rivlin": cd.MooneyRivlin.from_moduli(1e6, 0.45, 1000.0),
        "Robust": cd.Robust(1e6, 0.45, 1000.0),
    }
    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    ax = figure.subplots()
    for name, law in laws.items():
        curve = np.vstack((_pulled(law, -0.4)[::-1], _pulled(law, 1.0)[1:]))
        ax.plot(curve[:, 0], 1e-6 * curve[:, 1], label=name)
    ax.axhline(0.0, color="0.7", lw=0.8)
    ax.set(xlabel="stretch (–)", ylabel="nominal stress (MPa)", ylim=(-1.5, 1.5))
    ax.legend(fontsize="small")
    return figure


def _pulled(law: Any, displacement: float) -> Any:
    """Stretch and nominal stress [Pa] of a unit cube, shape (steps, 2)."""
    model = cd.Model("cube", dimension=3)
    body = model.add(cd.Solid.block("cube", (1.0, 1.0, 1.0), (1, 1, 1), law))
    for name, side, axis in (("x", "left", (1, 0, 0)), ("y", "bottom", (0, 1, 0)), ("z", "back", (0, 0, 1))):
        model.add(cd.Hold(name, body, side, axis))
    model.add(cd.Hold("jaw", body, "right", (1, 0, 0), displacement=displacement))
    result = cd.solve_static(model, steps=20)
    force = np.concatenate(([0.0], result.reaction("jaw")[:, 0]))  # nothing is held before the first step
    return np.column_stack((1.0 + displacement * result.times, force))


def muscle() -> Figure:
    """The curves of a muscle of 600 N."""
    arm = cd.Model("arm", dimension=2)
    lower = arm.add(cd.RigidBody("forearm", 1.5, inertia=0.02, position=(0.0, -0.3)))
    biceps = arm.add(cd.Muscle("biceps", [cd.Point("ground", (0.0, 0.0)), lower.at(0.0, 0.0)], 600.0, 0.13, 0.17))
    figure = cd.plot_muscle(biceps)
    figure.set_size_inches(8.4, 2.8)
    return figure


def elements() -> Figure:
    """Error of the deflection of a cantilever under a shear at its end, over the cells across its depth."""
    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    ax = figure.subplots()
    cells = np.array([1, 2, 4, 8])
    for element, marker in (("tri3", "v"), ("quad4", "s"), ("tri6", "^"), ("quad8", "o")):
        ratio = np.array([solid_benchmarks.cantilever(n, element) for n in cells])
        finest = solid_benchmarks.cantilever(16, "quad8")
        ax.loglog(cells, np.abs(ratio / finest - 1.0), marker=marker, label=element)
    ax.loglog(cells, 0.5 * cells**-2.0, ":", color="0.5", label="order 2")
    ax.set(xlabel="cells across the depth", ylabel="relative error of the deflection")
    ax.set_xticks(cells, [str(n) for n in cells])
    ax.minorticks_off()
    ax.legend(fontsize="small", ncols=2)
    return figure


def cables() -> Figure:
    """Errors of a cable over its elements: the gap of a closed circle, and the tip of a cantilever under a large load."""
    figure = Figure(figsize=(5.2, 3.4), layout="constrained")
    ax = figure.subplots()
    counts = np.array([4, 6, 8, 12, 16])
    rolled = ancf_roll_up.STUDY.values()
    gap = [_last(ancf_roll_up.cable_model(rolled, int(n)), 20) / rolled.length for n in counts]
    bent = ancf_statics.STUDY.values()
    fine = _last(ancf_statics.cantilever(bent, 64), 5)
    ax.loglog(counts, np.linalg.norm(gap, axis=1), "o-", label="gap of a closed circle")
    tips = [_last(ancf_statics.cantilever(bent, int(n)), 5) for n in counts]
    ax.loglog(counts, [np.linalg.norm(tip - fine) for tip in tips], "s-", label="tip of a cantilever, P L²/EI = 3")
    ax.loglog(counts, 2.0 * counts**-4.0, ":", color="0.5", label="order 4")
    ax.set(xlabel="elements", ylabel="error over the length")
    ax.set_xticks(counts, [str(n) for n in counts])
    ax.minorticks_off()
    ax.legend(fontsize="small")
    return figure


def _last(model: Any, steps: int) -> Any:
    """Where the end of the cable is under the whole load [m]."""
    return cd.solve_static(model, steps=steps).position("cable.end")[-1]


def integrators() -> Figure:
    """Error of a double pendulum after 1 s, over the step, against Runge–Kutta with a tiny one."""
    methods = {
        "EnergyMomentum": cd.EnergyMomentum(),
        "GeneralizedAlpha, ρ∞ = 0.8": cd.GeneralizedAlpha(spectral_radius=0.8),
        "Newmark(¼, ½)": cd.Newmark(),
        "HHT(0.1)": cd.HHT(alpha=0.1),
        "BDF(2)": cd.BDF(order=2),
        "BDF(1)": cd.BDF(order=1),
        "RungeKutta": cd.RungeKutta(),
    }
    steps = np.array([0.02, 0.01, 0.005, 0.0025])
    exact = _end(cd.RungeKutta(), 2.5e-4)
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.subplots()
    for (name, method), marker in zip(methods.items(), "osd^v<>", strict=True):
        errors = [np.linalg.norm(_end(method, dt) - exact) for dt in steps]
        ax.loglog(steps, errors, marker=marker, markersize=5, label=name)
    for order, level in ((1, 3.0), (2, 80.0)):
        ax.loglog(steps, level * steps**order, ":", color="0.5")
        at = min(steps) if order == 2 else max(steps)
        place, side = (at, level * at**order), "left" if order == 2 else "right"
        ax.annotate(
            f"order {order}", place, (0, 6), textcoords="offset points", ha=side, fontsize="x-small", color="0.4"
        )
    ax.set(xlabel="step (s)", ylabel="error of the lower end (m)")
    ax.set_xticks(steps, [f"{h:g}" for h in steps])
    ax.minorticks_off()
    ax.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _end(method: Any, dt: float) -> Any:
    """Where the lower end of a plane double pendulum, let go level, is after 1 s [m]."""
    model = cd.Model("double pendulum", dimension=2, gravity=(0.0, -9.81))
    upper = model.add(cd.RigidBody("upper", 1.0, inertia=1.0 / 12.0, position=(0.5, 0.0)))
    lower = model.add(cd.RigidBody("lower", 1.0, inertia=1.0 / 12.0, position=(1.5, 0.0), points={"end": (0.5, 0.0)}))
    model.add(cd.Pin("shoulder", model.ground, upper, at=(0.0, 0.0)))
    model.add(cd.Pin("elbow", upper, lower, at=(1.0, 0.0)))
    return cd.simulate(model, end=1.0, dt=dt, integrator=method).position("lower.end")[-1]


def restitution() -> Figure:
    """What comes out of an impact by each law: over the coefficient that is asked for, and over the speed."""
    family = [
        cd.HuntCrossley,
        cd.HerbertMcWhannell,
        cd.LeeWang,
        cd.LankaraniNikravesh,
        cd.Gonthier,
        cd.Flores,
        cd.ZhangSharf,
    ]
    figure = Figure(figsize=(10.6, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    asked = np.linspace(0.1, 1.0, 10)
    for kind, marker in zip(family, "osd^v<>", strict=True):
        left.plot(asked, [cd.rebound(kind(1e6, e=float(e)), 1.0, 1.0).restitution for e in asked], marker=marker,
                  markersize=4, label=kind.__name__)  # fmt: skip
    left.plot((0.0, 1.0), (0.0, 1.0), ":", color="0.5", label="as asked")
    left.set(xlabel="coefficient that is asked for", ylabel="speed after over speed before", ylim=(0.0, 1.05))
    left.legend(fontsize="x-small")
    for kind, marker in zip(family, "osd^v<>", strict=True):
        _over_speed(right, kind(1e6, e=0.7), f"{kind.__name__}, 0.7", marker=marker, linewidth=1.0)
    others = {
        "Hertz": cd.Hertz(1e6),
        "HertzHysteresis, dent 0.36": cd.HertzHysteresis(1e6, dent=0.36),
        "SpringDashpot, ratio 0.2": cd.SpringDashpot(1e5, ratio=0.2),
        "NonlinearDashpot, Foundation: 0.3 s/m": cd.NonlinearDashpot(1e6, 3e5),
        "ContactTable that stiffens": cd.ContactTable((0, 0.01, 0.02), (0, 300.0, 3000.0), (0, 100.0, 3000.0)),
    }
    for (name, law), marker in zip(others.items(), "xP*Dp", strict=True):
        _over_speed(right, law, name, marker=marker, linestyle="--")
    right.set(xlabel="speed of the impact (m/s)")
    right.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _over_speed(panel: Any, law: cd.ContactLaw, name: str, **drawn: Any) -> None:
    """Speed after over speed before by one law, from 0.1 to 10 m/s."""
    speeds = np.geomspace(0.1, 10.0, 9)
    panel.semilogx(
        speeds, [cd.rebound(law, 1.0, float(v)).restitution for v in speeds], markersize=4, label=name, **drawn
    )


def hip_strip() -> Figure:
    """The first figure of the walking hip."""
    study = studies.get("hip-gait")
    return study.draw(study.execute(), study.values())["hip_strip"]


def cable() -> Figure:
    """A rope of 2 m that is let go from the horizontal, one of its ends held, every 0.05 s."""
    rope = cd.Rope(axial=1e5, bending=0.005, mass=0.3, damping=0.002)
    model = cd.Model("rope", dimension=2, gravity=(0.0, -9.81))
    body = model.add(cd.Cable("rope", line=[(0.0, 0.0), (2.0, 0.0)], elements=40, section=rope))
    model.add(cd.Pin("hook", model.ground, body.point("start"), at=(0.0, 0.0)))
    result = cd.simulate(model, end=1.4, dt=0.0025, integrator=cd.GeneralizedAlpha(0.6))
    places = np.stack([result.position(body.point(k)) for k in range(41)], axis=1)
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    panel = figure.subplots()
    shown = range(0, len(result.times), 20)
    for k in shown:
        panel.plot(*places[k].T, color=colormaps["viridis"](k / shown[-1]), linewidth=1.6)
    panel.plot(0.0, 0.0, "o", color="0.2")
    panel.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", title="a rope let go, every 0.05 s from dark to light")
    panel.spines[["top", "right"]].set_visible(False)
    return figure


def report() -> Image.Image:
    """The page of a run as a browser shows it: the liner of a hip, coloured by contact pressure."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit(
            "report: there is no Chromium on this machine; install it, such as by apt-get install chromium"
        )
    study = studies.get("hip-3d")
    with TemporaryDirectory() as folder:
        context = cd.Context(Path(folder))
        verdicts = study.judge(study.execute(context=context, quick=True), quick=True)
        page = Path(folder) / "page.html"
        cd.write_report(context.results, page, title=study.name, claims=verdicts, text=study.title + ".")
        page.write_text(page.read_text(encoding="utf-8") + SHOWN, encoding="utf-8")
        picture = Path(folder) / "page.png"
        flags = [
            "--headless",
            "--no-sandbox",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--hide-scrollbars",
        ]
        flags += [f"--user-data-dir={folder}/profile", "--window-size=1250,740", "--virtual-time-budget=20000"]
        subprocess.run([browser, *flags, f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True)
        return Image.open(picture).convert("RGB").resize((WIDTH, WIDTH * 740 // 1250), Image.Resampling.LANCZOS)


# What a person would do with the page before the picture is taken.
SHOWN = """<script>(async () => {
while (document.body.dataset.ready !== "true") await new Promise((done) => setTimeout(done, 50));
const page = window.condylePage;
page.colour("contact pressure");
page.showFrame(Math.round(0.125 * (page.run.frames.length - 1)));
document.getElementById("naming").click();
document.getElementById("tab-parts").click();
for (const row of document.querySelectorAll("ul.parts li"))  // the head would hide what it presses on
  if (row.textContent.startsWith("head")) row.querySelector("input").click();
document.getElementById("tab-plots").click();
const { camera, controls } = page.viewer, far = camera.position.distanceTo(controls.target);
camera.position.set(0.75, -0.35, -0.55).setLength(0.8 * far).add(controls.target);
controls.update();
page.viewer.draw();
})();</script>"""


FIGURES: dict[str, Callable[[], Figure | Image.Image]] = {
    "materials": materials,
    "muscle": muscle,
    "elements": elements,
    "cables": cables,
    "integrators": integrators,
    "restitution": restitution,
    "hip_strip": hip_strip,
    "cable": cable,
    "report": report,
}


def main(names: list[str]) -> None:
    """Draw the named pictures, or all."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or FIGURES:
        figure, drawn, written = FIGURES[name](), BytesIO(), FOLDER / f"{name}.png"
        if isinstance(figure, Figure):
            figure.savefig(drawn, dpi=WIDTH / figure.get_size_inches()[0], format="png")
            figure = Image.open(drawn).convert("RGB")
        figure.quantize(COLOURS).save(written, optimize=True)
        size = written.stat().st_size
        print(f"{written.name}: {size} bytes", flush=True)
        if size > LARGEST:
            raise SystemExit(f"{name}: {size} bytes, more than {LARGEST}; draw less")


if __name__ == "__main__":
    main(sys.argv[1:])
