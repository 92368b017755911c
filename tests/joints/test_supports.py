"""Supports of solids, plates and shells: ties and holds that share nodes, supported edges, loads on edges and faces."""

import warnings

import numpy as np
import pytest

import condyle as cd

SOFT = cd.NeoHookean(1e6, 0.3, 1000.0)


@pytest.fixture(autouse=True)
def _nothing_is_redundant():
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.RedundancyWarning)
        yield


def block(d, cells=2, **options):
    m = cd.Model("block", dimension=d)
    body = m.add(cd.Solid.block("block", (1.0,) * d, (cells,) * d, SOFT, **options))
    return m, body


# --- nodes that two supports share --------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("enforcement", ["eliminate", "multiplier"])
def test_a_corner_may_be_tied_and_held(d, enforcement):
    def pulled(nodes_of_hold):
        m, body = block(d)
        m.add(cd.Tie("wall", body, "left", m.ground, enforcement=enforcement))
        m.add(cd.Hold("floor", body, nodes_of_hold(body), (0, 1, 0)[:d]))
        m.add(cd.Traction("pull", body, "right", (1e5, 2e4, 0)[:d]))
        result = cd.solve_static(m, steps=2)
        return result, result.fields(body).positions

    # Where the wall is held by multipliers, the corner would be held twice along y: the same force, shared.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if enforcement == "multiplier" else "error", cd.RedundancyWarning)
        result, shared = pulled(lambda body: "bottom")
    _, apart = pulled(lambda body: sorted(set(body.sets["bottom"]) - set(body.sets["left"])))
    np.testing.assert_allclose(shared, apart, atol=1e-12)
    if enforcement == "eliminate":
        assert len(result.multipliers("floor")) == 3 ** (d - 1) - 3 ** (d - 2)


@pytest.mark.parametrize("d", [2, 3])
def test_two_holds_may_share_a_corner_and_an_edge(d):
    m, body = block(d)
    m.add(cd.Hold("left", body, "left", (1, 0, 0)[:d]))
    m.add(cd.Hold("bottom", body, "bottom", (0, 1, 0)[:d]))
    if d == 3:
        m.add(cd.Hold("back", body, "back", (0, 0, 1)))
    m.add(cd.Hold("left again", body, [*body.sets["left"], body.sets["right"][0]], (-2, 0, 0)[:d]))
    m.add(cd.Traction("pull", body, "top", (0, 1e5, 0)[:d]))
    result = cd.solve_static(m, steps=1)
    assert result.status == "completed"
    assert len(result.multipliers("left again")) == 1  # only what nothing else holds that way
    np.testing.assert_allclose(result.reaction("bottom")[-1], (0, -1e5, 0)[:d], atol=1e-4)


def test_holds_that_contradict_each_other_or_a_tie_name_the_node():
    m, body = block(2)
    m.add(cd.Hold("left", body, "left", (1, 0)))
    m.add(cd.Hold("moved", body, "bottom", (-1, 0), displacement=cd.Ramp(0.0, 1.0, 0.0, 0.1)))
    with pytest.raises(cd.InputError, match="Hold 'moved': node 0 of 'block' is moved otherwise by Hold 'left'"):
        cd.compile(m)
    m, body = block(2)
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Hold("moved", body, "bottom", (0, 1), displacement=0.1))
    with pytest.raises(cd.InputError, match="Hold 'moved': node 0 of 'block' is tied to what moves otherwise"):
        cd.compile(m)
    m, body = block(2)
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Hold("again", body, "left", (0, 1)))
    with pytest.raises(cd.InputError, match="Hold 'again': every node of it is held or tied already; remove it"):
        cd.compile(m)


