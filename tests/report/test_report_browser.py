"""The page in a browser: what a person does with it, and that it shows it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from browser import CHROMIUM, ask, picture
from condyle.report.page import page_text

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.fixture(scope="module")
def swing() -> cd.Result:
    """A rubber block on an arm, and a ligament: body, solid, joint, path, contact plane."""
    model = cd.Model("swing", dimension=3, gravity=(0, 0, -9.81))
    arm = model.add(
        cd.RigidBody.box(
            "arm", size=(0.4, 0.02, 0.02), density=2000.0, position=(0.2, 0, 0), points={"tip": (0.2, 0, 0)}
        )
    )
    model.add(cd.Revolute("hinge", model.ground, arm, at=(0, 0, 0), axis=(0, 1, 0)))
    rubber = cd.NeoHookean(young=2e5, poisson=0.3, density=1000.0)
    block = model.add(cd.Solid.block("block", (0.1, 0.04, 0.04), (3, 1, 1), rubber, origin=(0.4, -0.02, -0.02)))
    model.add(cd.Tie("glue", block, "left", arm))
    model.add(cd.Ligament("cord", [cd.Point("ground", (0.1, 0.0, 0.3)), arm.point("tip")], 200.0, slack_length=0.35))
    return cd.simulate(model, end=0.2, dt=0.01)


@pytest.fixture(scope="module")
def page(swing: cd.Result) -> str:
    return page_text(swing, title="a <swing> & more", text="What it is.")


def test_play_slider_fields_picking_and_tabs_work_without_errors(page: str, tmp_path):
    said = ask(page, """
        const page = window.condylePage, out = {};
        out.title = document.title;
        out.frames = page.run.frames.length;
        const canvas = document.getElementById("canvas");
        const look = () => canvas.toDataURL();
        const start = look();
        const slider = document.getElementById("time");
        slider.value = 10; slider.dispatchEvent(new Event("input"));
        out.frame = document.body.dataset.frame;
        out.clock = document.getElementById("clock").textContent;
        out.beside = document.querySelector(".u-legend .u-value").textContent;
        const later = look();
        out.moved = start !== later;
        slider.value = 0; slider.dispatchEvent(new Event("input"));
        out.back = look() === start;
        out.fields = Array.from(document.getElementById("field").options, (o) => o.value);
        const field = document.getElementById("field");
        field.value = ""; field.dispatchEvent(new Event("change"));
        const plain = look();
        field.value = "von Mises stress"; field.dispatchEvent(new Event("change"));
        out.coloured = look() !== plain;
        out.legend = document.getElementById("legend-high").textContent;
        document.getElementById("play").click();
        for (let k = 0; k < 100 && Number(document.body.dataset.frame) === 0; k++) await wait(100);
        out.played = Number(document.body.dataset.frame) > 0;
        document.getElementById("play").click();
        page.showFrame(20);
        document.getElementById("tab-parts").click();
        const row = Array.from(document.querySelectorAll("ul.parts li")).find((r) => r.textContent.startsWith("block"));
        row.querySelector("button").click();
        out.picked = document.getElementById("picked").textContent;
        const before = look();
        row.querySelector("input").click();
        out.hidden = look() !== before;
        for (const tab of document.querySelectorAll("#tabs button")) tab.click();
        out.tabs = Array.from(document.querySelectorAll("#tabs button"), (t) => t.textContent);
        out.csv = page.csv(page.run.plots[0]).split("\\n").slice(0, 2);
        out.summary = document.getElementById("pane-run").textContent;
        return out;
    """, tmp_path)  # fmt: skip
    assert said["title"] == "a <swing> & more"
    assert said["frames"] == 21
    assert said["frame"] == "10" and said["clock"].startswith("0.1000")
    assert said["beside"] == "0.1"  # values beside a curve are those of the time shown
    assert said["moved"] and said["back"] and said["coloured"] and said["played"] and said["hidden"]
    assert {"displacement", "von Mises stress", "pressure in solids", "tension"} <= set(said["fields"])
    assert "kPa" in said["legend"] or "Pa" in said["legend"]
    assert "Solid" in said["picked"] and "von Mises" in said["picked"]
    assert said["tabs"] == ["plots", "parts", "model", "run", "data"]
    assert said["csv"][0].startswith("time [s],kinetic [J]") and said["csv"][1].startswith("0,")
    assert "completed" in said["summary"]


def test_places_and_fields_in_the_page_are_those_of_the_result(page: str, swing: cd.Result, tmp_path):
    said = ask(page, """
        const page = window.condylePage;
        page.showFrame(20);
        const item = page.viewer.items.find((i) => i.about.name === "block");
        const values = Array.from({length: 16}, (_, k) => item.value("von Mises stress", 20, k));
        return [Array.from(item.now.slice(0, 48)), values];
    """, tmp_path)  # fmt: skip
    fields = swing.fields("block", 20)
    places = np.array(said[0]).reshape(-1, 3)
    assert np.abs(places - fields.positions).max() < 1e-5
    stress = np.maximum(fields.at_nodes(fields.von_mises), 0.0)
    assert np.abs(np.array(said[1]) - stress).max() < 1e-4 * stress.max()


def test_a_click_on_the_picture_picks_what_is_there(page: str, tmp_path):
    said = ask(page, """
        const page = window.condylePage, canvas = document.getElementById("canvas");
        page.viewer.look("y");
        const box = canvas.getBoundingClientRect(), item = page.viewer.items.find((i) => i.about.name === "block");
        const at = new THREE.Vector3().fromArray(item.now).add(new THREE.Vector3(0.05, 0.02, 0.02)).project(page.viewer.camera);
        const point = { clientX: box.left + (at.x + 1) / 2 * box.width, clientY: box.top + (1 - at.y) / 2 * box.height };
        for (const kind of ["pointerdown", "pointerup"])
            canvas.dispatchEvent(new PointerEvent(kind, { ...point, bubbles: true, pointerId: 1, button: 0 }));
        return document.querySelector("#picked h2").textContent;
    """, tmp_path)  # fmt: skip
    assert said == "block"


@pytest.mark.parametrize(("size", "wide"), [((390, 844), False), ((1280, 800), True)], ids=["phone", "laptop"])
def test_it_fits_phones_and_laptops_in_light_and_dark(page: str, tmp_path, size, wide):
    said = ask(page, """
        const [view, side] = ["stage", "side"].map((id) => document.getElementById(id).getBoundingClientRect());
        const colour = () => getComputedStyle(document.body).backgroundColor;
        window.condylePage.theme("light");
        const light = colour();
        window.condylePage.theme("dark");
        const { width, height } = view, over = document.documentElement.scrollWidth - innerWidth;
        return { over, beside: side.left >= view.right, height, width, light, dark: colour() };
    """, tmp_path, size=size)  # fmt: skip
    assert said["over"] <= 0 or not wide  # headless windows have a least width, so a phone may be wider than asked for
    assert said["beside"] is wide
    assert said["height"] > 200 and said["width"] > 200
    assert said["light"] != said["dark"]


def test_on_a_phone_the_title_keeps_its_words_and_the_choice_of_runs_has_a_line_of_its_own(swing: cd.Result, tmp_path):
    runs = {"as published, with a rigid hip": swing, "with muscles": swing}
    said = ask(page_text(runs, title="hip-gait"), """
        const box = (id) => document.getElementById(id).getBoundingClientRect();
        return { title: box("title"), choice: box("run-choice"), run: box("run") };
    """, tmp_path, size=(390, 844))  # fmt: skip
    assert said["title"]["height"] < 40 < said["title"]["width"]
    assert said["choice"]["top"] >= said["title"]["bottom"] and said["run"]["width"] > 200


def test_a_page_opens_with_the_first_run_that_has_something_to_colour(swing: cd.Result, tmp_path):
    model = cd.Model("ball", dimension=3, gravity=(0, 0, -9.81))
    model.add(cd.PointMass("ball", 1.0, (0, 0, 0)))
    plain = cd.simulate(model, end=0.02, dt=0.01)
    said = ask(page_text({"plain": plain, "stressed": swing}, title="two"), """
        return [document.getElementById("run").selectedOptions[0].textContent, document.getElementById("field").value];
    """, tmp_path)  # fmt: skip
    assert said == ["stressed", "von Mises stress"]


def test_a_model_before_it_runs_has_neither_a_player_nor_empty_plots(swing: cd.Result, tmp_path):
    from condyle.report.preview import preview

    said = ask(page_text(preview(swing.model), title="before", before=True), """
        const shown = getComputedStyle(document.getElementById("player")).display;
        return [shown, Array.from(document.querySelectorAll("#tabs button"), (t) => t.textContent)];
    """, tmp_path)  # fmt: skip
    assert said == ["none", ["parts", "model", "run"]]


def test_numbers_at_an_axis_are_short_and_round_off_reads_as_zero(swing: cd.Result, tmp_path):
    said = ask(page_text(swing, title="ticks"), """
        const told = [5e-16, 2e5, 0.25, -1500, 0].map(tick);
        const rows = Array.from(document.querySelectorAll(".u-legend .u-series"));
        const kinetic = rows.find((row) => row.textContent.startsWith("kinetic"));
        return [told, kinetic.querySelector(".u-value").textContent];
    """, tmp_path)  # fmt: skip
    assert said == [["5e-16", "2e5", "0.25", "-1500", "0"], "0"]


def test_names_stand_beside_each_other_and_inside_the_picture(tmp_path):
    """Six parts in nearly the same place: no name covers another one, the buttons, or the edge."""
    from condyle.report.preview import preview

    model = cd.Model("crowd", dimension=3, gravity=(0, 0, -9.81))
    for k in range(6):
        model.add(cd.PointMass(f"a mass with a long name {k}", 1.0, (1e-3 * k, 0, 0)))
    model.add(cd.PointMass("far", 1.0, (1.0, 0, 1.0)))
    said = ask(page_text(preview(model), title="crowd", before=True), """
        const stage = document.getElementById("stage").getBoundingClientRect();
        const all = [...document.querySelectorAll("#names span"), ...document.querySelectorAll("#tools > *")];
        const boxes = all.map((s) => s.getBoundingClientRect()).filter((b) => b.width);
        const over = boxes.filter((a, i) => boxes.some((b, j) => j < i && a.left < b.right - 1 && b.left < a.right - 1
          && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
        const out = boxes.filter((b) => b.left < stage.left || b.right > stage.right + 1 || b.bottom > stage.bottom + 1).length;
        return [document.querySelectorAll("#names span").length, over, out];
    """, tmp_path)  # fmt: skip
    assert said[0] >= 5 and said[1:] == [0, 0]


def test_both_ends_of_the_legend_have_the_same_unit(page: str, tmp_path):
    said = ask(page, """
        const field = document.getElementById("field");
        field.value = "von Mises stress";
        field.onchange();
        return ["high", "middle", "low"].map((end) => document.getElementById(`legend-${end}`).textContent.split(" "));
    """, tmp_path)  # fmt: skip
    values, units = [float(value) for value, _ in said], {unit for _, unit in said}
    assert len(units) == 1 and values[0] > values[1] > values[2] >= 0.0
    assert values[1] == pytest.approx((values[0] + values[2]) / 2, rel=0.01)


def test_who_looks_closer_sees_thinner_rods(page: str, tmp_path):
    said = ask(page, """
        const viewer = window.condylePage.viewer, item = viewer.items.find((i) => i.rodMesh);
        const wide = () => { item.rodMesh.geometry.computeBoundingBox(); return Array.from(item.rods).slice(0, 3); };
        const before = viewer.thickness, from = wide();
        viewer.choose(viewer.items.find((i) => i.about.name === "block"));
        viewer.look("fit");
        return [before, viewer.thickness, from, wide()];
    """, tmp_path)  # fmt: skip
    assert said[0] == 1 and said[1] < 0.5 and said[2] != said[3]


def test_a_run_of_milliseconds_is_played_slowly(swing: cd.Result, tmp_path):
    model = cd.Model("knock", dimension=3, gravity=(0, 0, -9.81))
    model.add(cd.PointMass("ball", 1.0, (0, 0, 0)))
    knock = cd.simulate(model, end=0.01, dt=0.001)
    said = ask(page_text({"knock": knock}, title="knock"), "return document.getElementById('speed').value;", tmp_path)
    assert 1.0 <= 0.01 / float(said) <= 10.0  # [s] that it takes to see it


def test_a_page_of_statics_opens_under_the_whole_load_and_plays_from_none(tmp_path):
    model = cd.Model("press", dimension=2)
    block = model.add(cd.Solid.block("block", (0.1, 0.1), (2, 2), cd.NeoHookean(1e5, 0.3)))
    model.add(cd.Tie("floor", block, "bottom", model.ground))
    model.add(cd.Traction("press", block, "top", (0.0, -1e4)))
    said = ask(page_text(cd.solve_static(model, steps=4)), """
        const page = window.condylePage, out = {};
        out.clock = document.getElementById("clock").textContent;
        document.getElementById("play").click();
        out.played = page.now();
        return out;
    """, tmp_path)  # fmt: skip
    assert said == {"clock": "1.000", "played": 0}


def test_a_figure_opens_over_the_whole_window_and_claims_say_where_they_are_from(swing: cd.Result, tmp_path):
    from condyle.results.figure import new_figure

    figure = new_figure()
    figure.add_subplot().plot([0, 1], [0, 1])
    claims = [
        cd.Claim(q, 1.0, lambda outcome: 1.01, tolerance=0.1, unit="m", kind="published", origin="table 7").check(
            "s", {}
        )
        for q in ("depth", "width")
    ]
    text = page_text({}, title="claims", claims=claims, figures={"line_of_points": figure})
    said = ask(text, """
        const tab = (name) => document.getElementById(`tab-${name}`).click();
        tab("claims");
        const row = document.querySelector("#pane-claims tbody tr").textContent;
        const counts = document.getElementById("claim-counts").textContent;
        tab("figures");
        document.querySelector(".figure img").click();
        const open = document.querySelectorAll("dialog[open]").length;
        const caption = document.querySelector("figcaption").textContent;
        document.querySelector("dialog").click();
        await new Promise((done) => setTimeout(done, 100));
        return [row, counts, open, document.querySelectorAll("dialog").length, caption];
    """, tmp_path)  # fmt: skip
    assert "table 7" in said[0] and "1 ± 0.1 m" in said[0] and "1.01" in said[0]
    assert said[1:] == ["2 hold", 1, 0, "line of points"]


def test_a_page_of_claims_and_figures_alone_opens(tmp_path):
    from condyle.results.figure import new_figure

    verdict = cd.Claim(
        "depth", 1.0, lambda outcome: 1.01, tolerance=0.1, unit="m", kind="published", origin="table 1"
    ).check("s", {})
    figure = new_figure()
    figure.add_subplot().plot([0, 1], [0, 1])
    text = page_text({}, title="claims", claims=[verdict], figures={"line": figure})
    said = ask(text, """
        document.getElementById("tab-figures").click();
        const image = document.querySelector("img");
        await image.decode();
        const tabs = document.querySelectorAll("#tabs button").length;
        return [document.getElementById("claim-counts").textContent, image.naturalWidth, tabs];
    """, tmp_path)  # fmt: skip
    assert said[0] == "1 holds" and said[1] > 100 and said[2] == 2


def test_a_screenshot_has_the_model_in_it(page: str, tmp_path):
    """Not the background alone: many colours in the view, and in the curves beside it."""
    from PIL import Image

    shot = np.asarray(Image.open(picture(page, tmp_path, "shot")).convert("RGB"))
    view, side = shot[120:700, 20:740], shot[120:700, 790:1260]
    for part in (view, side):
        background = np.median(part.reshape(-1, 3), axis=0)
        drawn = np.abs(part.astype(float) - background).sum(axis=2) > 60
        assert 0.002 < drawn.mean() < 0.5


def test_a_page_is_served_with_its_secret_only_and_follows_the_file(swing: cd.Result, tmp_path):
    import json
    import urllib.error
    import urllib.request

    from condyle.report.page import page_data
    from condyle.report.server import PageServer

    version = ["1"]
    server = PageServer(lambda: page_text(swing, live=True), lambda: page_data(swing, live=True), lambda: version[0])
    server.start()
    try:
        assert server.address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(server.address) as answer:
            assert b"condylePage" in answer.read()
        with urllib.request.urlopen(server.address + "version") as answer:
            assert json.loads(answer.read()) == "1"
        with urllib.request.urlopen(server.address + "data") as answer:
            assert set(json.loads(answer.read())) == {"about", "arrays"}
        for wrong in (server.address.rsplit("/", 2)[0] + "/", server.address + "../etc", server.address[:-3] + "x/"):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(wrong)
    finally:
        server.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("device", "size"), [("phone", (500, 900)), ("laptop", (1280, 800))], ids=["phone", "laptop"])
def test_the_page_looks_as_it_did(page: str, tmp_path, device, size, theme):
    """A screenshot beside one that a person has looked at, both so small that fonts and smoothing do not matter."""
    from PIL import Image

    ready = 'document.body.dataset.ready = "true";'
    shown = page.replace(ready, f'condylePage.theme("{theme}"); condylePage.showFrame(10); {ready}')
    shot = Image.open(picture(shown, tmp_path, "shot", size=size)).convert("RGB")
    small = shot.resize((size[0] // 8, size[1] // 8), Image.Resampling.BOX)
    file = Path(__file__).parent / "pictures" / f"{device}-{theme}.png"
    if not file.exists():
        small.save(file, optimize=True)
        pytest.fail(f"there was no {file.name}; it was made now: look at it, and keep it if it is right")
    known, found = (np.asarray(image, dtype=float) for image in (Image.open(file).convert("RGB"), small))
    difference = np.abs(known - found).max(axis=2)
    assert difference.mean() < 4.0 and (difference > 60).mean() < 0.02, (
        f"the page has changed by {difference.mean():.1f} of 255; if that is right, delete tests/report/pictures/{file.name}"
    )
