"""FEBio files: meshes, materials by the energies that FEBio stores, supports, loads, rigid bodies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import condyle as cd
from condyle.imports.registry import import_model
from mujoco_side import DATA

CUBE = (DATA / "cube.feb").read_text(encoding="utf-8")
PUNCH = (DATA / "punch.feb").read_text(encoding="utf-8")
MM = {"length": 1e-3}


def written(folder, text, name="model.feb"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def pulled(made):
    return cd.simulate(made.model, end=1.0, dt=0.25, integrator=cd.QuasiStatic())


def test_a_cube_is_drawn_out_as_the_formula_says():
    """½ μ (I₁ − 3 − 2 ln J) + ½ λ (ln J)² in uniaxial stress: σ across is zero, which gives the stretch across."""
    made = import_model(DATA / "cube.feb", **MM)
    result = pulled(made)
    E, v, stretch = 1.5e6, 0.3, 1.3
    mu, lam = E / 2.0 / (1.0 + v), E * v / (1.0 + v) / (1.0 - 2.0 * v)
    across = brentq(lambda a: mu * (a * a - 1.0) + lam * np.log(stretch * a * a), 0.5, 1.5)
    force = 1e-4 / stretch * (mu * (stretch**2 - 1.0) + lam * np.log(stretch * across**2))
    places = result.fields("cube", -1).positions
    assert np.ptp(places, axis=0) == pytest.approx([0.013, 0.01 * across, 0.01 * across], rel=1e-6)
    assert result.reaction("pull")[-1, 0] == pytest.approx(force, rel=1e-5)
    assert made.model["cube"].material.density == pytest.approx(1000.0)


def invariants(F):
    """Ī₁, Ī₂ at J = 1, and the principal stretches."""
    C = F.T @ F
    return np.trace(C), 0.5 * (np.trace(C) ** 2 - np.trace(C @ C)), np.sqrt(np.linalg.eigvalsh(C))


def hgo(F, c=2.0, k1=3.0, k2=1.2, kappa=0.1, gamma=30.0):
    I1, W = invariants(F)[0], 0.0
    for sign in (1, -1):
        a = F @ np.array([np.cos(np.radians(gamma)), sign * np.sin(np.radians(gamma)), 0.0])
        E = kappa * (I1 - 3.0) + (1.0 - 3.0 * kappa) * (a @ a - 1.0)
        W += 0.5 * k1 / k2 * (np.exp(k2 * max(E, 0.0) ** 2) - 1.0)
    return 0.5 * c * (I1 - 3.0) + W


def fibres(stretch, c3=0.4, c4=8.0, c5=20.0, most=1.1):
    """∫ of FEBio's λ ∂W/∂λ over ln λ: exponential up to λ_m, straight beyond."""
    from scipy.integrate import quad

    c6 = c3 * (np.exp(c4 * (most - 1.0)) - 1.0) - c5 * most
    law = lambda x: (c3 * (np.exp(c4 * (x - 1.0)) - 1.0) if x < most else c5 * x + c6) / x  # noqa: E731
    return quad(law, 1.0, stretch, points=[most])[0]


def green(F):
    return 0.5 * (F.T @ F - np.eye(3))


MATERIALS = {
    "neo-Hookean": ("<E>3</E><v>0.25</v>", lambda F: 0.5 * 1.2 * (invariants(F)[0] - 3.0)),
    "isotropic elastic": (
        "<E>3</E><v>0.25</v>",
        lambda F: 0.5 * 1.2 * np.trace(green(F)) ** 2 + 1.2 * np.trace(green(F) @ green(F)),
    ),
    "Mooney-Rivlin": (
        "<c1>1.1</c1><c2>0.3</c2><k>500</k>",
        lambda F: 1.1 * (invariants(F)[0] - 3.0) + 0.3 * (invariants(F)[1] - 3.0),
    ),
    "Veronda-Westmann": (
        "<c1>0.8</c1><c2>1.5</c2><k>500</k>",
        lambda F: 0.8 * (np.exp(1.5 * (invariants(F)[0] - 3.0)) - 1.0) - 0.6 * (invariants(F)[1] - 3.0),
    ),
    "Ogden": (
        "<c1>1.5</c1><m1>4</m1><c2>0.7</c2><m2>-2</m2><k>500</k>",
        lambda F: sum(c / m**2 * (np.sum(invariants(F)[2] ** m) - 3.0) for c, m in ((1.5, 4.0), (0.7, -2.0))),
    ),
    "Holzapfel-Gasser-Ogden": ("<c>2</c><k1>3</k1><k2>1.2</k2><kappa>0.1</kappa><gamma>30</gamma><k>500</k>", hgo),
    "trans iso Mooney-Rivlin": (
        "<c1>1.1</c1><c2>0.3</c2><c3>0.4</c3><c4>8</c4><c5>20</c5><lam_max>1.1</lam_max><k>500</k>"
        '<fiber type="vector">1,0,0</fiber>',
        lambda F: 1.1 * (invariants(F)[0] - 3.0) + 0.3 * (invariants(F)[1] - 3.0) + fibres(F[0, 0]),
    ),
}


