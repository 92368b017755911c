"""Results as figures, moving pictures and tables."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from test_results_motions import plate_and_arm, recorded, spinning_box

import condyle as cd
from condyle import InputError
from condyle.results import shapes


@pytest.fixture(scope="module")
def plate():
    return recorded(plate_and_arm(), steps=40, every=2)


@pytest.fixture(scope="module")
def box():
    return recorded(spinning_box(), steps=10)


# --- curves -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plate", "box"])
def test_every_plot_makes_a_picture_with_labels_and_units(name, request, tmp_path):
    result = request.getfixturevalue(name)
    point = "plate.corner" if name == "plate" else "box.corner"
    figures = {
        "energy [J]": result.plot_energy(),
        "linear momentum [kg m/s]": result.plot_momentum(),
        "angular momentum [kg m²/s]": result.plot_momentum(kind="angular"),
        "position [m]": result.plot_points(point),
        "velocity x [m/s]": result.plot_points([point, name], "x", quantity="velocity"),
        "displacement, magnitude [m]": result.plot_points(point, "norm", quantity="displacement"),
        "Newton iterations": result.plot_iterations(),
        "y [m]": result.plot_shapes(count=3, trace=point),
    }
    for k, (label, figure) in enumerate(figures.items()):
        assert figure.axes[0].get_ylabel() == label
        file = tmp_path / f"{k}.png"
        figure.savefig(file, dpi=60)
        with Image.open(file) as picture:
            assert len(picture.convert("L").getcolors()) > 20  # something was drawn


def test_units_can_be_left_out_or_replaced(plate):
    ax = plate.plot_energy(unit="", time_unit="").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", "energy")
    assert plate.plot_points("arm", unit="mm").axes[0].get_ylabel() == "position [mm]"
    ax = plate.plot_shapes(unit="", time_unit="").axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y") and " s" not in ax.get_title()


def test_curves_show_what_was_recorded(plate):
    lines = {line.get_label(): line for line in plate.plot_energy().axes[0].get_lines()}
    assert set(lines) == {"total", "kinetic", "stored", "gravity"}  # no work was done
    np.testing.assert_array_equal(lines["kinetic"].get_xydata().T, [plate.step_times, plate.energy["kinetic"]])
    line = plate.plot_points("arm", "y").axes[0].get_lines()[0]
    np.testing.assert_array_equal(line.get_xydata().T, [plate.times, plate.position("arm")[:, 1]])
    upper, lower = plate.plot_joint_force(["axle", "elbow"]).axes[0].get_lines()
    assert (upper.get_label(), lower.get_label()) == ("axle", "elbow")
    force = np.linalg.norm(plate.joint_force("elbow"), axis=1)
    np.testing.assert_array_equal(lower.get_xydata().T, [plate.multiplier_times, force])
    assert [line.get_label() for line in plate.plot_joint_force("axle").axes[0].get_lines()] == ["x", "y"]


def test_what_is_constant_is_drawn_flat(plate):
    low, high = plate.plot_momentum(kind="angular").axes[0].get_ylim()
    assert high - low > 1.0


def test_curves_can_share_axes_of_ones_own(plate):
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plate.plot_energy(left) is figure and plate.plot_momentum(right, kind="linear") is figure
    assert plate.plot_shapes(ax=right) is figure
    with pytest.raises(InputError, match="kind='linear' or 'angular'"):
        plate.plot_momentum(left)


def test_mistakes_in_plots_are_explained(plate):
    for draw, words in (
        (lambda: plate.plot_points("arm", "z"), "unknown component 'z'"),
        (lambda: plate.plot_points("arm", quantity="speed"), "unknown quantity 'speed'"),
        (lambda: plate.plot_momentum(kind="anguler"), "did you mean 'angular'"),
        (lambda: plate.plot_shapes(times=[99.0]), "outside the result"),
        (lambda: plate.plot_shapes(times=[]), "at least one time"),
        (lambda: plate.plot_shapes(count=0), "at least 1"),
        (lambda: plate.plot_shapes(bodies=["legs"]), "no body 'legs'"),
        (lambda: plate.plot_shapes(bodies=["ground"]), "nothing to draw"),
    ):
        with pytest.raises(InputError, match=words):
            draw()


def test_figures_need_no_display_and_leave_pyplot_alone(plate, tmp_path):
    plate.save(tmp_path / "run.h5")
    program = (
        f"import sys, condyle; r = condyle.load({str(tmp_path / 'run.h5')!r}); r.plot_energy().savefig('a.png');"
        "r.plot_shapes().savefig('b.png'); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.strip() == "False"
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("a.png", "b.png"))


def test_show_opens_a_window_through_pyplot(plate, monkeypatch):
    import matplotlib
    import matplotlib.pyplot as plt

    matplotlib.use("Agg")
    plt.close("all")  # what other tests have left open
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()))
    figure = plate.plot_energy(show=True)
    assert shown == [[figure.number]]
    plt.close(figure)


# --- shapes -----------------------------------------------------------------------------------------------------------


def test_shapes_are_the_outlines_where_the_bodies_are(plate):
    drawing = shapes.Drawing(plate)
    (outline,) = [line for line, body in drawing.lines(5) if body == 0]
    model = plate.model["plate"]
    expected = [plate.position(model.at(*xi))[5] for xi in model.outline_lines()[0]]
    np.testing.assert_allclose(outline, expected, atol=1e-14)
    assert shapes.chosen_frames(plate, [0.0, 0.41, 4.0], 1) == [0, 2, 20]
    assert shapes.chosen_frames(plate, None, 3) == [0, 10, 20]


def test_springs_and_particles_are_drawn_too():
    model = cd.Model("swing", dimension=3)
    model.add(cd.PointMass("bead", 1.0, (1.0, 0.0, 0.0)))
    model.add(cd.Spring("cord", model.ground, "bead", stiffness=3.0))
    result = cd.simulate(model, end=0.1, dt=0.05)
    lines = shapes.Drawing(result).lines(0)
    np.testing.assert_array_equal(lines[0][0], [[1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(lines[1][0], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    assert [body for _, body in lines] == [0, -1]
    assert result.plot_shapes().axes[0].name == "3d"


def test_shapes_have_equal_scales_in_all_directions(plate, box):
    ax = plate.plot_shapes().axes[0]
    assert ax.get_aspect() == 1.0
    ax = box.plot_shapes().axes[0]
    spans = [np.ptp(limits) for limits in (ax.get_xlim(), ax.get_ylim(), ax.get_zlim())]
    ratio = ax._box_aspect / spans
    np.testing.assert_allclose(ratio, ratio[0])


# --- moving pictures --------------------------------------------------------------------------------------------------


def test_an_animation_has_as_many_pictures_as_asked_for(plate, tmp_path):
    file = plate.animate(tmp_path / "plate.gif", frames=5, fps=10, trace="arm", dpi=40)
    with Image.open(file) as film:
        assert (film.n_frames, film.info["duration"]) == (5, 100)
        assert film.size[0] == 256


def test_an_animation_in_space_can_be_a_web_page(box, tmp_path):
    text = box.animate(tmp_path / "box.html", frames=3, dpi=40).read_text()
    assert text.count("data:image/png;base64") == 3 and "<script" in text


def test_an_animation_shows_all_frames_unless_there_are_too_many(plate, tmp_path, monkeypatch):
    monkeypatch.setattr("condyle.results.animation.MOST_FRAMES", 4)
    with Image.open(plate.animate(tmp_path / "plate.gif", dpi=30)) as film:
        assert film.n_frames == 4
    monkeypatch.undo()
    with Image.open(plate[:6].animate(tmp_path / "plate.gif", dpi=30)) as film:
        assert film.n_frames == 6


def test_mistakes_in_animations_are_explained(plate, tmp_path, monkeypatch):
    from matplotlib.animation import FFMpegWriter

    monkeypatch.setattr(FFMpegWriter, "isAvailable", classmethod(lambda cls: False))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    for name, options, words in (
        ("a.mp4", {}, "needs the program ffmpeg.*write a .gif"),
        ("a.avi", {}, "must end in .gif, .html or .mp4"),
        ("none/a.gif", {}, "no folder"),
        ("a.gif", {"fps": 0.0}, "fps must be above zero"),
        ("a.gif", {"frames": 0}, "at least 1"),
    ):
        with pytest.raises(InputError, match=words):
            plate.animate(tmp_path / name, **options)


# --- tables -----------------------------------------------------------------------------------------------------------


def test_pandas_has_a_row_per_step(plate):
    table = plate.to_pandas()
    assert table.index.name == "time" and len(table) == plate.steps + 1
    np.testing.assert_array_equal(table["kinetic"], plate.energy["kinetic"])
    np.testing.assert_array_equal(table["iterations"][1:], plate.iterations)
    np.testing.assert_array_equal(table["linear_momentum y"], plate.linear_momentum[:, 1])
    np.testing.assert_array_equal(table["angular_momentum z"], plate.angular_momentum[:, 2])
    assert "angular_momentum x" not in table and not table.isna().any().any()
    assert table.attrs["units"]["kinetic"] == "J"


def test_pandas_with_points_has_a_row_per_frame(plate):
    model = plate.model
    table = plate.to_pandas(points=["plate.corner", model["arm"], model["arm"].at(0.5, 0.0)])
    np.testing.assert_array_equal(table.index, plate.times)
    np.testing.assert_array_equal(table["plate.corner y"], plate.position("plate.corner")[:, 1])
    np.testing.assert_array_equal(table["arm x"], plate.position("arm")[:, 0])
    np.testing.assert_array_equal(table["kinetic"], plate.energy["kinetic"][::2])
    assert not table.isna().any().any()
    assert list(plate[3:5].to_pandas("arm").index) == list(plate.times[3:5])


def test_xarray_has_frames_steps_and_multipliers(plate, box):
    data = plate.to_xarray(points=["plate.corner"])
    assert dict(data.sizes) == {
        "time": 21, "row": plate.system.n, "axis": 2, "step_time": 41, "space": 3, "multiplier_time": 20,
        "multiplier": len(plate.system.multipliers), "point": 1,
    }  # fmt: skip
    corner = data.position.sel(point="plate.corner", axis="y")
    np.testing.assert_array_equal(corner, plate.position("plate.corner")[:, 1])
    np.testing.assert_array_equal(data.total, plate.energy["total"])
    np.testing.assert_array_equal(data.multipliers.sel(multiplier="elbow x"), plate.multipliers("elbow")["x"])
    assert data.kinetic.attrs["units"] == "J" and data.attrs["model"] == "plate"
    assert "multipliers" not in box.to_xarray()


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_a_missing_library_is_named_with_its_extra(plate, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"{library} is not installed.*pip install condyle\[tables\]"):
        getattr(plate, f"to_{library}")()


def test_the_summary_tells_the_end_and_the_energy_balance(plate):
    text = plate.summary()
    for words in ("plate: completed (all is well)", "0 to 4 s, 40 steps, 21 frames", "kept to 0.00e+00", "1.5 s"):
        assert words in text
    assert repr(plate) == "Result('plate', completed, 40 steps, 21 frames, 0 … 4 s)"
    assert "iterations" not in recorded(plate_and_arm(), steps=0).summary()


def test_statics_speak_of_load_factors_and_of_no_energy_balance():
    m = cd.Model("hanging", dimension=2, gravity=(0, -9.81))
    m.add(cd.RigidBody("rod", 1.0, inertia=0.1, position=(0.5, 0)))
    m.add(cd.Pin("hinge", m.ground, "rod", at=(0, 0)))
    m.add(cd.CoordinateSpring("spring", "hinge.angle", 10.0))
    still = cd.solve_static(m, steps=4)
    assert still.clock == "load factor" and "load factor      0 to 1, 4 steps" in still.summary()
    assert still.plot_points("rod").axes[0].get_xlabel() == "load factor"
    relaxed = cd.relax(m)
    assert f"step             0 to {relaxed.steps}, " in relaxed.summary()
    m.add(cd.Drive("motion", "hinge.angle", motion=0.0))
    for result in (still, relaxed, cd.inverse_dynamics(m, (0.0, 1.0))):
        assert "energy balance" not in result.summary()


def test_an_animation_can_be_a_film(plate, tmp_path):
    pytest.importorskip("imageio_ffmpeg", reason="pip install 'condyle[video]'")
    film = plate.animate(tmp_path / "plate.mp4", frames=4, dpi=40)
    assert film.stat().st_size > 1000 and b"ftyp" in film.read_bytes()[:32]


def test_figures_of_ones_own_can_have_the_style_of_the_studies():
    import matplotlib
    from matplotlib.figure import Figure

    before = matplotlib.rcParams["font.size"]
    with cd.figure_style(font_size=7.5):
        ax = Figure().add_subplot()
        (line,) = ax.plot([0, 1], [0, 1])
        assert matplotlib.rcParams["font.size"] == 7.5
    assert line.get_color() == "#0072B2" and not ax.spines["top"].get_visible()
    assert matplotlib.rcParams["font.size"] == before
    with pytest.raises(InputError, match=r"font_sise.*did you mean 'font_size'"):
        cd.figure_style(font_sise=3)
