"""Friction where it is hard: landings, rods that jam, penalties that turn round, surfaces in the mean."""

import numpy as np
import pytest

import condyle as cd

METHODS = pytest.mark.parametrize(
    "method", [cd.GeneralizedAlpha(0.6), cd.EnergyMomentum()], ids=lambda m: type(m).__name__
)
RUBBER = cd.NeoHookean(1e6, 0.3, 1000.0)


def run(model: cd.Model, end: float, dt: float, method) -> tuple[cd.Result, list]:
    """The result, and how each step was solved."""
    infos = []
    result = cd.simulate(
        model, end=end, dt=dt, integrator=method, hooks=[lambda system, state, info: infos.append(info)]
    )
    return result, infos


def landing(friction: float) -> cd.Model:
    """A leg of 12 kg, inclined by 19°, under an upright trunk of 54 kg comes down on its foot at walking speed."""
    model = cd.Model("landing", dimension=2, gravity=(0.0, -9.81))
    lean, speed = np.radians(19.1), (1.3, -0.45)
    up, foot = np.array((-np.sin(lean), np.cos(lean))), np.array((0.0, 0.02))
    leg = model.add(
        cd.RigidBody("leg", 11.72, inertia=0.748, position=foot + 0.562 * up, rotation=lean, velocity=speed)
    )
    hip = foot + 0.898 * up
    trunk = model.add(cd.RigidBody("trunk", 54.0, inertia=3.84, position=hip + 0.295 * np.eye(2)[1], velocity=speed))
    model.add(cd.Pin("hip", leg, trunk, at=hip))
    model.add(cd.Rotation("upright", model.ground, trunk, direction_a=(1.0, 0.0), direction_b=(0.0, 1.0)))
    model.add(cd.Contact("sole", leg, [(0.0, -0.562)], model.ground, cd.Plane((0.0, 1.0)), friction=friction))
    return model


@METHODS
@pytest.mark.parametrize("friction", [0.3, 0.5, 0.8])
def test_a_leg_lands_on_its_foot_with_friction(friction: float, method):
    """Above μ = 0.48 the foot cannot slip: the more it is pressed, the more the leg would turn it into the ground."""
    result, infos = run(landing(friction), 0.08, 0.002, method)
    sole, energy = result.contact("sole"), result.energy["total"]
    first = int(np.argmax(sole.active[:, 0]))
    assert sole.active.any() and sole.gap.min() > -1e-9
    assert np.diff(energy).max() < 1e-6 * energy.max()
    assert max(info.cuts for info in infos) == 0
    assert (max(info.guesses for info in infos) > 0) == (friction > 0.48)
    moved = sole.places[first, 0, 0] - sole.places[first - 1, 0, 0]
    assert abs(moved) < 1e-12 if friction > 0.48 else moved > 1e-4
    if isinstance(method, cd.GeneralizedAlpha) and friction > 0.48:  # it stays, and carries the trunk over it
        assert np.ptp(sole.places[first:, 0, 0]) < 1e-9
        assert sole.normal_force[first:].min() > 0.0


def rod(friction: float, angle: float = float(np.arctan(2.0))) -> cd.Model:
    """A slender rod of 1 m and 1 kg, steep as tan θ = 2, pushed along the ground ahead of its middle (Painlevé 1895)."""
    model = cd.Model("rod", dimension=2, gravity=(0.0, -9.81))
    half = (0.5 * np.cos(angle), 0.5 * np.sin(angle))
    body = model.add(cd.RigidBody("rod", 1.0, inertia=1 / 12, position=half, rotation=angle, velocity=(-1.0, 0.0)))
    model.add(cd.Contact("tip", body, [(-0.5, 0.0)], model.ground, cd.Plane((0.0, 1.0)), friction=friction))
    return model


@METHODS
@pytest.mark.parametrize("friction", [0.5, 1.2, 1.5, 2.0])
def test_a_rod_slides_below_the_critical_friction_and_jams_above(friction: float, method):
    """The pressing force is m g/(1 + 3 cos² θ − 3 μ sin θ cos θ); from μ = 4/3 on there is none."""
    result, infos = run(rod(friction), 0.02, 0.002, method)
    tip, energy = result.contact("tip"), result.energy["total"]
    assert tip.gap.min() > -1e-12
    assert np.diff(energy).max() < 2e-3 * energy[0]  # where it stops, friction jumps within a step
    assert max(info.cuts for info in infos) == 0
    if friction < 4 / 3:
        assert tip.normal_force[1, 0] == pytest.approx(9.81 / (1.6 - 1.2 * friction), rel=0.01)
        assert infos[0].guesses == 0
    else:
        assert abs(tip.places[1, 0, 0] - tip.places[0, 0, 0]) < 1e-12
        assert infos[0].guesses == 1


