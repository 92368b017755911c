"""Muscles and ligaments as results tell of them: lengths, fibres, power and moment arms; from memory, files and slices."""

import numpy as np
import pytest

import condyle as cd
from condyle.results import reading, shapes
from condyle.results.path_lines import PathLine
from vtk_files import vtk_numbers, vtk_piece
from zoo_muscles import deflected


def arm(tendon="elastic", bone=True):
    """An upper arm that is held, a forearm, a muscle over a cylinder round the elbow, a ligament."""
    m = cd.Model("arm", dimension=2, gravity=(0, -9.81))
    m.add(cd.RigidBody("upper arm", 2.0, inertia=0.02, position=(0, -0.15)))
    m.add(cd.RigidBody("forearm", 1.5, inertia=0.02, position=(0.15, -0.3)))
    m.add(cd.Weld("shoulder", m.ground, "upper arm", at=(0, 0)))
    m.add(cd.Pin("elbow", "upper arm", "forearm", at=(0, -0.3)))
    round_the_elbow = [cd.CylinderWrap(cd.Point("upper arm", (0, -0.3), "world"), 0.02, side=(1, 0.3))] if bone else []
    ends = [cd.Point("upper arm", (0.02, 0.0), "world"), cd.Point("forearm", (0.04, -0.3), "world")]
    path = [ends[0], *round_the_elbow, ends[1]]
    excitation = cd.Table((0, 0.02, 0.03), (0.05, 0.05, 0.6))
    m.add(cd.Muscle("biceps", path, 600, 0.13, 0.17, excitation, tendon=tendon, pennation=0.2))
    ends = [cd.Point("upper arm", (0, -0.2), "world"), cd.Point("forearm", (0.05, -0.3), "world")]
    m.add(cd.Ligament("band", ends, 3000.0, damping=1.0, reference_strain=0.02))
    return m


@pytest.fixture(scope="module", params=["elastic", "rigid"])
def lift(request, tmp_path_factory):
    file = tmp_path_factory.mktemp("lift") / "run.h5"
    return cd.simulate(arm(request.param), end=0.1, dt=0.002, file=file)


def test_a_path_in_a_file_is_read_with_a_few_looks_at_the_file(lift, monkeypatch):
    result, looks = cd.load(lift.file), []
    opened = reading.opened
    monkeypatch.setattr(reading, "opened", lambda *a, **k: looks.append(a) or opened(*a, **k))
    muscle = result.path("biceps")
    assert len(looks) <= 4
    for k in range(len(result)):
        result.state(k)
    assert len(looks) <= 30  # not one for each frame and array
    for name, values in lift.path("biceps").items():
        np.testing.assert_array_equal(values, muscle[name])
        np.testing.assert_array_equal(values[20:40], lift[20:40].path("biceps")[name])


def test_one_state_of_a_large_file_is_read_by_itself(lift):
    result = cd.load(lift.file)
    state = result.state(3)
    assert "x" not in result._store._kept
    result.state(4)
    assert "x" in result._store._kept
    np.testing.assert_array_equal(state.x, result.state(3).x)


def test_rates_and_power_of_a_muscle_are_those_of_its_lengths(lift):
    muscle, h = lift.path("biceps"), 0.002
    part = lift.model["biceps"]
    middle = np.diff(muscle["length"]) / h
    np.testing.assert_allclose(0.5 * (muscle["rate"][1:] + muscle["rate"][:-1]), middle, atol=1e-3)
    np.testing.assert_allclose(muscle["power"], -muscle["tension"] * muscle["rate"])
    fibre_middle = np.diff(muscle["fibre length"]) / h
    found = muscle["fibre rate"]
    if part.tendon == "rigid":
        found = 0.5 * (found[1:] + found[:-1])
        assert (muscle["tendon strain"] == 0.0).all()
    else:  # the mean of the step before
        found = found[1:]
    np.testing.assert_allclose(found, fibre_middle, atol=0.01)
    along = part.fibre_length * muscle["fibre length"] * np.cos(muscle["pennation"])
    np.testing.assert_allclose(along + part.tendon_length * (1 + muscle["tendon strain"]), muscle["length"])
    assert muscle["pennation"][0] == pytest.approx(np.arcsin(np.sin(0.2) / muscle["fibre length"][0]))


def test_the_power_of_paths_and_weight_is_what_energy_gains(lift):
    """Σ ∫ power of the muscle = gain of kinetic, gravity and stored energy and what the ligament's damping takes."""
    muscle, band, energy = lift.path("biceps"), lift.path("band"), lift.energy
    taken = 1.0 * band["rate"] ** 2 * (band["strain"] > 0)
    gained = np.trapezoid(muscle["power"] - taken, lift.times)
    assert gained == pytest.approx(energy["total"][-1] - energy["total"][0], rel=0.01)


