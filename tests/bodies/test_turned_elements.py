"""Elements that collapse or turn inside out: the step is cut, and the report names the element and its body."""

import numpy as np
import pytest

import condyle as cd

SOFT = cd.StVenantKirchhoff(young=1e3, density=1.0)


def pushed_cable(elements=2, force=-200.0):
    m = cd.Model("pushed", dimension=2)
    cable = m.add(cd.Cable("wire", [(0, 0), (1, 0)], elements, cd.Rope(10.0, 0.001, 1.0)))
    m.add(cd.Tie("wall", cable, "start", "ground"))
    m.add(cd.Load("push", "wire.end", (force, 0.0)))
    return m


@pytest.mark.parametrize("method", [cd.EnergyMomentum, cd.GeneralizedAlpha, cd.Compliant, cd.RungeKutta])
def test_a_cable_pushed_to_no_length_is_reported_by_element(method):
    with pytest.raises(
        cd.ConvergenceError, match=r"element 1 of 'wire' has collapsed to no length.*step cut"
    ) as caught:
        cd.simulate(pushed_cable(), end=1.0, dt=0.02, integrator=method())
    assert caught.value.part == "wire"
    r = caught.value.result
    assert r.status == "failed" and np.isfinite(r.position("wire.end")).all()


def test_a_step_that_is_cut_in_time_goes_on():
    """A ball thrown against a cable that can stop it: a whole step would carry it through the wall."""
    m = cd.Model("thrown", dimension=2)
    cable = m.add(cd.Cable("wire", [(0, 0), (1, 0)], 1, cd.Rope(1e4, 1.0, 1e-3)))
    ball = m.add(cd.PointMass("ball", 1.0, (1, 0), velocity=(-30.0, 0.0)))
    m.add(cd.Tie("wall", cable, "start", "ground"))
    m.add(cd.Pin("grip", cable.point("end"), ball, at=(1, 0)))
    r = cd.simulate(m, end=0.1, dt=0.05)
    assert r.cuts.sum() > 0
    E = r.energy["total"]
    assert np.abs(E - E[0]).max() < 1e-6 * E[0]


@pytest.mark.parametrize(("body", "what"), [
    (cd.AncfBeam("b", [(0, 0, 0), (1, 0, 0)], 1, cd.RectangularSection(0.2, 0.2, SOFT), normal=(0, 1, 0)), "element 0 of 'b'"),
    (cd.Brick.block("b", (1, 0.2, 0.2), (1, 1, 1), SOFT), "element 0 of 'b' is turned inside out"),
    (cd.Solid.block("b", (1, 0.2, 0.2), (2, 1, 1), SOFT), "element 1 of 'b' is turned inside out"),
])  # fmt: skip
def test_beams_bricks_and_solids_turned_inside_out_are_reported(body, what):
    m = cd.Model("pushed", dimension=3)
    m.add(body)
    if isinstance(body, cd.AncfBeam):
        m.add(cd.Tie("wall", body, "start", "ground"))
        m.add(cd.Load("push", "b.end", (-500.0, 0.0, 0.0)))
        with pytest.raises(cd.ConvergenceError, match=what):
            cd.simulate(m, end=0.1, dt=0.004)
        return
    m.add(cd.Tie("wall", body, "left", "ground"))
    plate = m.add(
        cd.RigidBody("plate", 1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.1, 0.1), velocity=(-50.0, 0.0, 0.0))
    )
    m.add(cd.Prismatic("guide", m.ground, plate, at=(1.0, 0.1, 0.1), axis=(1.0, 0.0, 0.0)))
    m.add(cd.Tie("grip", body, "right", plate))
    with pytest.raises(cd.ConvergenceError, match=what):
        cd.simulate(m, end=0.1, dt=0.004)


def test_a_plate_that_turns_over_is_reported():
    m = cd.Model("pushed", dimension=3)
    plate = m.add(cd.Plate.rectangle("sheet", (1, 0.5), (1, 1), SOFT, 0.01, kind="thin"))
    m.add(cd.Tie("wall", plate, "left", "ground"))
    for node in plate.sets["right"]:
        m.add(cd.Load(f"push {node}", plate.point(node), (-500.0, 0.0, 0.0)))
    with pytest.raises(cd.ConvergenceError, match="element 0 of 'sheet' has collapsed or turned over"):
        cd.simulate(m, end=0.5, dt=0.01, integrator=cd.Compliant())


def test_statics_says_where_it_stops():
    m = cd.Model("pushed", dimension=2)
    block = m.add(cd.Solid.block("block", (1, 1), (2, 1), SOFT))
    m.add(cd.Tie("wall", block, "left", "ground"))
    m.add(cd.Traction("press", block, "right", (-5e4, 0.0)))
    where = r"(element \d of 'block' is turned inside out|unbalanced force is near .*) at load factor .*"
    with pytest.raises(cd.ConvergenceError, match=where):
        cd.solve_static(m, steps=2)


def test_large_turns_and_fast_flight_are_no_reason_to_cut():
    m = cd.Model("wheel", dimension=3)
    m.add(cd.Cable("c", [(0, 0, 0), (1, 0, 0)], 2, cd.Rope(1e5, 10.0, 1.0), angular_velocity=(0, 0, 40.0)))
    m.add(cd.Plate.rectangle("p", (0.5, 0.5), (1, 1), cd.StVenantKirchhoff(young=1e9, density=1e3), 0.02,
                             origin=(0, 0, 1), angular_velocity=(0.0, 40.0, 0.0)))  # fmt: skip
    r = cd.simulate(m, end=0.2, dt=0.01, integrator=cd.Compliant())
    assert r.cuts.sum() == 0