@pytest.mark.parametrize("method", [cd.GeneralizedAlpha(0.6), cd.Newmark(), cd.HHT()], ids=["alpha", "Newmark", "HHT"])
@pytest.mark.parametrize("lean", [-0.02, 0.03])
def test_a_slip_that_ends_later_near_the_critical_friction_puts_no_energy_in(lean: float, method):
    """The force of slipping, a hundred times the weight, would act on in the step after, and drive the tip the other way."""
    energy = run(rod(1.32, float(np.arctan(2.0)) + lean), 0.02, 5e-4, method)[0].energy["total"]
    assert np.diff(energy).max() < 1e-5 * energy[0]


def box(friction: float, spin: float, stiffness: float) -> cd.Model:
    model = cd.Model("box", dimension=2, gravity=(0.0, -9.81))
    start = dict(position=(0.0, 0.16), rotation=0.2, velocity=(1.0, -0.5), angular_velocity=spin)
    body = model.add(cd.RigidBody("box", 1.0, inertia=0.01, **start))
    corners = [(-0.15, -0.1), (0.15, -0.1), (0.15, 0.1), (-0.15, 0.1)]
    options = dict(law="penalty", friction=friction, stiffness=stiffness)
    model.add(cd.Contact("floor", body, corners, model.ground, cd.Plane((0.0, 1.0)), **options))
    return model


def test_a_box_tumbles_on_a_penalty_with_friction_without_a_cut_step():
    """What slips to one side and then to the other has passed where it sticks."""
    rng = np.random.default_rng(0)
    for _ in range(6):
        model = box(rng.uniform(0.1, 1.0), rng.uniform(-5.0, 5.0), 10 ** rng.uniform(3.5, 6.0))
        result, infos = run(model, 0.6, 0.01, cd.EnergyMomentum())
        assert max(info.cuts for info in infos) == 0
        assert np.diff(result.energy["total"]).max() < 1e-3


@METHODS
@pytest.mark.parametrize(
    ("friction", "spin", "angle", "velocity", "half"),
    [
        (1.34337, -2.74131, -0.75089, (-0.84668, -0.41388), (0.13311, 0.17146)),
        (0.10897, 2.72649, 0.95653, (0.35948, -0.68032), (0.07813, 0.15088)),
    ],
)
def test_boxes_that_tumble_never_gain_energy(friction, spin, angle, velocity, half, method):
    """Two corners cannot stick both while the box turns, and no step ends in a box that has turned right round."""
    model = cd.Model("box", dimension=2, gravity=(0.0, -9.81))
    w, h = half
    start = dict(position=(0.0, np.hypot(w, h) + 0.01), rotation=angle, velocity=velocity, angular_velocity=spin)
    body = model.add(cd.RigidBody("box", 1.0, inertia=(w * w + h * h) / 3.0, **start))
    corners = [(-w, -h), (w, -h), (w, h), (-w, h)]
    model.add(cd.Contact("floor", body, corners, model.ground, cd.Plane((0.0, 1.0)), friction=friction))
    result, infos = run(model, 0.8, 0.004, method)
    energy = result.energy["total"]
    assert np.diff(energy).max() < (1e-12 if isinstance(method, cd.EnergyMomentum) else 5e-3) * energy[0]
    assert max(info.cuts for info in infos) == 0


# --- friction in the mean -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "law"), [(2, "augmented"), (2, "penalty"), (3, "augmented")])
def test_an_even_shear_passes_between_meshes_that_do_not_match(d: int, law: str):
    """The patch test of stick: pressed and sheared evenly and little, two blocks carry the stress of one."""
    model = cd.Model("shear", dimension=d)
    cork = cd.NeoHookean(1e6, 0.0, 200.0)
    size, x, y = (1.0, 0.5, 1.0)[:d], np.eye(d)[0], np.eye(d)[1]
    low = model.add(cd.Solid.block("low", size, (3, 2, 3)[:d], cork))
    high = model.add(cd.Solid.block("high", size, (2, 2, 2)[:d], cork, origin=0.5 * y))
    model.add(cd.Tie("base", low, "bottom", model.ground))
    model.add(cd.Traction("load", high, "top", 4.0 * x - 10.0 * y))
    for body in (low, high):
        model.add(cd.Traction(f"right of {body.name}", body, "right", 4.0 * y))
        model.add(cd.Traction(f"left of {body.name}", body, "left", -4.0 * y))
    model.add(cd.Contact("joint", high, "bottom", low, "top", law=law, points="mortar", friction=0.6))
    result = cd.solve_static(model, steps=2)
    joint = result.contact("joint")
    assert np.allclose(joint.traction[-1], 10.0 * y - 4.0 * x, atol=1e-3)
    for body in ("low", "high"):
        stress = result.fields(body).cauchy
        assert np.ptp(stress[..., 0, 1]) < 1e-3 and np.ptp(stress[..., 1, 1]) < 1e-3
    if law == "augmented":
        assert joint.slip[-1].max() < 1e-12