# --- moment arms ------------------------------------------------------------------------------------------------------


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def test_the_moment_arm_over_a_cylinder_round_the_joint_is_its_radius(lift):
    """Once the elbow is bent less than the point of insertion demands, the path leaves the cylinder: arm by geometry."""
    ends = [lift.position(cd.Point(body, at)) for body, at in (("upper arm", (0.02, 0.15)), ("forearm", (-0.11, 0.0)))]
    pivot = np.array([0.0, -0.3])
    straight = cross(ends[1] - pivot, ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1], axis=1)
    np.testing.assert_allclose(lift.moment_arm("biceps", "elbow.angle"), np.maximum(straight, 0.02), atol=1e-9)

    m = arm("rigid")
    m.add(cd.Drive("motion", "elbow.angle", motion=cd.Spline((0.0, 0.5, 1.0), (0.0, -0.8, -1.5))))
    stretched = cd.inverse_dynamics(m, np.linspace(0.0, 1.0, 21))  # everything is driven
    arms = stretched.moment_arm("biceps", "elbow")
    np.testing.assert_allclose(arms[stretched.coordinate("elbow") < -1.2], 0.02, atol=1e-9)
    assert arms[0] > 0.03


@pytest.mark.parametrize("name", ["biceps", "band"])
def test_moment_arms_are_slopes_of_the_length_by_the_angle(name):
    m = arm("rigid")
    m.add(cd.Drive("motion", "elbow.angle", motion=cd.Spline((0.0, 1.0), (0.0, 1.0))))
    swept = cd.inverse_dynamics(m, np.linspace(0.0, 1.0, 201))
    slope = np.gradient(swept.path(name)["length"], swept.coordinate("elbow.angle"), edge_order=2)
    arms = swept.moment_arm(name, "elbow.angle")
    np.testing.assert_allclose(arms[1:-1], -slope[1:-1], atol=3e-6)
    np.testing.assert_array_equal(swept[50:60].moment_arm(name, "elbow.angle"), arms[50:60])


