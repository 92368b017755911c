"""Knees built from geometry: what they are made of, that they stand and bend, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import condyle as cd
from condyle.anatomy.bones import distance_to_surface


@pytest.fixture(scope="module")
def bent():
    """The knee with a patella, in equilibrium and then bent by 60 degrees."""
    m = cd.build_knee(cd.Knee(patella=True), flexion=cd.Ramp(0.0, 0.4, 0.0, np.radians(60)))
    start = cd.solve_static(m)
    return m, cd.simulate(m, end=0.4, dt=0.01, state=start, integrator="EnergyMomentum()", energy_tolerance=np.inf)


def test_a_knee_bends_on_its_condyles_with_the_patella_in_its_groove(bent):
    _, result = bent
    for name in ("medial", "lateral", "patellofemoral"):
        seen = result.contact(name)
        assert seen.normal_force.min() > 0.0
        assert np.abs(seen.gap).max() < 1e-6
    press = result.contact("patellofemoral").normal_force[:, 0]
    assert press[-1] > 5.0 * press[0]
    assert result.position("femur")[-1, 0] < -0.1  # the shaft goes backwards
    assert not result.in_python


def test_bundles_as_springs_cables_and_beams_pull_alike():
    """A ligament of tissue pulls as its law says, whatever it is made of."""
    pulls = {}
    for kind in ("cable", "beam"):
        bundles = {n: replace(b, kind=kind, hold="tangent") if n == "mcl" else b for n, b in cd.Knee().bundles.items()}
        m = cd.build_knee(cd.Knee(bundles=bundles), flexion=0.0)
        pulls[kind] = np.linalg.norm(cd.solve_static(m).joint_force("mcl femoral")[-1])
    assert pulls["beam"] == pytest.approx(pulls["cable"], rel=0.02)


def test_a_knee_goes_between_two_bodies_of_a_model():
    m = cd.Model("two bones", gravity=(0, 0, -9.81))
    femur = m.add(cd.RigidBody("thigh", 7.5, inertia=(0.35, 0.35, 0.005), position=(0, 0, 0.2)))
    tibia = m.add(cd.RigidBody("shank", 3.5, inertia=(0.17, 0.17, 0.002), position=(0, 0, -0.2)))
    m.add(cd.Fixed("held", tibia, m.ground, at=(0, 0, -0.2)))
    cd.add_knee(m, femur, tibia)
    m.add(cd.Drive("flexion", "knee.flexion", motion=0.0))
    assert cd.solve_static(m).contact("medial").normal_force[-1, 0] > 100.0


def test_menisci_are_springs_and_dampers_in_parallel():
    m = cd.build_knee(cd.Knee(meniscus=50.0, meniscus_stiffness=2e4), flexion=0.0)
    part = m["medial meniscus"]
    assert (part.stiffness, part.damping) == (2e4, 50.0)
    loose, firm = (
        cd.solve_static(cd.build_knee(cd.Knee(meniscus_stiffness=k), flexion=0.0)).position("femur")[-1, 1]
        for k in (0.0, 2e4)
    )
    assert abs(firm) < abs(loose)


def plate(half, z=0.0):
    """Two triangles."""
    return np.array([(-half, -half, z), (half, -half, z), (half, half, z), (-half, half, z)]), np.array(
        [(0, 1, 2), (0, 2, 3)]
    )


def test_distances_from_triangles():
    assert distance_to_surface((0.3, 0.2, 0.5), *plate(1.0)) == pytest.approx(0.5)
    assert distance_to_surface((2.0, 0.0, 0.0), *plate(1.0)) == pytest.approx(1.0)
    assert distance_to_surface((2.0, 2.0, 1.0), *plate(1.0)) == pytest.approx(np.sqrt(3.0))


def changed(**options):
    bundles = cd.Knee().bundles
    return cd.Knee(bundles=bundles | {"mcl": replace(bundles["mcl"], **options)})


@pytest.mark.parametrize(("words", "make"), [
    ("bundle 'mcl': with a strain of -1.2 its length at rest", lambda: changed(strain=-1.2)),
    ("both sites are at the same place", lambda: changed(femoral=(0.0, 0.035, -0.062))),
    ("kind is 'rope'", lambda: changed(kind="rope")),
    ("needs a stiffness", lambda: changed(kind="spring")),
    ("choose 'tibia' or 'fibula'", lambda: changed(bone="patella")),
    ("points in space", lambda: changed(distal=(0.0, 1.0))),
    ("mm off the surface of 'tibia'", lambda: cd.Knee(bones={"tibia": plate(0.05, -0.3)})),
    ("no bone is called 'rib'", lambda: cd.Knee(bones={"rib": plate(0.05)})),
    ("bone 'femur': give a file", lambda: cd.Knee(bones={"femur": 3.0})),
    ("does not exist", lambda: cd.Knee(bones={"femur": "no such bone.stl"})),
    ("mm apart as they are drawn", lambda: cd.Knee(femur=(7.5, (0.35, 0.35, 0.005), (0.0, 0.0, 0.25)))),
], ids=["strain", "length", "kind", "stiffness", "bone", "sites", "off", "name", "surface", "file", "apart"])  # fmt: skip
def test_knees_that_cannot_be_are_refused(words, make):
    with pytest.raises(cd.InputError, match=words):
        cd.build_knee(make())


def test_bones_are_drawn_and_sites_on_them_are_accepted():
    sites = np.array([b.femoral for b in cd.Knee().bundles.values()])
    points = np.vstack([sites, sites + np.array((0.001, 0.0, 0.0)), sites + np.array((0.0, 0.001, 0.0))])
    n = len(sites)
    cells = np.column_stack([np.arange(n), n + np.arange(n), 2 * n + np.arange(n)])
    m = cd.build_knee(cd.Knee(bones={"femur": (1e3 * points, cells)}, bone_scale=1e-3))
    np.testing.assert_allclose(m["femur"].faces["points"], points - (0.0, 0.0, 0.2))


def _knee_elsewhere(at, turn, gravity):
    """The default knee with a patella, drawn at another place and turned."""
    R = cd.rotation(axis=(0.2, 1.0, 0.1), angle=turn) if turn else np.eye(3)
    m = cd.Model("placed", gravity=tuple((R @ gravity).tolist()))
    bones = []
    for name, z in (("femur", 0.2), ("tibia", -0.2)):
        where = tuple((np.asarray(at) + R @ (0.0, 0.0, z)).tolist())
        bones.append(m.add(cd.RigidBody(name, 5.0, inertia=(0.2, 0.2, 0.004), position=where, rotation=R)))
    m.add(cd.Fixed("held tibia", bones[1], m.ground, at=bones[1].position))
    cd.add_knee(m, *bones, cd.Knee(patella=True), at=at, rotation=R)
    m.add(cd.Drive("flexion", "knee.flexion", motion=0.0))
    still = cd.solve_static(m)
    return [float(still.contact(c).normal_force[-1, 0]) for c in ("medial", "lateral", "patellofemoral")]


def test_a_knee_that_is_drawn_elsewhere_and_turned_has_the_same_forces():
    gravity = np.array((0.0, 0.0, -9.81))
    usual = _knee_elsewhere((0.0, 0.0, 0.0), 0.0, gravity)
    assert min(usual) > 10.0
    np.testing.assert_allclose(_knee_elsewhere((0.3, -0.1, 0.5), 0.4, gravity), usual, rtol=1e-6)


def test_bones_that_are_not_turned_like_the_knee_are_refused():
    m = cd.Model("turned")
    femur = m.add(cd.RigidBody("femur", 1.0, inertia=(1, 1, 1), position=(0, 0, 0.2)))
    tibia = m.add(cd.RigidBody("tibia", 1.0, inertia=(1, 1, 1), position=(0, 0, -0.2)))
    with pytest.raises(cd.InputError, match="'femur' is not drawn with the rotation of the knee"):
        cd.add_knee(m, femur, tibia, rotation=(0.0, 0.3, 0.0))


def test_the_summary_of_a_run_names_contacts_of_joint_surfaces_beside_others():
    m = cd.build_knee(cd.Knee(contact="hertz"), flexion=0.0)
    m.add(cd.RigidBody.ball("ball", 0.01, 1000.0, position=(0.5, 0.0, 0.0099)))
    m.add(cd.Contact("floor", "ball", cd.Sphere(0.01), m.ground, cd.Plane((0, 0, 1)), law="penalty", overlap="resolve"))
    result = cd.simulate(m, end=0.002, dt=0.001, integrator="EnergyMomentum()", energy_tolerance=np.inf)
    assert "'medial'" in result.summary()
    assert "'floor'" in result.summary()