def dragged(d: int, law: str) -> cd.Model:
    """A soft block pressed on a soft base by a jaw, and dragged along it over facets of other sizes."""
    model = cd.Model("drag", dimension=d)
    cells = ((9, 2), (4, 2)) if d == 2 else ((5, 1, 2), (2, 1, 1))
    base = model.add(cd.Solid.block("base", (0.4, 0.1, 0.2)[:d], cells[0], RUBBER))
    block = model.add(cd.Solid.block("block", (0.1, 0.05, 0.1)[:d], cells[1], RUBBER, origin=(0.1, 0.1, 0.05)[:d]))
    model.add(cd.Tie("glue", base, "bottom", model.ground))
    along, down = cd.Table((0, 0.25, 1), (0, 0, 0.05)), cd.Table((0, 0.25, 1), (0, -2e-3, -2e-3))
    jaw = model.add(cd.Frame("jaw", shift=(along, down, 0.0)[:d]))
    model.add(cd.Tie("grip", block, "top", jaw))
    model.add(cd.Contact("joint", block, "bottom", base, "top", law=law, points="mortar", friction=0.3))
    return model


@pytest.mark.parametrize(("d", "law"), [(2, "augmented"), (2, "penalty"), (3, "augmented")])
def test_a_block_is_dragged_over_another_mesh_by_coulombs_law_in_the_mean(d: int, law: str):
    result = cd.solve_static(dragged(d, law), steps=8 if d == 2 else 4)
    joint = result.contact("joint")
    drag = -joint.resultant[:, 0] / np.maximum(joint.normal_force.sum(axis=1), 1e-300)
    pressed = 2 if d == 2 else 1
    assert drag[pressed] < 0.02
    assert np.abs(drag[pressed + 1 :] - 0.3).max() < 0.004  # facets lie a little askew
    assert result.iterations.max() <= 8


def test_friction_in_the_mean_turns_with_the_bodies():
    """Pressed and sheared by a jaw, then all turned by 30° in space: forces turn along, and nothing slips."""
    model = cd.Model("turned", dimension=3)
    t = np.linspace(0.0, 1.0, 9)
    angle, push = np.clip(np.pi / 6 * (t - 0.25) / 0.75, 0.0, None), np.clip(t / 0.25, 0.0, 1.0)
    dx, dy = 5e-4 * push, -2e-3 * push
    c, s = np.cos(angle), np.sin(angle)
    turn = dict(axis=(0.0, 0.0, 1.0), angle=cd.Table(t, angle))
    shift = (cd.Table(t, c * dx - s * dy), cd.Table(t, s * dx + c * dy), 0.0)
    base, jaw = model.add(cd.Frame("base", **turn)), model.add(cd.Frame("jaw", shift=shift, **turn))
    low = model.add(cd.Solid.block("low", (0.3, 0.1, 0.2), (3, 1, 2), RUBBER))
    high = model.add(cd.Solid.block("high", (0.2, 0.1, 0.1), (2, 1, 1), RUBBER, origin=(0.045, 0.1, 0.043)))
    model.add(cd.Tie("glue", low, "bottom", base))
    model.add(cd.Tie("grip", high, "top", jaw))
    model.add(cd.Contact("joint", high, "bottom", low, "top", points="mortar", friction=0.5))
    result = cd.solve_static(model, steps=8)
    joint = result.contact("joint")
    rubs = np.linalg.norm(joint.friction_force, axis=2)
    assert rubs[2].max() > 5.0
    assert np.allclose(rubs[-1], rubs[2], rtol=1e-3)  # the pieces are cut anew where it was pressed
    assert np.allclose(rubs[-1], rubs[4], rtol=1e-6)
    assert np.allclose(joint.normal_force[-1], joint.normal_force[4], rtol=1e-6)