@pytest.mark.parametrize("kind", MATERIALS)
def test_materials_store_the_energy_of_febio(kind, tmp_path):
    """All faces of the cube are moved so that its volume stays: what is stored is W as FEBio has it."""
    constants, energy = MATERIALS[kind]
    start, end = CUBE.index("<material "), CUBE.index("</material>")
    stretch = np.array([1.25, 1.25**-0.4, 1.25**-0.6])
    moved = ""
    for side, dof, to in (("back", "y", stretch[1]), ("top", "z", stretch[2])):
        value = f'<dof>{dof}</dof><value lc="1">{float(10 * (to - 1))!r}</value>'
        moved += f'<bc name="{side}" type="prescribed displacement" node_set="{side}">{value}</bc>'
    text = CUBE[:start] + f'<material id="1" name="tissue" type="{kind}">' + constants + CUBE[end:]
    text = text.replace("</Boundary>", moved + "</Boundary>").replace(
        'lc="1">3<', f'lc="1">{float(10 * (stretch[0] - 1))!r}<'
    )
    result = pulled(import_model(written(tmp_path, text), **MM))
    assert result.fields("cube", -1).energy_density.mean() == pytest.approx(energy(np.diag(stretch)) * 1e6, rel=2e-6)


def test_rigid_bodies_press_turn_and_are_pushed():
    made = import_model(DATA / "punch.feb")
    cap, plate = made.model["cap"], made.model["plate"]
    assert cap.mass == pytest.approx(2e-3) and cap.position == pytest.approx([0.005, 0.005, 0.015])
    assert plate.mass == pytest.approx(4e-4)
    assert isinstance(made.model["hinge"], cd.Revolute)
    result = cd.simulate(made.model, end=0.02, dt=1e-3)
    assert result.position("cap")[-1] == pytest.approx([0.005, 0.005, 0.015 - 2e-5], abs=1e-9)
    top = result.fields("Pad", -1).positions[4:]
    assert top[:, 2] == pytest.approx(np.full(4, 0.01 - 2e-5), abs=1e-9)  # nodes that the cap has, too
    assert result.coordinate("hinge.angle")[-1] > 1e-4  # the plate is pushed down
    assert made.model["side pressure"].pressure == 1000.0
    names = {item.what for item in made.left_out}
    assert {"body load", "Control", "material"} <= names


def test_contact_with_a_rigid_body_is_carried(tmp_path):
    pair = (
        '<Surface name="under"><quad4 id="1">13,16,15,14</quad4></Surface>'
        '<SurfacePair name="touch"><primary>side</primary><secondary>under</secondary></SurfacePair></Mesh>'
    )
    contact = (
        '</Loads><Contact><contact name="slide" type="sliding-elastic" surface_pair="touch">'
        "<penalty>1</penalty><fric_coeff>0.2</fric_coeff></contact></Contact>"
    )
    made = import_model(written(tmp_path, PUNCH.replace("</Mesh>", pair).replace("</Loads>", contact)))
    part = made.model["slide"]
    assert (part.body, part.target, part.friction) == ("Pad", "plate", 0.2)
    made.model.validate()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('version="4.0"', 'version="2.5"', "versions 3.0 and 4.0"),
        ("febio_spec", "fem", "root element 'febio_spec'"),
        ('type="solid"', 'type="biphasic"', "solid mechanics is read"),
        ('type="neo-Hookean"', 'type="Fung orthotropic"', "'Fung orthotropic' are not read"),
        ('type="hex8"', 'type="hex27"', "type 'hex27' are not read"),
        ('mat="tissue"', 'mat="tisue"', "unknown material 'tisue'; did you mean 'tissue'"),
        ('node_set="left"', 'node_set="lefft"', "unknown node set 'lefft'"),
        ('lc="1"', 'lc="7"', "unknown load curve '7'"),
        ("11,12,13,14,15,16,17,18</elem>", "11,12,13,14,15,16,17,99</elem>", "there is no node 99"),
        ("<E>1.5</E>", "", "needs E"),
        ('<node id="11">', '<node id="eleven">', "'eleven' should be the number of a node"),
    ],
)
def test_mistakes_are_named(tmp_path, old, new, said):
    with pytest.raises(cd.InputError, match=said):
        import_model(written(tmp_path, CUBE.replace(old, new)), **MM)


