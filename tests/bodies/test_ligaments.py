"""Ligaments: their tissue, beams and cables of it, insertions, frames of their sections."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expi

import condyle as cd
from condyle.laws.toe import toe_curve

C = dict(
    c10=1.44e6, bulk=1.0 / 0.00126e-6, toe_stress=0.57e6, toe_rate=48.0, modulus=467.1e6, toe_end=1.063, density=1e3
)
MCL = cd.LigamentTissue(**C)
GROUND = cd.LigamentTissue(**(C | {"toe_stress": 0.0, "modulus": 0.0}))
RADII = (7e-3, 2.3e-3)
AREA = np.pi * RADII[0] * RADII[1]
L = 0.0948


def ligament(tissue=MCL, elements=2, **options):
    section = cd.EllipticSection(*RADII, tissue)
    line = [(0, 0, 0), (0, 0, L)]
    return cd.AncfBeam("mcl", line, elements, section, normal=(1, 0, 0), formulation="continuum", **options)


def cable(elements=2, tissue=MCL, **options):
    return cd.Cable("mcl", [(0, 0, 0), (0, 0, L)], elements, cd.RoundSection(np.sqrt(AREA / np.pi), tissue), **options)


def inserted(body, first="section", second="section", also=(), pull=None):
    """Between the ground and a heavy bone that is held."""
    m = cd.Model("insertions")
    m.add(body)
    bone = m.add(cd.RigidBody("bone", mass=7.5, inertia=(0.3, 0.3, 0.01), position=(0, 0, L + 0.1)))
    m.add(cd.Fixed("held", "bone", "ground", at=(0, 0, L + 0.1)))
    m.add(cd.Insertion("tibia", body.point("start"), "ground", at=(0, 0, 0), hold=first, also=also))
    m.add(cd.Insertion("femur", body.point("end"), bone, at=(0, 0, L), hold=second))
    return m


# --- the tissue -----------------------------------------------------------------------------------------------------------


def test_straight_fibres_go_on_where_the_toe_region_ends():
    assert MCL.offset == pytest.approx(-485.37e6, abs=5e3)
    below, above = (toe_curve(1.063 + e, 0.57e6, 48.0, 467.1e6, 1.063) for e in (-1e-9, 1e-9))
    assert below[1] == pytest.approx(above[1], rel=1e-6)
    assert below[2] == pytest.approx(562.9e6, rel=1e-3)  # the slope jumps
    assert above[2] == pytest.approx(467.1e6, rel=1e-12)


@pytest.mark.parametrize("stretch", [1.001, 1.04, 1.063, 1.1])
def test_the_energy_of_the_fibres_is_the_integral_in_closed_form(stretch):
    c3, c4, end = 0.57e6, 48.0, 1.063
    toe = min(stretch, end)
    exact = c3 * (np.exp(-c4) * (expi(c4 * toe) - expi(c4)) - np.log(toe))
    if stretch > end:
        exact += 467.1e6 * (stretch - end) + MCL.offset * np.log(stretch / end)
    assert toe_curve(stretch, c3, c4, 467.1e6, end)[0] == pytest.approx(exact, rel=1e-9)


def test_four_percent_of_stretch_pull_with_178_newton_and_the_square_of_it_with_ten_times_as_much():
    assert AREA * MCL.pull(1.04)[1] == pytest.approx(178.2, abs=0.1)
    assert MCL.pull(1.04)[2] == pytest.approx(184.4e6, rel=1e-3)
    square = cd.LigamentTissue(**C, measure="square")
    assert AREA * square.pull(1.04)[1] == pytest.approx(1941, rel=0.02)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"toe_end": 0.9}, "toe_end"),
        ({"bulk": 0.0}, "bulk"),
        ({"measure": "green"}, "measure"),
        ({"c10": -1.0}, "shear"),
    ],
)
def test_tissue_without_sense_is_refused(change, message):
    with pytest.raises(cd.InputError, match=message):
        cd.LigamentTissue(**(C | change))


# --- beams and cables of it -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("volume", "ratio"), [("relaxed", 1.0), ("axis", 2.25), ("full", 0.0121)])
def test_bending_locks_where_the_volume_is_kept_all_over_the_section(volume, ratio):
    """Tip of a cantilever over that of a Timoshenko beam; shape alone has 4/9 of Young's modulus, the volume 83 times it."""
    beam = ligament(GROUND, 4, volume=volume)
    m = cd.Model("cantilever")
    m.add(beam)
    m.add(cd.Tie("clamp", beam, "start", "ground"))
    force = 1e-4
    m.add(cd.Load("load", beam.point("end"), (0, force, 0)))
    tip = cd.solve_static(m).displacement(beam.point("end"))[-1, 1]
    exact = force * L**3 / (3.0 * GROUND.young * AREA * RADII[1] ** 2 / 4.0) + force * L / (
        0.9 * GROUND.young / 3.0 * AREA
    )
    assert tip / exact == pytest.approx(ratio, rel=0.025)


