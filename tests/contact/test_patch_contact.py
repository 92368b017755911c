"""Patches: found where a body lies on something, with points and weights of their own in every step."""

from typing import Any

import numpy as np
import pytest

import condyle as cd

G = 9.81
STEEL = cd.StVenantKirchhoff(2e8, 0.0, 7750.0)
ROUND = cd.RoundSection(0.1, STEEL)


def lying(height: float = 0.1, elements: int = 2, slope: float = 0.0, **options: Any) -> cd.Model:
    """A cable over a plane, in whose axes gravity is inclined."""
    model = cd.Model("lying", dimension=3, gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    cable = model.add(cd.Cable("cable", [(0.0, 0.0, height), (4.0, 0.0, height)], elements, ROUND))
    model.add(
        cd.PatchContact(
            "plane", cable, model.ground, **{"shape": cd.Plane((0.0, 0.0, 1.0)), "friction": 0.5, **options}
        )
    )
    return model


def run(model: cd.Model, end: float = 0.1, dt: float = 0.01, **options: Any) -> cd.Result:
    return cd.simulate(model, end=end, dt=dt, integrator=cd.Nonsmooth(**options))


def test_a_cable_at_rest_presses_evenly_with_its_weight_wherever_the_points_are() -> None:
    for per_patch, longest, even in ((3, None, 1e-6), (2, 1.0, 1e-6), (5, 4.0, 0.05)):
        line = run(lying(slope=0.2, per_patch=per_patch, longest=longest)).contact("plane").line
        weight = 0.01 * 7750.0 * np.pi * 0.1**2 * G
        there = np.isfinite(line.lengths[-1])
        assert np.isclose(np.nansum(line.weights[-1]), 4.0, rtol=1e-9)
        assert np.allclose(line.density("normal")[-1][there], weight * np.cos(0.2), rtol=even)
        assert np.allclose(line.density("axial")[-1][there], -weight * np.sin(0.2), rtol=even)
        assert np.isclose(np.nansum(line.normal[-1]), 4.0 * weight * np.cos(0.2))
        assert np.nanmax(line.slip[-1]) < 1e-9
        assert np.nanmin(line.margin) > -1e-9


def test_a_patch_on_a_cylinder_begins_and_ends_where_the_gap_is_the_margin() -> None:
    model = cd.Model("bridge", dimension=3, gravity=None)
    cable = model.add(cd.Cable("cable", [(-2.0, 0.0, 1.1), (3.0, 0.0, 1.1)], 3, ROUND))
    model.add(cd.PatchContact("bar", cable, model.ground, cd.Cylinder(1.0, (0.0, 1.0, 0.0)), margin=2e-3, per_patch=40))
    ((start, end),) = run(model, 0.01).contact("bar").line.extents()
    half = np.sqrt((1.1 + 2e-3) ** 2 - 1.1**2)
    assert abs(start - (2.0 - half)) < 0.02 * half and abs(end - (2.0 + half)) < 0.02 * half


def test_a_bar_between_two_samples_is_found() -> None:
    model = cd.Model("thin", dimension=3, gravity=(0.0, 0.0, -G))
    cable = model.add(cd.Cable("cable", [(0.0, 0.0, 0.11), (4.0, 0.0, 0.11)], 1, ROUND))
    for k, x in enumerate((0.761, 3.26)):
        bar = cd.Cylinder(0.01, (0.0, 1.0, 0.0), centre=(x, 0.0, 0.0))
        model.add(cd.PatchContact(f"bar {k}", cable, model.ground, bar))
    result = run(model, 0.2)
    total = sum(result.contact(f"bar {k}").resultant[:, 2] for k in range(2))
    assert result.contact("bar 0").gap[-1].min() > -1e-4
    assert abs(total[1:].mean() / (7750.0 * np.pi * 0.1**2 * 4.0 * G) - 1.0) < 0.15


@pytest.mark.parametrize("sideways", ["held", "free"])
def test_across_a_slope_friction_holds_sideways_or_not(sideways: str) -> None:
    model = lying(sideways=sideways)
    model.gravity = (0.0, G * np.sin(0.2), -G * np.cos(0.2))
    speed = run(model).velocity(cd.Point("cable", (2.0, 0.0, 0.0)))[-1, 1]
    assert abs(speed - (0.0 if sideways == "held" else G * np.sin(0.2) * 0.1)) < 1e-9


def test_a_round_section_rolls_down_a_slope() -> None:
    model = cd.Model("roll", dimension=3, gravity=(0.0, G * np.sin(0.3), -G * np.cos(0.3)))
    section = cd.RoundSection(0.1, cd.StVenantKirchhoff(5e9, 0.0, 7750.0))
    beam = model.add(cd.AncfBeam("beam", [(0.0, 0.0, 0.1), (2.0, 0.0, 0.1)], 1, section, formulation="continuum"))
    model.add(cd.PatchContact("plane", beam, model.ground, cd.Plane((0.0, 0.0, 1.0)), friction=1.0))
    result = run(model, 0.2, 0.002)
    line = result.contact("plane").line
    speed = result.velocity(cd.Point("beam", (1.0, 0.0, 0.0)))[-1, 1]
    assert abs(speed / (2.0 / 3.0 * G * np.sin(0.3) * 0.2) - 1.0) < 5e-3
    density = 0.002 * 7750.0 * np.pi * 0.1**2 * G * np.sin(0.3) / 3.0
    there = np.isfinite(line.lengths[-1])
    assert np.allclose(np.abs(line.density("transverse")[-1][there]), density, rtol=0.02)


def crossed(gravity: float, **options: Any) -> cd.Model:
    """A cable above another one, square to it."""
    model = cd.Model("crossed", dimension=3, gravity=(0.0, 0.0, -gravity))
    low = model.add(cd.Cable("low", [(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], 2, ROUND))
    high = model.add(cd.Cable("high", [(0.2, -1.0, 0.25), (0.2, 1.0, 0.25)], 2, ROUND, **options))
    model.add(cd.PatchContact("crossing", high, low, friction=0.4))
    return model


def test_two_cables_that_strike_each_other_keep_their_momenta() -> None:
    result = run(crossed(0.0, velocity=(0.3, 0.0, -2.0)), 0.1, 0.002)
    assert np.abs(result.contact("crossing").impulse).max() > 1.0
    assert np.allclose(
        result.linear_momentum, result.linear_momentum[0], atol=1e-9 * np.abs(result.linear_momentum).max()
    )
    turned = result.angular_momentum - result.angular_momentum[0]
    lost = np.abs(turned) / np.abs(result.linear_momentum).max()
    assert lost.max() < 2e-3  # first order in the step; about the axis of the low cable there is nothing to turn


def test_a_cable_lies_across_another_at_the_sum_of_their_radii() -> None:
    model = crossed(G)
    for k, end in enumerate(("start", "end")):
        model.add(cd.Spherical(f"held {k}", cd.Point("low", end), model.ground.point((-1.0 + 2.0 * k, 0.0, 0.0))))
    result = run(model, 0.2, 0.004)
    assert result.contact("crossing").gap.min(axis=1)[-1] > -1e-6
    assert result.contact("crossing").normal_force.sum(axis=1).max() > 100.0


def test_a_loop_meets_itself_and_not_its_neighbours() -> None:
    turn = np.linspace(0.0, 2.2 * np.pi, 25)
    line = np.stack((np.cos(turn), np.sin(turn), 0.25 * turn / (2.0 * np.pi)), axis=1)
    model = cd.Model("loop", dimension=3, gravity=None)
    section = cd.RoundSection(0.05, cd.StVenantKirchhoff(1e6, 0.0, 1000.0))
    cable = model.add(cd.Cable("cable", line, 1, section, velocity=(0.0, 0.0, 0.0)))
    model.add(cd.PatchContact("itself", cable, cable, friction=0.2))
    model.add(cd.Load("press", cable.point("end"), (0.0, 0.0, -40.0)))
    model.add(cd.Load("back", cable.point("start"), (0.0, 0.0, 40.0)))
    history = run(model, 0.3).contact("itself")
    found = history.line
    assert not np.isfinite(found.lengths[1]).any()  # nothing touches at the start
    assert np.nanmin(found.lengths[-1]) > np.pi
    assert history.normal_force[-1].sum() > 0.0 and history.gap.min() > -0.01


def test_a_plate_and_the_face_of_a_solid_press_with_their_weights() -> None:
    model = cd.Model("flat", dimension=3, gravity=(0.0, 0.0, -G))
    soft = cd.StVenantKirchhoff(1e8, 0.3, 1000.0)
    plate = model.add(cd.Plate.rectangle("plate", (1.0, 1.0), (2, 2), soft, 0.02, origin=(0.0, 0.0, 0.01)))
    block = cd.Mesh.block((0.4, 0.4, 0.2), (2, 2, 1), origin=(2.0, 0.0, 0.0))
    solid = model.add(cd.Solid.from_mesh("block", block, cd.StVenantKirchhoff(1e6, 0.3, 1000.0)))
    floor = cd.Plane((0.0, 0.0, 1.0))
    model.add(cd.PatchContact("under plate", plate, model.ground, floor, friction=0.3, per_patch=2))
    model.add(cd.PatchContact("under block", solid, model.ground, floor, surface="back", friction=0.3, per_patch=2))
    result = run(model, 0.05)
    assert np.isclose(result.contact("under plate").impulse.sum(axis=1)[1:, 2].mean(), 0.01 * 20.0 * G, rtol=1e-3)
    assert np.isclose(np.nansum(result.contact("under block").line.weights[1]), 0.16, rtol=1e-9)
    assert np.isclose(result.contact("under block").impulse.sum(axis=1)[1:, 2].mean(), 0.01 * 32.0 * G, rtol=0.25)


def test_a_taut_rope_beside_a_bar_stays_calm_with_its_geometric_stiffness() -> None:
    """Its pull holds it straight; a step of 1/60 s does not resolve how it swings across."""
    falls = []
    for geometric in (True, False):
        model = cd.Model("taut", dimension=3, gravity=(0.0, 0.0, -G))
        section = cd.Rope(2e5, 0.05, 0.3, diameter=0.016, damping=0.01)
        rope = model.add(cd.Cable("rope", [(0.0, 0.0, -0.15 * k) for k in range(7)], 1, section))
        model.add(cd.Spherical("top", model.ground, rope.point("start"), at=(0.0, 0.0, 0.0)))
        load = model.add(cd.RigidBody.box("load", (0.2,) * 3, 50.0 / 0.008, position=(0.0, 0.0, -1.0)))
        model.add(cd.Spherical("hook", rope.point("end"), load.at(0.0, 0.0, 0.1)))
        bar = cd.Cylinder(0.15, (0.0, 1.0, 0.0), centre=(0.158, 0.0, -0.4))
        model.add(cd.PatchContact("bar", rope, model.ground, bar, friction=0.3))
        falls.append(1.0 + run(model, 0.3, 1.0 / 60.0, geometric=geometric).position("load")[-1, 2])
    assert abs(falls[0] + 50.0 * G * 0.9 / 2e5) < 1e-4 and falls[1] < -0.05


def test_a_cable_lies_across_a_beam_and_both_share_its_weight() -> None:
    model = cd.Model("across", dimension=3, gravity=(0.0, 0.0, -G))
    beam = model.add(cd.AncfBeam("beam", [(-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)], 2, ROUND))
    for end in ("start", "end"):
        place = (-0.5 if end == "start" else 0.5, 0.0, 0.0)
        model.add(cd.Clamp(f"{end} of the beam", beam.point(end), model.ground.at(*place)))
    cable = model.add(cd.Cable("cable", [(0.0, -1.0, 0.2), (0.0, 1.0, 0.2)], 2, ROUND, damping=0.1))
    model.add(cd.PatchContact("crossing", cable, beam, friction=0.4))
    carried = run(model, 0.3, 0.005).contact("crossing")
    weight = 7750.0 * np.pi * 0.1**2 * 2.0 * G
    assert abs(carried.resultant[30:, 2].mean() / weight - 1.0) < 0.05
    assert carried.gap.min() > -1e-3


@pytest.mark.parametrize("target", ["plate", "solid"])
def test_a_cable_lies_on_a_plate_and_on_the_face_of_a_solid(target: str) -> None:
    model = cd.Model("on", dimension=3, gravity=(0.0, 0.0, -G))
    stiff = cd.StVenantKirchhoff(2e8, 0.3, 1000.0)
    under: Any
    if target == "plate":
        under = model.add(cd.Plate.rectangle("plate", (1.0, 1.0), (2, 2), stiff, 0.1, origin=(0.0, 0.0, -0.05)))
        model.add(cd.Tie("left", under, "left", model.ground))
        model.add(cd.Tie("right", under, "right", model.ground))
    else:
        block = cd.Mesh.block((1.0, 1.0, 0.4), (2, 2, 1), origin=(0.0, 0.0, -0.4))
        under = model.add(cd.Solid.from_mesh("solid", block, stiff))
        model.add(cd.Tie("base", under, "back", model.ground))
    light = cd.RoundSection(0.05, cd.StVenantKirchhoff(2e8, 0.0, 1000.0))
    cable = model.add(cd.Cable("cable", [(0.1, 0.5, 0.05), (0.9, 0.5, 0.05)], 2, light, damping=0.05))
    side = "top" if target == "plate" else "front"
    model.add(cd.PatchContact("on", cable, under, side, friction=0.4))
    carried = run(model, 0.2, 0.005).contact("on")
    weight = 1000.0 * np.pi * 0.05**2 * 0.8 * G
    assert abs(carried.resultant[20:, 2].mean() / weight - 1.0) < 0.05
    assert carried.gap.min() > -2e-3


def test_only_nonsmooth_steps_take_patches() -> None:
    with pytest.raises(cd.InputError, match="only Nonsmooth takes"):
        cd.simulate(lying(), end=0.02, dt=0.01, integrator=cd.Compliant())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"per_patch": 0}, "per_patch must be at least 1"),
        ({"sideways": "loose"}, "sideways"),
        ({"law": "penalty"}, "patches take Hard"),
        ({"shape": 3.0}, "shape must be a Surface"),
        ({"friction": -0.1}, "friction"),
    ],
)
def test_what_patches_cannot_be_is_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cd.InputError, match=message):
        lying(**options)


