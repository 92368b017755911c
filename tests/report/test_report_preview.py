"""A model before it runs, colours of muscles and contact, curves that move the time, and how large a page gets."""

from __future__ import annotations

import argparse
import json

import numpy as np
import pytest

import condyle as cd
from browser import CHROMIUM, ask
from condyle.analysis.inverse import as_result
from condyle.report import command
from condyle.report.page import page_data, page_text
from condyle.report.preview import preview
from condyle.system.compile import compile
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def arm() -> cd.Model:
    """A rubber block on an arm, over a ball, with a muscle."""
    model = cd.Model("arm", dimension=3, gravity=(0, 0, -9.81))
    bone = model.add(
        cd.RigidBody.box(
            "bone", size=(0.4, 0.02, 0.02), density=2000.0, position=(0.2, 0, 0), points={"tip": (0.2, 0, 0)}
        )
    )
    model.add(cd.Revolute("hinge", model.ground, bone, at=(0, 0, 0), axis=(0, 1, 0)))
    rubber = cd.NeoHookean(young=2e5, poisson=0.3, density=1000.0)
    block = model.add(cd.Solid.block("block", (0.1, 0.04, 0.04), (3, 1, 1), rubber, origin=(0.4, -0.02, -0.02)))
    model.add(cd.Tie("glue", block, "left", bone))
    path = [cd.Point("ground", (0.1, 0.0, 0.3)), bone.point("tip")]
    model.add(cd.Muscle("flexor", path, max_force=5.0, fibre_length=0.2, tendon_length=0.15,
                        excitation=cd.Constant(0.6)))  # fmt: skip
    ball = cd.Sphere(0.5, centre=(0.45, 0.0, -0.5195))
    model.add(cd.Contact("rest", block, "bottom", model.ground, ball, law="penalty"))
    return model


@in_a_browser
def test_a_preview_shows_joints_axes_points_names_contact_surfaces_and_muscles(tmp_path):
    said = ask(page_text(preview(arm()), title="before", before=True), """
        const page = window.condylePage, items = page.viewer.items;
        const kinds = Object.fromEntries(items.map((i) => [i.about.name, i.about.kind]));
        const axis = items.find((i) => i.about.name === "hinge"), at = (k) => Array.from(axis.now.slice(3 * k, 3 * k + 3));
        const point = Array.from(items.find((i) => i.about.name === "bone.tip").now);
        const all = items.every((i) => i.group.visible);
        const names = () => Array.from(document.querySelectorAll("#names span"), (s) => s.textContent);
        const before = names(), shown = () => getComputedStyle(document.getElementById("names")).display !== "none";
        const seen = [shown()];
        document.getElementById("naming").click();
        seen.push(shown());
        document.getElementById("naming").click();
        seen.push(shown());
        const look = () => { page.viewer.draw(); return document.getElementById("canvas").toDataURL(); };
        const dot = items.find((i) => i.about.name === "bone.tip").group, full = look();
        dot.visible = false;
        const through = look() !== full;
        dot.visible = true;
        document.querySelectorAll("ul.parts input")[0].click();
        page.viewer.draw();
        const after = names(), { camera, controls } = page.viewer;
        camera.lookAt(camera.position.clone().multiplyScalar(2.0).sub(controls.target));  // away from the model
        camera.updateMatrixWorld();
        const behind = page.viewer.names().filter((label) => label.seen).length;
        page.viewer.draw();
        return { kinds, along: [at(1), at(2)], point, all, before, seen, after, behind, through, away: names().length };
    """, tmp_path)  # fmt: skip
    kinds = {"bone": "body", "block": "body", "hinge": "joint", "bone.tip": "point", "flexor": "muscle"}
    assert said["kinds"] == kinds | {"ground: Sphere": "shape"} and said["all"]
    along = np.subtract(*said["along"])
    assert np.allclose(along / np.linalg.norm(along), (0, -1, 0)) and np.allclose(said["point"], (0.4, 0, 0), atol=1e-5)
    shown = {name.removeprefix("bone.") for name in said["kinds"]}  # the body has a name of its own
    assert sorted(said["before"]) == sorted(shown) and said["seen"] == [True, False, True]
    assert sorted(said["after"]) == sorted(shown - {"bone"})  # what is hidden has no name
    assert said["through"]  # a point inside a body is seen
    assert said["behind"] == said["away"] == 0  # nor has what lies behind who looks