def test_a_beam_of_any_direction_bends_alike():
    """Shear factors and fibres are in the axes of the section, not of the world."""
    tips = []
    steel = cd.StVenantKirchhoff(2e11, 0.3)
    for line, normal, load in (
        ([(0, 0, 0), (1, 0, 0)], (0, 1, 0), (0, 1.0, 0)),
        ([(0, 0, 0), (0, 0, 1)], (1, 0, 0), (1.0, 0, 0)),
    ):
        section = cd.RectangularSection(0.5, 0.2, steel)
        beam = cd.AncfBeam("b", line, 2, section, normal=normal, formulation="continuum")
        m = cd.Model("cantilever")
        m.add(beam)
        m.add(cd.Tie("clamp", beam, "start", "ground"))
        m.add(cd.Load("load", beam.point("end"), tuple(1e3 * c for c in load)))
        tips.append(float(cd.solve_static(m).displacement(beam.point("end"))[-1] @ load))
    assert tips[0] == pytest.approx(tips[1], rel=1e-9)


@pytest.mark.parametrize("body", [ligament(pre_stretch=1.04), cable(pre_stretch=1.04)], ids=["beam", "cable"])
def test_a_stretched_ligament_pulls_from_the_start(body):
    m = inserted(body, *(("full", "full") if isinstance(body, cd.AncfBeam) else ("tangent", "tangent")))
    result = cd.solve_static(m)
    seen = cd.LineHistory(result, "mcl", 3)
    assert seen.whole == pytest.approx(L / 1.04)
    np.testing.assert_allclose(seen.length, L, rtol=1e-6)
    np.testing.assert_allclose(seen.axial_strain[-1], 0.5 * (1.04**2 - 1.0), rtol=5e-3)
    np.testing.assert_allclose(seen.area_ratio()[-1], 1.0 / 1.04, rtol=5e-3)
    assert seen.tension[-1, 1] == pytest.approx(178.2, rel=0.02)
    reaction = result.joint_force("tibia")[-1]
    np.testing.assert_allclose(np.abs(reaction), (0, 0, 178.2), atol=0.02 * 178.2)


def test_a_ligament_without_length_is_refused():
    with pytest.raises(cd.InputError, match="pre_stretch"):
        ligament(pre_stretch=0.0)
    with pytest.raises(cd.InputError, match="pre_stretch"):
        cable(prestrain=0.04)
    with pytest.raises(cd.InputError, match="across"):
        ligament(across=5)


# --- insertions -----------------------------------------------------------------------------------------------------------


def equations(model, joint):
    return sum(
        np.atleast_2d(v).reshape(len(v), -1).shape[1] for v in cd.solve_static(model).multipliers(joint).values()
    )


def test_insertions_have_6_to_12_equations():
    assert equations(inserted(ligament(), "section"), "tibia") == 6
    assert equations(inserted(ligament(), "tangent"), "tibia") == 6
    assert equations(inserted(ligament(), "section", also=["xt", "yn", "zb"]), "tibia") == 9
    assert equations(inserted(ligament(), "full"), "tibia") == 12
    assert equations(inserted(cable(), "tangent", "full"), "tibia") == 5
    assert equations(inserted(cable(), "full", "tangent"), "tibia") == 6


def test_insertions_say_what_they_cannot_hold():
    with pytest.raises(cd.InputError, match="has no section; hold 'tangent'"):
        cd.solve_static(inserted(cable(), "section", "tangent"))
    with pytest.raises(cd.InputError, match="no component 'xq'"):
        cd.solve_static(inserted(ligament(), also=["xq"]))
    with pytest.raises(cd.InputError, match="hold"):
        cd.Insertion("i", "a.end", "b", hold="all")
    beam = ligament()
    m = cd.Model("off the bone")
    m.add(beam)
    m.add(cd.RigidBody("bone", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 1)))
    m.add(cd.Insertion("femur", beam.point("end"), cd.Point("bone", (0.0, 0.0, 0.0))))
    with pytest.raises(cd.CondyleError, match="femur"):
        cd.solve_static(m)


def test_a_clamped_section_keeps_its_strains_and_a_partly_clamped_one_does_not():
    """A pre-stretched ligament that is pulled less: only where all gradients are held do the strains stay."""
    seen = {}
    for hold in ("full", "section", "tangent"):
        beam = ligament(pre_stretch=1.04)
        m = cd.Model(hold)
        m.add(beam)
        m.add(cd.Insertion("tibia", beam.point("start"), "ground", at=(0, 0, 0), hold=hold))
        m.add(cd.Load("load", beam.point("end"), (0, 0, 60.0)))
        seen[hold] = cd.LineHistory(cd.solve_static(m), beam, 5).strain("yy")[-1, 0]
    assert seen["full"] == pytest.approx(0.5 * (1.0 / 1.04 - 1.0), abs=1e-9)
    assert seen["section"] > -0.016
    assert seen["tangent"] > -0.016