def test_a_corner_may_be_held_and_follow_a_frame_that_moves_along_the_support():
    m, body = block(2)
    grip = m.add(cd.Frame("grip", (1.0, 0.0), shift=(cd.Ramp(0.0, 1.0, 0.0, 0.1), 0.0)))
    m.add(cd.Tie("pulled", body, "right", grip))
    m.add(cd.Hold("left", body, "left", (1, 0)))
    m.add(cd.Hold("floor", body, "bottom", (0, 1)))
    fields = cd.solve_static(m, steps=1).fields(body)
    np.testing.assert_allclose(fields.displacement[body.sets["right"]], [(0.1, 0.0)] * 3, atol=1e-12)
    m.add(cd.Hold("ceiling", body, "top", (1, 0)))
    with pytest.raises(cd.InputError, match="Hold 'ceiling': node 8 of 'block' is tied to what moves otherwise"):
        cd.compile(m)


def test_two_ties_may_share_a_corner():
    """To the same body the corner is tied once; to two bodies it joins them there."""
    m, body = block(2)
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Tie("floor", body, "bottom", m.ground))
    m.add(cd.Traction("pull", body, "right", (1e5, 0.0)))
    assert cd.solve_static(m, steps=1).status == "completed"
    m = cd.Model("hinge at a shared node", dimension=2, gravity=(0.0, -9.81))
    body = m.add(cd.Solid.block("block", (1.0, 1.0), (2, 2), SOFT))
    arm = m.add(cd.RigidBody("arm", 2.0, inertia=0.3, position=(0.0, 0.5)))
    m.add(cd.Tie("glue", body, "left", arm))
    m.add(cd.Tie("pin", body, [0], m.ground))
    result = cd.simulate(m, end=0.1, dt=0.01)
    pinned = result.position(body.point(0))
    assert np.abs(pinned - pinned[0]).max() < 1e-12
    assert np.abs(result.position(arm)[-1] - result.position(arm)[0]).max() > 1e-3
    energy = result.energy["total"]
    assert np.ptp(energy) < 1e-9 * result.energy["kinetic"].max()


def test_a_corner_may_follow_two_surfaces():
    """A block in the corner of an angle of two others, tied to both in the mean: a homogeneous stress passes."""
    m = cd.Model("angle", dimension=2)
    base = m.add(cd.Solid.block("base", (2.0, 1.0), (4, 2), SOFT))
    side = m.add(cd.Solid.block("side", (1.0, 1.0), (2, 3), SOFT, origin=(0.0, 1.0)))
    infill = m.add(cd.Solid.block("infill", (1.0, 1.0), (5, 4), SOFT, origin=(1.0, 1.0)))
    m.add(cd.Tie("below", side, "bottom", base, surface="top"))
    m.add(cd.Tie("floor", infill, "bottom", base, surface="top"))
    m.add(cd.Tie("wall", infill, "left", side, surface="right"))
    m.add(cd.Hold("below all", base, "bottom", (0, 1)))
    m.add(cd.Hold("x", base, [0], (1, 0)))
    m.add(cd.Traction("p1", side, "top", (0.0, -1e5)))
    m.add(cd.Traction("p2", infill, "top", (0.0, -1e5)))
    result = cd.solve_static(m, steps=2)
    for body in (base, side, infill):
        stress = result.fields(body).cauchy[..., 1, 1]
        assert np.ptp(stress) < 1e-6 * abs(stress.mean())


@pytest.mark.parametrize("cells", [(2, 3, 2), (3, 4, 2)])
@pytest.mark.parametrize("d", [2, 3])
def test_a_plane_of_symmetry_may_pass_through_bodies_that_are_tied(d, cells):
    m = cd.Model("stack", dimension=d)
    base = m.add(cd.Solid.block("base", (1.0,) * d, (2, 3, 2)[:d], SOFT))
    top = m.add(cd.Solid.block("top", (1.0,) * d, cells[:d], SOFT, origin=(0.0, 1.0, 0.0)[:d]))
    m.add(cd.Tie("glue", top, "bottom", base, surface="top"))
    m.add(cd.Hold("floor", base, "bottom", (0, 1, 0)[:d]))
    for body in (top, base):
        m.add(cd.Hold(f"x of {body.name}", body, "left", (1, 0, 0)[:d]))
        if d == 3:
            m.add(cd.Hold(f"z of {body.name}", body, "back", (0, 0, 1)))
    m.add(cd.Traction("pull", top, "top", (0.0, 1e5, 0.0)[:d]))
    result = cd.solve_static(m, steps=2)
    for body in (base, top):
        stress = result.fields(body).cauchy[..., 1, 1]
        assert np.ptp(stress) < 1e-6 * stress.mean()