@pytest.fixture(scope="module")
def pressed() -> cd.Result:
    return cd.simulate(arm(), end=0.03, dt=0.003)


@in_a_browser
def test_muscles_are_coloured_by_activation_and_surfaces_by_contact_pressure(pressed: cd.Result, tmp_path):
    said = ask(page_text(pressed, title="pressed"), """
        const page = window.condylePage, last = page.run.frames.length - 1;
        page.showFrame(last);
        const found = (name) => page.viewer.items.find((i) => i.about.name === name);
        const block = found("block"), points = Array.from({ length: block.about.points }, (_, k) => k);
        const colours = {};
        for (const field of ["contact pressure", "activation"]) {
            page.colour(field);
            colours[field] = document.getElementById("legend-name").textContent;
        }
        const tint = Array.from(found("flexor").rodTint.array.slice(0, 3));
        page.colour("");
        const plain = Array.from(found("flexor").rodTint.array.slice(0, 3));
        const pressure = Math.max(...points.map((k) => block.value("contact pressure", last, k)));
        const activation = found("flexor").value("activation", last, 0), changed = tint.some((c, k) => c !== plain[k]);
        return { colours, pressure, activation, changed };
    """, tmp_path)  # fmt: skip
    assert said["colours"] == {"contact pressure": "contact pressure", "activation": "activation"} and said["changed"]
    assert said["activation"] == pytest.approx(pressed.path("flexor")["activation"][-1], rel=1e-3)
    highest = np.nanmax(pressed.contact("rest").pressure[-1])
    assert highest > 1e3 and said["pressure"] == pytest.approx(highest, rel=0.01)  # [Pa]


@in_a_browser
def test_a_click_on_a_curve_moves_the_time(pressed: cd.Result, tmp_path):
    said = ask(page_text(pressed, title="linked"), """
        const over = document.querySelector(".u-over"), box = over.getBoundingClientRect();
        const event = { clientX: box.left + 0.5 * box.width, clientY: box.top + 20, bubbles: true };
        for (const kind of ["mousedown", "mouseup", "click"]) over.dispatchEvent(new MouseEvent(kind, event));
        await wait(100);
        return [document.body.dataset.frame, document.getElementById("clock").textContent];
    """, tmp_path)  # fmt: skip
    assert said[0] == "5" and said[1].startswith("0.01500")


def test_where_there_is_no_browser_the_address_and_the_other_way_are_told(
    pressed: cd.Result, tmp_path, monkeypatch, capsys
):
    from condyle.report.server import PageServer

    file = pressed.save(tmp_path / "pressed.h5")
    monkeypatch.setattr(command.webbrowser, "open", lambda address: False)
    monkeypatch.setattr(PageServer, "serve", lambda self: None)
    options = dict(host="127.0.0.1", port=0, no_browser=False, frames=5, no_fields=False, allow=[], allow_code=False)
    assert command.view_target(argparse.Namespace(target=file, json=False, **options)) == 0
    told = capsys.readouterr()
    assert "http://127.0.0.1:" in told.out and "no browser was found" in told.err and "condyle report" in told.err
    assert command.view_target(argparse.Namespace(target=file, json=True, **options)) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["target"] == str(file) and told["address"].startswith("http://127.0.0.1:")


def test_ten_thousand_elements_and_two_hundred_frames_stay_below_50_mb():
    """A tenth of the frames. Places are noise, which hardly compresses."""
    model = cd.Model("large", dimension=3)
    rubber = cd.NeoHookean(young=1e6, poisson=0.3, density=1000.0)
    block = model.add(cd.Solid.block("block", (1.0, 1.0, 1.0), (22, 22, 22), rubber))
    assert len(block.cells) > 10_000
    system = RunningSystem(compile(model))
    start, _ = consistent_state(system, "as-given")
    states, rng = [], np.random.default_rng(0)
    for k in range(20):
        state = start.copy()
        state.t, state.x = 0.01 * k, start.x + system.moving[:, None] * rng.uniform(-2e-3, 2e-3, start.x.shape)
        states.append(state)
    about, arrays = page_data(as_result(system, states, "noise"))
    (run,) = about["runs"]
    assert len(run["frames"]) == 20
    assert "von Mises stress" in {field["name"] for item in run["items"] for field in item["fields"]}
    assert 10 * len(arrays) < 50e6