def test_more_points_than_there_is_room_for_are_named() -> None:
    with pytest.raises(cd.CondyleError, match="give most="):
        run(lying(most=4))


BEND, ARM, THICK = 0.03, 0.3, 0.01  # [m] radius of a hairpin, length of its arms, thickness of the sheet


def hairpin(**options: Any) -> cd.Model:
    """A soft sheet bent back over itself, whose lower arm is held; gravity closes it."""

    def middle(u: float, v: float) -> tuple[float, float, float]:
        turn = np.clip((u - ARM) / BEND, 0.0, np.pi)
        back = max(u - ARM - np.pi * BEND, 0.0)
        return min(u, ARM) + BEND * np.sin(turn) - back, v, BEND * (1.0 - np.cos(turn))

    model = cd.Model("hairpin", dimension=3, gravity=(0.0, 0.0, -G))
    soft = cd.StVenantKirchhoff(2e5, 0.3, 1000.0)
    whole = 2.0 * ARM + np.pi * BEND
    sheet = cd.Plate.surface("sheet", middle, (whole, 0.1), (14, 1), soft, THICK, damping=0.02)
    nodes = np.array(sheet.nodes)
    sheet.sets["lower"] = np.flatnonzero((nodes[:, 2] < 0.1 * BEND) & (nodes[:, 0] < 1.001 * ARM)).tolist()
    model.add(sheet)
    model.add(cd.Tie("held", sheet, "lower", model.ground))
    model.add(cd.PatchContact("itself", sheet, sheet, **{"friction": 0.3, "per_patch": 1, **options}))
    return model