@pytest.mark.parametrize("order", [("chest", "humerus", "radius"), ("radius", "humerus", "chest")])
def test_the_moment_arm_of_a_muscle_over_two_joints_is_that_of_one_of_them_whatever_floats_and_turns(order):
    """Chest free, shoulder a ball without coordinates, elbow a hinge: only the forearm moves, the others are held."""
    m = cd.Model("reach", dimension=3, gravity=(0, -9.81, 0))
    places = {"chest": (0.0, 0.2, 0.0), "humerus": (0.0, -0.15, 0.0), "radius": (0.12, -0.3, 0.0)}
    for k, name in enumerate(order):
        m.add(
            cd.RigidBody(name, 1.0 + k, inertia=(0.02, 0.01, 0.03), position=places[name], angular_velocity=(0, 0, 0))
        )
    m.add(cd.Spherical("shoulder", "chest", "humerus", at=(0, 0, 0)))
    m.add(cd.Revolute("elbow", "humerus", "radius", at=(0, -0.3, 0), axis=(0, 0, 1)))
    path = [cd.Point("chest", (0.03, 0.02, 0.03), "world"), cd.Point("radius", (0.04, -0.3, 0.01), "world")]
    m.add(cd.ForceActuator("pull", path, 60.0))
    moved = cd.simulate(m, end=0.1, dt=0.01)
    origin, insertion = (moved.position(point) for point in path)
    pivot = moved.position(cd.Point("humerus", (0.0, -0.15, 0.0)))
    axis = moved.directors("humerus")[:, :, 2]
    pull = (origin - insertion) / np.linalg.norm(origin - insertion, axis=1, keepdims=True)
    exact = np.sum(axis * np.cross(insertion - pivot, pull), axis=1)
    assert np.ptp(exact) > 1e-4
    np.testing.assert_allclose(moved.moment_arm("pull", "elbow.angle"), exact, atol=1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_moment_arms_times_rates_of_all_joints_are_the_rate_of_the_path(dimension):
    m = deflected(dimension)
    m.add(cd.Initial("swing", "hip.angle", rate=-2.0))
    start = cd.simulate(m, end=0.001, dt=0.001, integrator=cd.GeneralizedAlpha())[:1]
    for part in start.model:
        if hasattr(part, "path"):
            parts = [start.moment_arm(part, q)[0] * start.coordinate_rate(q)[0] for q in ("hip.angle", "knee.angle")]
            assert -sum(parts) == pytest.approx(start.path(part)["rate"][0], rel=1e-8), part.name


def test_in_a_closed_loop_the_other_joints_move_along():
    m = cd.Model("four-bar", dimension=2)
    for name, mass, place in (("crank", 1.0, (0.0, 0.1)), ("coupler", 2.0, (0.2, 0.2)), ("rocker", 1.0, (0.4, 0.1))):
        m.add(cd.RigidBody(name, mass, inertia=0.01, position=place))
    m.add(cd.Pin("a", m.ground, "crank", at=(0, 0)))
    m.add(cd.Pin("b", "crank", "coupler", at=(0, 0.2)))
    m.add(cd.Pin("c", "coupler", "rocker", at=(0.4, 0.2)))
    m.add(cd.Pin("d", "rocker", m.ground, at=(0.4, 0)))
    m.add(cd.Drive("motion", "a.angle", motion=lambda t: 3.0 * t))
    m.add(cd.ForceActuator("cable", [cd.Point("ground", (-0.1, 0.3)), cd.Point("coupler", (0.05, 0.1))], 1.0))
    turned = cd.inverse_dynamics(m, np.linspace(0.0, 0.2, 11))
    arms = turned.moment_arm("cable", "a.angle")
    expected = -turned.path("cable")["rate"] / turned.coordinate_rate("a.angle")
    np.testing.assert_allclose(arms, expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore:1 redundant constraint")
@pytest.mark.parametrize(
    ("part", "coordinate", "words"),
    [
        ("bicep", "elbow.angle", "no part 'bicep'.*did you mean 'biceps'"),
        ("forearm", "elbow.angle", "'forearm' has no path; name a muscle"),
        ("biceps", "elbo.angle", "Muscle 'biceps'.*'elbo'.*did you mean 'elbow'"),
        ("biceps", "elbow.angel", "'elbow' has no coordinate 'angel'; it has 'elbow.angle'"),
        ("biceps", "strut.distance", "nothing can move along 'strut.distance'.*take another coordinate"),
    ],
)
def test_mistakes_about_moment_arms_name_the_part_and_the_fix(part, coordinate, words):
    m = arm("rigid")
    m.add(cd.Distance("strut", cd.Point("ground"), cd.Point("upper arm", (0, -0.15), "world")))
    still = cd.simulate(m, end=0.002, dt=0.002)
    with pytest.raises(cd.InputError, match=words):
        still.moment_arm(part, coordinate)


# --- figures and tables -----------------------------------------------------------------------------------------------


def test_coordinates_and_paths_are_drawn_with_their_units(lift):
    ax = lift.plot_coordinate("elbow.angle", degrees=True).axes[0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time [s]", "elbow.angle [°]")
    line = ax.get_lines()[0].get_xydata().T
    np.testing.assert_array_equal(line, [lift.times, np.degrees(lift.coordinate("elbow.angle"))])
    assert lift.plot_coordinate("elbow.angle", quantity="rate").axes[0].get_ylabel() == "rate of elbow.angle [rad/s]"
    ax = lift.plot_path(["biceps", "band"]).axes[0]
    assert ax.get_ylabel() == "tension [N]" and [line.get_label() for line in ax.get_lines()] == ["biceps", "band"]
    for quantity, values in lift.path("biceps").items():
        drawn = lift.plot_path("biceps", quantity=quantity).axes[0].get_lines()[0].get_ydata()
        np.testing.assert_array_equal(drawn, values)
    with pytest.raises(cd.InputError, match="path of 'band': unknown quantity 'activation'"):
        lift.plot_path(["biceps", "band"], quantity="activation")
    with pytest.raises(cd.InputError, match="unknown quantity 'speed'"):
        lift.plot_coordinate("elbow.angle", quantity="speed")


def test_coordinates_and_paths_go_into_tables(lift):
    table = lift.to_pandas(coordinates="elbow.angle", paths=["biceps", "band"])
    np.testing.assert_array_equal(table["elbow.angle"], lift.coordinate("elbow.angle"))
    np.testing.assert_array_equal(table["biceps tension"], lift.path("biceps")["tension"])
    assert table.attrs["units"]["elbow.angle rate"] == "rad/s" and table.attrs["units"]["band strain"] == ""
    assert set(table.columns) == set(table.attrs["units"])


@pytest.mark.parametrize("dimension", [2, 3])
def test_lines_of_paths_are_as_long_as_the_paths_and_lie_on_their_surfaces(dimension):
    bent = cd.simulate(deflected(dimension, 0.6), end=0.002, dt=0.001)
    x, drawn = bent.state(-1).x, 0
    for part in bent.model:
        if not hasattr(part, "path"):
            continue
        line = PathLine(part, bent.system)
        places, length = line.at(x), bent.path(part)["length"][-1]
        pieces = np.linalg.norm(np.diff(places, axis=0), axis=1)
        blended = any(isinstance(entry, cd.ConditionalPoint) for entry in part.path)
        assert pieces.sum() == pytest.approx(length, rel=1e-2 if blended else 1e-4)
        for wrap in part.path:
            if isinstance(wrap, cd.CylinderWrap | cd.SphereWrap):
                centre = bent.position(wrap.centre)[-1]
                axis = (
                    np.array([0.0, 0.0, 1.0])[:dimension] if isinstance(wrap, cd.CylinderWrap) else np.zeros(dimension)
                )
                across = (places - centre) - np.outer((places - centre) @ axis, axis) * (dimension == 3)
                assert np.linalg.norm(across, axis=1).min() > wrap.radius * (1 - 1e-6)
                drawn += len(line.surfaces(x))
    assert drawn >= 1


def test_the_line_round_a_cylinder_ends_where_the_path_leaves_it():
    m = arm("rigid")
    m.add(cd.Initial("stretched", "elbow.angle", value=-1.4))
    still = cd.simulate(m, end=0.001, dt=0.001)
    x = still.state(0).x
    places = PathLine(still.model["biceps"], still.system).at(x)
    assert len(places) > 20
    from_axis = np.linalg.norm(places[1:-1] - (0.0, -0.3), axis=1)
    np.testing.assert_allclose(from_axis, 0.02, rtol=1e-6)
    last = (places[-1] - places[-2]) / np.linalg.norm(places[-1] - places[-2])
    assert last @ (places[-2] - (0.0, -0.3)) == pytest.approx(0.0, abs=1e-7)  # a tangent


def test_shapes_show_muscles_ligaments_surfaces_and_bones_without_outlines(lift, tmp_path):
    drawing = shapes.Drawing(lift)
    kinds = [kind for _, kind in drawing.lines(0)]
    assert {shapes.MUSCLE, shapes.LIGAMENT, shapes.SURFACE, 0, 1} == set(kinds)
    legend = lift.plot_shapes(count=2).legends[0]
    assert [t.get_text() for t in legend.get_texts()] == ["upper arm", "forearm", "muscles", "ligaments"]
    piece = vtk_piece(cd.write_vtk(lift, tmp_path / "run.pvd", count=2).with_name("run_0001.vtp"))
    assert piece.get("NumberOfLines") == "2"
    tension = vtk_numbers(piece.find("CellData/DataArray[@Name='tension']"))
    assert tension[0] == pytest.approx(lift.path("biceps")["tension"][-1], rel=1e-12)


def test_planes_of_contacts_are_drawn_across_the_picture():
    m = cd.Model("box", dimension=2, gravity=(0, -9.81))
    m.add(
        cd.RigidBody("box", 1.0, inertia=0.01, position=(0, 0.3), points={"left": (-0.1, -0.1), "right": (0.1, -0.1)})
    )
    m.add(cd.Contact("floor", "box", ["left", "right"], "ground", cd.Plane((0.1, 1))))
    fall = cd.simulate(m, end=0.02, dt=0.01)
    drawing = shapes.Drawing(fall)
    ax = drawing.space([0], ())
    floor = next(line for line, kind in drawing.lines(0) if kind == shapes.SURFACE)
    np.testing.assert_allclose(floor @ (0.1, 1.0), 0.0, atol=1e-12)
    assert floor[:, 0].min() < ax.get_xlim()[0] and floor[:, 0].max() > ax.get_xlim()[1]
    assert ax.get_ylim()[0] < 0.0  # near enough to be shown


# --- in a simulation by hand ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biceps", "band"])
def test_paths_can_be_read_between_steps(lift, name):
    sim = cd.Simulation(lift.model, dt=0.002)
    for k in range(20):
        for quantity, value in sim.path(name).items():
            assert value == pytest.approx(lift.path(name)[quantity][k], rel=1e-9, abs=1e-9), (k, quantity)
        sim.step()


def test_a_stretch_reflex_reads_the_muscle_that_it_excites():
    """Excitation by the strain of the fibres and their rate: the forearm sinks less than without it."""
    sunk = {}
    for gain in (0.0, 6.0):
        m = arm("rigid")
        sim = cd.Simulation(m, dt=0.002)
        while sim.time < 0.3:
            fibres = sim.path("biceps")
            stretch = fibres["fibre length"] - 1.0 + 0.05 * fibres["fibre rate"]
            sim.inputs["biceps"] = float(np.clip(0.05 + gain * stretch, 0.0, 1.0))
            assert sim.path("biceps")["excitation"] == sim.inputs["biceps"]
            sim.step()
        sunk[gain] = sim.coordinate("elbow.angle")
    assert sunk[6.0] > sunk[0.0] + 0.02