# --- frames ---------------------------------------------------------------------------------------------------------------


def test_frames_of_a_section_have_the_closed_forms_of_their_source():
    g = np.array([[1.1, 0.1, -0.2], [0.15, 0.9, 0.1], [-0.05, 0.2, 1.05]])
    x, y, z = g
    J, xy, xz, yz = np.linalg.det(g.T), x @ y, x @ z, y @ z
    nx, ny, nz, across, flat = (
        *(np.linalg.norm(v) for v in g),
        np.linalg.norm(np.cross(y, z)),
        np.linalg.norm(np.cross(x, y)),
    )
    U_t = [
        [nx, xy / nx, xz / nx], [0, (nx**2 * ny**2 - xy**2) / (flat * nx), (nx**2 * yz - xy * xz) / (flat * nx)],
        [0, 0, J / flat],
    ]  # fmt: skip
    U_s = [
        [J / across, 0, 0], [xy / ny, ny, yz / ny],
        [(ny**2 * xz - yz * xy) / (across * ny), 0, (ny**2 * nz**2 - yz**2) / (across * ny)],
    ]  # fmt: skip
    T = [
        [J / (nx * across), xy / (nx * ny), (xz * ny**2 - xy * yz) / (nx * across * ny)],
        [-xy * J / (flat * nx * across), (nx**2 * ny**2 - xy**2) / (flat * nx * ny),
         (xy**2 * yz - ny**2 * xy * xz) / (flat * nx * across * ny)],
        [(xy * yz - ny**2 * xz) / (flat * across), 0, J * ny / (flat * across)],
    ]  # fmt: skip
    tangent, section = cd.tangent_frame(g), cd.cross_section_frame(g)
    np.testing.assert_allclose(cd.stretch_in_frame(g, tangent), U_t, atol=1e-14)
    np.testing.assert_allclose(cd.stretch_in_frame(g, section), U_s, atol=1e-14)
    np.testing.assert_allclose(cd.frame_relation(g), T, atol=1e-14)
    for frame in (tangent, section, cd.tangent_frame(g, "z")):
        assert np.linalg.det(frame) == pytest.approx(1.0)
        U = cd.stretch_in_frame(g, frame)
        np.testing.assert_allclose(frame.T @ U, g.T, atol=1e-14)
        np.testing.assert_allclose(0.5 * (U.T @ U - np.eye(3)), cd.green_strain(g), atol=1e-14)
    n = np.cross(y, z) / across
    assert cd.area_ratio(g) == pytest.approx(J / np.sqrt(n @ g.T @ g @ n))


def test_frames_in_the_plane():
    g = np.array([[1.1, 0.1], [0.15, 0.9]])
    n = np.array([g[1, 1], -g[1, 0]]) / np.linalg.norm(g[1])
    assert cd.area_ratio(g) == pytest.approx(np.linalg.det(g) / np.sqrt(n @ g.T @ g @ n))
    assert cd.stretch_in_frame(g, cd.tangent_frame(g))[1, 0] == pytest.approx(0.0)
    assert cd.stretch_in_frame(g, cd.cross_section_frame(g))[0, 1] == pytest.approx(0.0)


def test_strains_at_the_ends_and_in_the_middle_of_an_element_are_those_of_its_nodes():
    """Cubic along the axis, linear across: r_x(½) = 3/(2l) (r₂ − r₁) − ¼ (r_x₁ + r_x₂), r_y(½) = ½ (r_y₁ + r_y₂)."""
    m = cd.Model("one element", gravity=(0, 0, 0))
    section = cd.EllipticSection(*RADII, MCL)
    beam = m.add(cd.AncfBeam("b", [(0, 0, 0), (0, 0, 0.05)], 1, section, normal=(1, 0, 0), formulation="continuum"))
    m.add(cd.Insertion("low", beam.point("start"), m.ground, at=(0, 0, 0), hold="full"))
    m.add(cd.Load("pull", beam.point("end"), (3.0, 1.0, 60.0)))
    result = cd.solve_static(m, steps=2)
    seen = cd.LineHistory(result, "b", np.array([0.0, 0.025, 0.05]))
    g = seen.gradients()[-1]
    ends = result.position("b.start")[-1], result.position("b.end")[-1]
    middle = 1.5 / 0.05 * (ends[1] - ends[0]) - 0.25 * (g[0, 0] + g[2, 0])
    np.testing.assert_allclose(g[1, 0], middle, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(g[1, 1:], 0.5 * (g[0, 1:] + g[2, 1:]), rtol=1e-12, atol=1e-12)
    for k, pair in ((1, "yy"), (2, "zz")):
        both = g[0, k] + g[2, k]
        assert seen.strain(pair)[-1, 1] == pytest.approx(0.5 * (0.25 * both @ both - 1.0), abs=1e-12)
    assert seen.axial_strain[-1, 1] != 0.0
    assert abs(seen.strain("yy")[-1, 2]) > 1e-4