def test_ties_part_by_prescribed_motion_name_the_node():
    m, body = block(2)
    grip = m.add(cd.Frame("grip", shift=(cd.Ramp(0.0, 1.0, 0.0, 0.1), 0.0)))
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Tie("pull", body, "bottom", grip))
    with pytest.raises(
        cd.InputError, match="Tie 'pull': node 0 of 'block' is tied elsewhere already, and 'grip' moves"
    ):
        cd.compile(m)


# --- plates, shells and bricks ------------------------------------------------------------------------------------------

YOUNG, NU, THICK, SIDE, LOAD = 2e11, 0.3, 0.01, 1.0, 100.0
STEEL = cd.StVenantKirchhoff(YOUNG, NU, 7800.0)
EDGES = ("left", "right", "bottom", "top")
# Deflection of the middle over q a⁴/D (timoshenko-woinowsky-krieger-1959, tables 8 and 35).
SIMPLE, CLAMPED = 0.0040624, 0.0012653


def plate(kind, n, support):
    m = cd.Model("square plate", dimension=3)
    p = m.add(kind.rectangle("plate", (SIDE, SIDE), (n, n), STEEL, THICK))
    for edge in EDGES:
        m.add(cd.Hold(edge, p, edge, (0, 0, 1)) if support == "simple" else cd.Tie(edge, p, edge, m.ground))
    if support == "simple":
        m.add(cd.Hold("x", p, [0], (1, 0, 0)))
        m.add(cd.Hold("y", p, [0, p.sets["right"][0]], (0, 1, 0)))
    m.add(cd.Pressure("load", p, LOAD))
    return m, p


@pytest.mark.parametrize(("kind", "n", "error"), [(cd.Plate, 4, 2e-3), (cd.Shell, 6, 0.02)])
@pytest.mark.parametrize(("support", "exact"), [("simple", SIMPLE), ("clamped", CLAMPED)])
def test_a_square_plate_under_pressure_deflects_as_kirchhoff_says(kind, n, error, support, exact):
    m, p = plate(kind, n, support)
    result = cd.solve_static(m, steps=1)
    middle = p.at(0.5, 0.5) if kind is cd.Plate else p.at(0.5, 0.5, 0.0)
    stiffness = YOUNG * THICK**3 / (12 * (1 - NU**2))
    deflection = -result.displacement(middle)[-1, 2] * stiffness / (LOAD * SIDE**4)
    assert deflection == pytest.approx(exact, rel=error if kind is cd.Plate or support == "simple" else 2 * error)
    if support == "simple":
        assert sum(result.reaction(edge)[-1, 2] for edge in EDGES) == pytest.approx(LOAD * SIDE**2, rel=1e-6)
        between = result.displacement(p.at(0.37, 0.0) if kind is cd.Plate else p.at(0.37, 0.0, 0.0))[-1]
        assert abs(between[2]) < 1e-12  # the whole edge stays in place, not only its nodes


@pytest.mark.parametrize(("kind", "error"), [(cd.Plate, 1e-4), (cd.Shell, 0.02)])
def test_a_cantilever_plate_bends_under_a_load_on_its_edge(kind, error):
    m = cd.Model("cantilever", dimension=3)
    p = m.add(kind.rectangle("plate", (1.0, 0.2), (4, 1), cd.StVenantKirchhoff(YOUNG, 0.0, 7800.0), THICK))
    m.add(cd.Tie("wall", p, "left", m.ground))
    m.add(cd.Traction("edge", p, "right", (0.0, 0.0, 5.0)))
    result = cd.solve_static(m, steps=1)
    theory = 5.0 * 0.2 / (3 * YOUNG * 0.2 * THICK**3 / 12)
    assert result.displacement(p.point("right"))[-1, 2] == pytest.approx(theory, rel=error)


