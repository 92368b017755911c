"""Shooting, inverse kinematics and dynamics, muscle forces in place of constraints, motion tables."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis import shooting
from condyle.system.row_problem import RowProblem
from zoo_muscles import bones

T = np.linspace(0.0, 1.0, 41)
HIP, KNEE = 0.4 * np.sin(2 * np.pi * T), 0.3 - 0.3 * np.cos(2 * np.pi * T)


def pendulum(rate=0.0):
    m = cd.Model("pendulum", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.RigidBody("rod", 1.0, inertia=1.0 / 12.0, position=(0.0, -0.5)))
    m.add(cd.Pin("hinge", m.ground, "rod", at=(0.0, 0.0)))
    m.add(cd.Initial("push", "hinge.angle", rate=rate))
    return m


def driven(dimension=2):
    m = bones(dimension)
    m.add(cd.Drive("hip drive", "hip.angle", motion=cd.Spline(T, HIP)))
    m.add(cd.Drive("knee drive", "knee.angle", motion=cd.Spline(T, KNEE)))
    return m


def point(body, *p):
    return cd.Point(body, p, "world")


# --- shooting ---------------------------------------------------------------------------------------------------------


def test_shooting_finds_the_start_of_a_motion():
    shot = cd.shoot(pendulum(), {"push": 3.0}, {"hinge.angle": 1.0}, end=0.3, dt=0.005)
    assert shot.result.coordinate("hinge.angle")[-1] == pytest.approx(1.0, abs=1e-9)
    assert abs(shot.miss["hinge.angle"]) < 1e-9 and shot.runs < 20
    again = cd.simulate(pendulum(shot.rates["push"]), end=0.3, dt=0.005)
    assert again.coordinate("hinge.angle")[-1] == shot.result.coordinate("hinge.angle")[-1]


def test_shooting_leaves_the_model_as_it_was():
    m = pendulum(0.7)
    cd.shoot(m, {"push": 3.0}, {"hinge.angle": 1.0}, end=0.3, dt=0.01)
    assert m["push"].rate == 0.7


def test_a_shooting_problem_without_solution_keeps_the_best_attempt():
    m = pendulum()
    m.add(cd.Limit("stop", "hinge.angle", -0.2, 0.2, stiffness=1e5))
    with pytest.raises(cd.ConvergenceError, match=r"no start of 'pendulum'.*'hinge.angle' misses") as error:
        cd.shoot(m, {"push": 1.0}, {"hinge.angle": 3.0}, end=0.3, dt=0.005, iterations=6)
    assert error.value.result.result.status == "completed" and abs(error.value.result.miss["hinge.angle"]) > 1.0


def test_shooting_goes_on_from_a_start_that_cannot_be_run(monkeypatch):
    starts = []

    def fails_once(model, **options):
        starts.append(model["push"].rate)
        if len(starts) == 4:  # the first whole step of Newton's method, after one run and its two differences
            raise cd.ConvergenceError("too wild")
        return cd.simulate(model, **options)

    monkeypatch.setattr(shooting, "simulate", fails_once)
    shot = cd.shoot(pendulum(), {"push": 3.0}, {"hinge.angle": 1.0}, end=0.3, dt=0.005)
    assert abs(shot.miss["hinge.angle"]) < 1e-9 and starts[4] - 3.0 == pytest.approx(0.5 * (starts[3] - 3.0))


@pytest.mark.parametrize(
    "rates, aims, message",
    [
        ({"push": 1.0}, {}, "as many aims as rates"),
        ({"shove": 1.0}, {"hinge.angle": 1.0}, "'shove' is no Initial"),
        ({"push": 1.0}, {"knee.angle": 1.0}, "knee"),
        ({"push": np.nan}, {"hinge.angle": 1.0}, "must be finite"),
    ],
)
def test_shooting_says_what_is_wrong(rates, aims, message):
    with pytest.raises(cd.InputError, match=message):
        cd.shoot(pendulum(), rates, aims, end=0.1, dt=0.01)


# --- inverse dynamics -------------------------------------------------------------------------------------------------


def test_inverse_dynamics_gives_the_torque_of_a_swinging_rod():
    m = cd.Model("rod", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.RigidBody("rod", 2.0, inertia=0.1, position=(0.0, -0.4)))
    m.add(cd.Pin("hinge", m.ground, "rod", at=(0.0, 0.0)))
    m.add(cd.Drive("drive", "hinge.angle", motion=cd.Harmonic(0.5, 1.0)))
    r = cd.inverse_dynamics(m, T)
    angle = 0.5 * np.sin(2 * np.pi * T)
    torque = -(0.1 + 2.0 * 0.16) * 4 * np.pi**2 * angle + 2.0 * 9.81 * 0.4 * np.sin(angle)
    np.testing.assert_allclose(-r.multipliers("drive")["drive"], torque[1:], atol=1e-6)
    np.testing.assert_allclose(r.coordinate("hinge.angle"), angle, atol=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_run_with_the_torques_of_inverse_dynamics_gives_the_motion_back(dimension):
    r = cd.inverse_dynamics(driven(dimension), T)
    m = bones(dimension)
    for name, motion in (("hip", HIP), ("knee", KNEE)):
        torque = -r.multipliers(f"{name} drive")["drive"]
        first = -r.state(0).multipliers[[k.part for k in r.system.multipliers].index(f"{name} drive")]
        m.add(cd.CoordinateForce(f"{name} torque", f"{name}.angle", 1.0, cd.Spline(T, [first, *torque])))
        m.add(cd.Initial(f"{name} start", f"{name}.angle", rate=cd.Spline(T, motion)._curve(0.0, 1).item()))
    back = cd.simulate(m, end=0.3, dt=0.002)
    np.testing.assert_allclose(back.coordinate("knee.angle")[-1], cd.Spline(T, KNEE)(0.3), atol=0.01)


def test_inverse_dynamics_asks_for_what_is_free():
    m = bones(2)
    m.add(cd.Drive("hip drive", "hip.angle", motion=cd.Spline(T, HIP)))
    with pytest.raises(cd.InputError, match="motion of 'shank' is not prescribed completely"):
        cd.inverse_dynamics(m, T)
    with pytest.raises(cd.InputError, match="increase"):
        cd.inverse_dynamics(driven(), [0.0, 0.2, 0.1])


def test_large_loads_do_not_cut_the_way_to_a_pose_into_pieces(monkeypatch):
    tries, project = [], RowProblem.project_position
    monkeypatch.setattr(RowProblem, "project_position", lambda self, x, t: (tries.append(t), project(self, x, t))[1])
    m = driven()
    m.add(cd.Load("floor", "shank", (0.0, 1.0), cd.Spline(T, 1e5 * np.sin(np.pi * T))))
    cd.inverse_dynamics(m, T[:4])
    assert len(tries) < 12


# --- muscle forces ----------------------------------------------------------------------------------------------------


def test_a_tension_that_takes_the_place_of_a_drive_keeps_the_motion():
    r = cd.inverse_dynamics(driven(), T)
    front = [point("thigh", 0.06, 0.3), point("shank", 0.08, -0.05)]
    hip = [point("ground", 0.2, 0.5), point("thigh", 0.12, 0.25)]
    pulls = [cd.ForceActuator("front", front), cd.ForceActuator("hip front", hip)]
    forces = cd.inverse_forces(r, pulls, ["hip drive", "knee drive"])
    m = driven()
    for pull in pulls:
        m.add(cd.ForceActuator(pull.name, pull.path, 1.0, cd.Spline(T, forces[pull.name])))
    rest = cd.inverse_dynamics(m, T)
    for name in ("hip drive", "knee drive"):
        assert np.abs(rest.multipliers(name)["drive"]).max() < 1e-4 * np.abs(r.multipliers(name)["drive"]).max()


def test_actuators_that_cannot_do_it_are_named():
    r = cd.inverse_dynamics(driven(), T[:3])
    knee_only = cd.ForceActuator("front", [point("thigh", 0.06, 0.3), point("shank", 0.08, -0.05)])
    with pytest.raises(cd.InputError, match=r"front cannot take the place of 'hip drive', 'knee drive' at t"):
        cd.inverse_forces(r, [knee_only], ["hip drive", "knee drive"])
    with pytest.raises(cd.InputError, match="'elbow drive'"):
        cd.inverse_forces(r, [knee_only], "elbow drive")
    with pytest.raises(cd.InputError, match="at least one"):
        cd.inverse_forces(r, [], "knee drive")


def knee_muscles():
    return [
        cd.Muscle("vastus", [point("thigh", 0.06, 0.3), point("shank", 0.06, -0.05)], 900.0, 0.45, 0.05, tendon="rigid"),
        cd.Muscle("rectus", [point("thigh", 0.08, 0.3), point("shank", 0.08, -0.05)], 600.0, 0.45, 0.05, tendon="rigid"),
        cd.Muscle("hamstrings", [point("thigh", -0.05, 0.3), point("shank", -0.05, -0.1)], 900.0, 0.5, 0.05, tendon="rigid"),
    ]  # fmt: skip


def test_static_optimisation_balances_the_knee_with_the_least_effort():
    r = cd.inverse_dynamics(driven(), T)
    muscles = knee_muscles()
    effort = cd.static_optimisation(r, muscles, "knee drive")
    total = 0.0
    for m in muscles:
        alone = cd.inverse_forces(r, [cd.ForceActuator(m.name, m.path)], "knee drive")[m.name]
        total = total + effort[m.name]["tension"] / alone
        assert (effort[m.name]["activation"] >= 0.0).all() and (effort[m.name]["activation"] <= 1.0).all()
    np.testing.assert_allclose(total, 1.0, atol=1e-5)
    # agonists share by the optimality condition a_i / (strength × arm) alike; both act together
    both = (effort["vastus"]["activation"] > 1e-3) & (effort["rectus"]["activation"] > 1e-3)
    assert both.any()
    # no co-contraction
    assert np.minimum(effort["vastus"]["activation"], effort["hamstrings"]["activation"]).max() < 0.05


def test_muscles_that_are_too_weak_say_when_and_keep_the_best():
    r = cd.inverse_dynamics(driven(), T)
    weak = [cd.ForceActuator("front", [point("thigh", 0.06, 0.3), point("shank", 0.06, -0.05)], 1.0)]
    with pytest.raises(cd.ConvergenceError, match="too weak to take the place of 'knee drive' at t = ") as error:
        cd.static_optimisation(r, weak, "knee drive")
    assert error.value.result["front"]["activation"].shape == T.shape


# --- inverse kinematics -----------------------------------------------------------------------------------------------

MARKERS = {
    2: {"hip side": ("thigh", (0.05, 0.1)), "knee side": ("thigh", (-0.05, -0.15)), "ankle": ("shank", (0.02, -0.2)),
        "calf": ("shank", (-0.04, 0.0))},
    3: {"hip side": ("thigh", (0.05, 0.1, 0.03)), "knee side": ("thigh", (-0.05, -0.15, 0.0)),
        "ankle": ("shank", (0.02, -0.2, 0.01)), "calf": ("shank", (-0.04, 0.0, -0.02))},
}  # fmt: skip


@pytest.mark.parametrize("dimension", [2, 3])
def test_inverse_kinematics_finds_the_motion_of_exact_markers(dimension):
    truth = cd.inverse_dynamics(driven(dimension), T)
    points = {name: cd.Point(*where) for name, where in MARKERS[dimension].items()}
    measured = {name: truth.position(p) for name, p in points.items()}
    fit = cd.inverse_kinematics(bones(dimension), measured, points, times=T)
    np.testing.assert_allclose(fit.result.coordinate("knee.angle"), KNEE, atol=1e-7)
    np.testing.assert_allclose(fit.result.coordinate("hip.angle"), HIP, atol=1e-7)
    assert max(e.max() for e in fit.errors.values()) < 1e-7


def test_markers_with_noise_are_fitted_in_the_mean():
    truth = cd.inverse_dynamics(driven(), T)
    points = {name: cd.Point(*where) for name, where in MARKERS[2].items()}
    rng = np.random.default_rng(0)
    columns = {}
    for name, p in points.items():
        noisy = truth.position(p) + 0.002 * rng.normal(size=(len(T), 2))
        columns |= {f"{name}_x": noisy[:, 0], f"{name}_y": noisy[:, 1]}
    fit = cd.inverse_kinematics(bones(2), cd.MotionTable(T, columns), points, weights={"calf": 0.5})
    assert np.abs(fit.result.coordinate("knee.angle") - KNEE).max() < 0.06
    assert 0.0005 < np.mean(fit.errors["ankle"]) < 0.004


def test_markers_that_do_not_match_are_named():
    table = cd.MotionTable(T, {"knee_x": T, "knee_y": T})
    with pytest.raises(cd.InputError, match=r"unknown marker 'kneee'; did you mean 'knee'"):
        cd.inverse_kinematics(bones(2), table, {"kneee": "thigh"})
    with pytest.raises(cd.InputError, match=r"marker 'knee' is not complete; there is no column knee_z"):
        cd.inverse_kinematics(bones(3), table, {"knee": "thigh"})
    with pytest.raises(cd.InputError, match="give the times"):
        cd.inverse_kinematics(bones(2), {"knee": np.zeros((3, 2))}, {"knee": "thigh"})
    with pytest.raises(cd.InputError, match=r"marker 'knee' has no place at t = 0.1 s"):
        cd.inverse_kinematics(bones(2), {"knee": [(0, 0), (np.nan, 0)]}, {"knee": "thigh"}, times=[0.0, 0.1])


def test_inverse_kinematics_follows_joint_angles_and_markers_together():
    """Angles alone give the pose back; where they contradict a marker, weights decide."""
    truth = cd.inverse_dynamics(driven(), T)
    table = cd.MotionTable(T, {"hip_flexion": np.degrees(HIP), "knee_angle": np.degrees(KNEE) + 360.0}, degrees=True)
    names = {"hip_flexion": "hip.angle", "knee_angle": "knee.angle"}
    fit = cd.inverse_kinematics(bones(2), table, coordinates=names)
    np.testing.assert_allclose(fit.result.coordinate("hip.angle"), HIP, atol=1e-7)
    np.testing.assert_allclose(fit.result.position("shank"), truth.position("shank"), atol=1e-7)
    assert fit.errors["knee_angle"].max() < 1e-7

    point = cd.Point(*MARKERS[2]["ankle"])
    measured = {"ankle": truth.position(point), "hip": HIP, "knee": KNEE + 0.1}
    errors = {}
    for weight in (1e-4, 1e4):
        fit = cd.inverse_kinematics(
            bones(2), measured, {"ankle": point}, coordinates={"hip": "hip.angle", "knee": "knee.angle"}, times=T,
            weights={"knee": weight},
        )  # fmt: skip
        errors[weight] = fit.errors["ankle"].max(), fit.errors["knee"].max()
    assert errors[1e-4][0] < 1e-3 and errors[1e-4][1] > 0.09
    assert errors[1e4][0] > 0.01 and errors[1e4][1] < 1e-3


def test_joint_coordinates_that_do_not_match_are_named():
    table = cd.MotionTable(T, {"knee_angle": T})
    with pytest.raises(cd.InputError, match=r"unknown column 'knee_angel'; did you mean 'knee_angle'"):
        cd.inverse_kinematics(bones(2), table, coordinates={"knee_angel": "knee.angle"})
    with pytest.raises(cd.InputError, match=r"no joint with coordinates 'elbow'"):
        cd.inverse_kinematics(bones(2), table, coordinates={"knee_angle": "elbow.angle"})
    with pytest.raises(cd.InputError, match=r"joint coordinate 'knee' has no value at t = 0.1 s"):
        cd.inverse_kinematics(bones(2), {"knee": [0, np.nan]}, coordinates={"knee": "knee.angle"}, times=[0.0, 0.1])
    with pytest.raises(cd.InputError, match="give at least one marker"):
        cd.inverse_kinematics(bones(2), table)


# --- motion tables ----------------------------------------------------------------------------------------------------


def test_opensim_files_are_read_with_their_degrees(tmp_path):
    file = tmp_path / "walk.mot"
    file.write_text(
        "walk\nversion=1\nnRows=3\nnColumns=2\ninDegrees=yes\nendheader\ntime\tknee\n0\t0\n0.1\t90\n0.2\t45\n"
    )
    table = cd.read_motion(file)
    assert table.degrees and table.names() == ["knee"]
    assert table.function("knee", angle=True)(0.1) == pytest.approx(np.pi / 2)
    assert table.function("knee")(0.2) == pytest.approx(45.0)
    assert table.function("knee", angle=True, sign=-1.0, offset=1.0)(0.2) == pytest.approx(1.0 - np.pi / 4)


def test_csv_files_are_read_and_cut(tmp_path):
    file = tmp_path / "walk.csv"
    file.write_text("# measured\ntime,knee,hip\n0,1,2\n0.1,2,3\n0.2,3,4\n0.3,4,5\n")
    table = cd.read_motion(file).between(0.1, 0.3)
    np.testing.assert_allclose(table.times, [0.0, 0.1, 0.2], atol=1e-15)
    np.testing.assert_allclose(table["hip"], [3, 4, 5])


@pytest.mark.parametrize(
    "text, message",
    [
        ("time,knee\n0,1\n0.1,\n0.2,3\n", r"bad.csv: column 'knee' has no number at t = 0.1 s \(row 2\)"),
        ("time,knee\n0,1\n0.2,2\n0.1,3\n", "times must increase, but 0.1 s comes after 0.2 s"),
        ("time,knee\n0,1\n0.1,x\n", "'x' in row 2 is no number"),
        ("time,knee\n0,1\n0.1\n", "row 2 has 1 entries for 2 columns"),
        ("t2,knee\n0,1\n0.1,2\n", "no column is called 'time'"),
        ("time,knee,knee\n0,1,1\n0.1,2,2\n", "column 'knee' stands there twice"),
        ("time,knee\n", "it has no table"),
        ("time,knee\n0,1\n0.01,1\n0.02,1\n0.03,1\n0.5,2\n0.51,2\n", r"a gap of 0.47 s after t = 0.03 s"),
        ("time,knee\n0,1\n0.1,nan\n", "has no number"),
    ],
)
def test_bad_motion_files_say_where(text, message, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(cd.InputError, match=message):
        cd.read_motion(file)


def test_other_mistakes_with_motions_are_named(tmp_path):
    with pytest.raises(cd.InputError, match="there is no motion file"):
        cd.read_motion(tmp_path / "none.mot")
    (tmp_path / "x.sto").write_text("time knee\n0 1\n1 2\n")
    with pytest.raises(cd.InputError, match="endheader"):
        cd.read_motion(tmp_path / "x.sto")
    with pytest.raises(cd.InputError, match="fewer than two rows between 3 and 4 s; it goes from 0 to 1 s"):
        cd.MotionTable([0.0, 1.0], {"knee": [0, 1]}).between(3.0, 4.0)
    with pytest.raises(cd.InputError, match="times must increase, but 1 s comes after 1 s"):
        cd.MotionTable([0.0, 1.0, 1.0], {"knee": [0, 1, 2]})
    with pytest.raises(cd.InputError, match="did you mean 'knee'"):
        cd.MotionTable([0.0, 1.0], {"knee": [0, 1]}).function("kne")


def test_a_spline_goes_through_its_points_and_is_smooth():
    s = cd.Spline((0.0, 0.5, 1.0, 1.5), (0.0, 1.0, 0.0, 2.0))
    assert [s(t) for t in (0.0, 0.5, 1.0, 1.5)] == pytest.approx([0.0, 1.0, 0.0, 2.0])
    h = 1e-4
    bends = [(s(0.5 + e + h) - 2 * s(0.5 + e) + s(0.5 + e - h)) / h**2 for e in (-2e-4, 2e-4)]
    assert bends[0] == pytest.approx(bends[1], abs=0.1)
    assert s(2.0) - s(1.75) == pytest.approx(s(1.75) - s(1.5))
    assert cd.Spline((0.0, 1.0), (0.0, 2.0))(0.25) == pytest.approx(0.5)


def test_inverse_dynamics_takes_the_spline_s_own_derivatives_at_its_knots():
    """Between few knots the third derivative jumps; differences across a knot would mix both sides."""
    from scipy.interpolate import CubicSpline

    times, angles = np.linspace(0.0, 0.5, 6), np.array([0.0, 0.4, -0.3, 0.5, 0.1, 0.2])
    m = cd.Model("pendulum", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.RigidBody("rod", 1.0, inertia=1.0 / 12.0, position=(0.0, -0.5)))
    m.add(cd.Pin("hinge", m.ground, "rod", at=(0.0, 0.0)))
    m.add(cd.Drive("motor", "hinge.angle", motion=cd.Spline(times, angles)))
    torque = -cd.inverse_dynamics(m, times).multipliers("motor")["drive"]
    bend = CubicSpline(times, angles, bc_type="natural")(times, 2)
    assert torque == pytest.approx((bend / 3.0 + 9.81 * 0.5 * np.sin(angles))[-len(torque) :], abs=1e-6)