def test_units_that_do_not_fit_are_doubted():
    made = import_model(DATA / "cube.feb")  # 10 m large
    assert any(item.what == "units" and "length=0.001" in item.why for item in made.left_out)
    with pytest.raises(cd.InputError, match="units of the file"):
        import_model(DATA / "cube.feb", length=-1.0)


def test_a_node_set_may_be_a_range(tmp_path):
    ranged = CUBE.replace('name="bottom">11,12,13,14<', 'name="bottom">11:14<').replace(
        'name="right">12,13,16,17<', 'name="right">12,13:17:3,17<'
    )
    made = import_model(written(tmp_path, ranged), **MM)
    whole = import_model(DATA / "cube.feb", **MM)
    assert made.model["bottom z"].nodes == whole.model["bottom z"].nodes
    with pytest.raises(cd.InputError, match="'14:11' is no range of nodes"):
        import_model(written(tmp_path, CUBE.replace(">11,12,13,14</NodeSet>", ">14:11</NodeSet>")), **MM)


def test_traction_and_its_scale_may_both_follow_a_load_curve(tmp_path):
    load = """<Loads><surface_load name="pull up" type="traction" surface="top face">
        <traction lc="1">0,0,0.25</traction><scale lc="2">2</scale></surface_load></Loads><LoadData>
        <load_controller id="2" type="loadcurve"><points><pt>0,1</pt><pt>1,3</pt></points></load_controller>"""
    made = import_model(written(tmp_path, CUBE.replace("<LoadData>", load)), **MM)
    traction = made.model["pull up"]
    assert [traction.scale(t) for t in (0.0, 0.5, 1.0)] == pytest.approx([0.0, 1.0, 3.0])  # t (1 + 2 t)
    assert traction.traction == pytest.approx((0.0, 0.0, 0.5e6))


def two_cubes(contact):
    """A second cube, of other nodes, on top of the first; the upper face moves along z instead of the right one along x."""
    nodes = "".join(
        f'<node id="{31 + k}">{10 * x},{10 * y},{10 + 10 * z}</node>'
        for k, (x, y, z) in enumerate(
            [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
        )
    )
    more = """<Elements type="hex8" name="upper"><elem id="2">31,32,33,34,35,36,37,38</elem></Elements>
        <NodeSet name="upper left">31,34,35,38</NodeSet><NodeSet name="upper front">31,32,35,36</NodeSet>
        <NodeSet name="upper top">35:38</NodeSet>
        <Surface name="upper bottom"><quad4 id="1">31,34,33,32</quad4></Surface>
        <SurfacePair name="pair"><primary>upper bottom</primary><secondary>top face</secondary></SurfacePair>
        <NodeSet name="left">"""
    hold = """<bc name="upper left" type="zero displacement" node_set="upper left"><x_dof>1</x_dof></bc>
        <bc name="upper front" type="zero displacement" node_set="upper front"><y_dof>1</y_dof></bc>
        <bc name="pull" type="prescribed displacement" node_set="upper top">
            <dof>z</dof><value lc="1">-2</value>"""
    old = '<bc name="pull" type="prescribed displacement" node_set="right">\n\t\t\t<dof>x</dof>\n\t\t\t<value lc="1">3</value>'
    assert old in CUBE
    text = CUBE.replace("</Nodes>", nodes + "</Nodes>").replace('<NodeSet name="left">', more, 1).replace(old, hold)
    text = text.replace("</MeshDomains>", '<SolidDomain name="upper" mat="tissue"/></MeshDomains>')
    return text.replace(
        "<LoadData>", f'<Contact><contact name="touch" type="{contact}" surface_pair="pair"/></Contact><LoadData>'
    )


@pytest.mark.parametrize("contact", ["tied-elastic", "sliding-elastic"])
def test_two_solids_that_are_tied_or_touch_are_pressed_like_one(tmp_path, contact):
    """A column of two cubes without friction is in uniaxial stress: each takes half, as the formula says."""
    made = import_model(written(tmp_path, two_cubes(contact)), **MM)
    result = pulled(made)
    E, v, stretch = 1.5e6, 0.3, 0.9
    mu, lam = E / 2.0 / (1.0 + v), E * v / (1.0 + v) / (1.0 - 2.0 * v)
    across = brentq(lambda a: mu * (a * a - 1.0) + lam * np.log(stretch * a * a), 0.5, 1.5)
    force = 1e-4 / stretch * (mu * (stretch**2 - 1.0) + lam * np.log(stretch * across**2))
    assert result.reaction("pull")[-1, 2] == pytest.approx(force, rel=1e-4)
    for body in ("cube", "upper"):
        places = result.fields(body, -1).positions
        assert np.ptp(places, axis=0) == pytest.approx([0.01 * across, 0.01 * across, 0.009], rel=1e-4)