def test_clamping_a_set_of_a_plate_is_clamping_its_nodes():
    ends = []
    for clamp in ("set", "nodes"):
        m = cd.Model("clamped", dimension=3)
        p = m.add(cd.Plate.rectangle("plate", (1.0, 0.2), (2, 1), STEEL, THICK))
        if clamp == "set":
            m.add(cd.Clamp("wall", p.point("left"), m.ground, hold="gradient"))
        else:
            for i in p.sets["left"]:
                m.add(cd.Clamp(f"wall {i}", p.point(i), cd.Point("ground", p.nodes[i], "world"), hold="gradient"))
        m.add(cd.Traction("edge", p, "right", (0.0, 0.0, 5.0)))
        ends.append(cd.solve_static(m, steps=1).displacement(p.point("right"))[-1])
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-9)


def test_faces_of_a_brick_take_tractions_pressures_and_supports():
    rubber = cd.StVenantKirchhoff(1e6, 0.0, 1000.0)
    ends = []
    for load in ("traction", "pressure"):
        m = cd.Model("brick", dimension=3)
        b = m.add(cd.Brick.block("brick", (1.0, 0.5, 0.5), (2, 1, 1), rubber))
        for side, direction in (("left", (1, 0, 0)), ("bottom", (0, 1, 0)), ("back", (0, 0, 1))):
            m.add(cd.Hold(side, b, side, direction))
        if load == "traction":
            m.add(cd.Traction("load", b, "right", (1e3, 0.0, 0.0)))
        else:
            m.add(cd.Pressure("load", b, -1e3, surface="right"))
        result = cd.solve_static(m, steps=1)
        np.testing.assert_allclose(result.reaction("left")[-1], (-250.0, 0.0, 0.0), rtol=1e-9, atol=1e-9)
        ends.append(result.displacement(b.point("right"))[-1, 0])
    # ν = 0: S = E ½ (λ² − 1), P = λ S
    stretch = np.roots([0.5e6, 0.0, -0.5e6, -1e3]).real.max()
    np.testing.assert_allclose(ends, stretch - 1.0, rtol=1e-9)


def test_a_beam_and_a_rod_may_be_held_at_a_node():
    m = cd.Model("beam on rollers", dimension=2)
    section = cd.RectangularSection(0.05, 0.05, STEEL)
    beam = m.add(cd.AncfBeam("beam", [(0, 0), (1, 0)], 4, section))
    m.add(cd.Hold("roller", beam, ["start", "end"], (0, 1)))
    m.add(cd.Hold("stop", beam, ["start"], (1, 0)))
    m.add(cd.Load("weight", beam.point(2), (0.0, -1000.0)))
    result = cd.solve_static(m, steps=1)
    np.testing.assert_allclose(result.reaction("roller")[-1], (0.0, 1000.0), rtol=1e-8, atol=1e-6)


def test_edges_that_are_not_there_are_refused_by_name():
    m = cd.Model("wrong", dimension=3)
    p = m.add(cd.Plate.rectangle("plate", (1.0, 1.0), (2, 2), STEEL, THICK, sets={"middle": [4]}))
    c = m.add(cd.Cable("cable", [(0, 0, 1), (1, 0, 1)], 2, cd.Rope(90, 2, 1)))
    for part, message in (
        (cd.Traction("t", p, "rihgt", (0, 0, 1)), "Plate 'plate' has no set 'rihgt'; did you mean 'right'"),
        (cd.Traction("t", p, "middle", (0, 0, 1)), "the set 'middle' of Plate 'plate' holds no edge of its boundary"),
        (cd.Traction("t", c, "end", (0, 0, 1)), "the end of Cable 'cable' is a point; use a Load"),
        (cd.Hold("t", p, "rihgt", (0, 0, 1)), "no set or node 'rihgt'; did you mean 'right'"),
    ):
        wrong = cd.Model.from_dict(m.to_dict())
        wrong.add(part)
        with pytest.raises(cd.InputError, match=message):
            cd.compile(wrong)