@pytest.mark.parametrize("per_patch", [1, 2])
def test_a_sheet_folded_over_comes_to_rest_on_itself(per_patch: int) -> None:
    result = run(hairpin(per_patch=per_patch), 0.16, 0.005)
    met, whole = result.contact("itself"), 2.0 * ARM + np.pi * BEND
    assert result.unsolved_steps == 0
    assert not met.normal_force[:15].any() and met.normal_force[-1].sum() > 1.0  # nothing meets before it has fallen
    assert met.gap.min() > -0.01 * THICK
    for back in (0.0, 0.1, 0.2):
        height = result.position(cd.Point("sheet", (whole - back, 0.05)))[-1, 2]
        assert THICK * 0.9 < height < THICK * 1.1  # points are in the middles of elements, and their edges hang down


def test_more_points_than_a_folded_sheet_can_tell_apart_are_solved() -> None:
    """Three points in each direction as the arms meet: 90 contacts with 132 of 270 rows that differ."""
    result = run(hairpin(per_patch=3), 0.105, 0.005)
    assert result.contact("itself").normal_force[-1].sum() > 0.1
    assert result.unsolved_steps == 0


def test_a_sheet_that_moves_as_a_rigid_body_has_no_velocity_over_itself() -> None:
    """So forces between its parts change neither momentum, at its edges too."""
    model = hairpin(margin=0.2, apart=0.15)
    sim = cd.Simulation(model, dt=0.01, integrator=cd.Nonsmooth())
    system: Any = sim.system
    pair, x = system.contact.pairs[0], sim.state.x
    pair.look(x, np.zeros_like(x), 0.0)
    assert len(pair.busy) > 5
    turning = np.array([0.3, -0.5, 0.7])
    place = np.asarray(system.translation, dtype=bool)
    v = np.cross(turning, x) + np.where(place[:, None], np.array([1.0, 2.0, -3.0]), 0.0)
    assert np.abs(pair.relative(x, v)).max() < 1e-12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shape": "top"}, "meets itself on both sides; leave out shape"),
        ({"radius": 0.0}, "a sheet without a thickness never meets itself"),
        ({"apart": 0.9 * THICK}, "meet already as it lies flat"),
    ],
)
def test_what_a_sheet_that_meets_itself_needs_is_said(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cd.InputError, match=message):
        cd.compile(hairpin(**options))
