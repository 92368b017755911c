"""Models as plain data: every part survives the way to a file and back, names are checked, files give the same run."""

import dataclasses
import json

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.checks.parts import round_trip
from condyle.model import Part
from part_examples import EXAMPLES
from zoo import ZOO, forces_space, joints_plane, solids_plane

NOT_WRITTEN = {"UserForce"}  # Python functions stay in Python; see the test below
# Fields that the constructor turns into others: where a joint is becomes part of its ends, a gear's factors follow; or that
# have one value only.
FOLDED = {("Gear", "factors"), ("KnifeEdge", "enforcement"), *((name, "at") for name in cd.part_types())}


def own_types():
    return {n: t for n, t in cd.part_types().items() if t.__module__.startswith("condyle.") and n not in NOT_WRITTEN}


@pytest.mark.parametrize("name", own_types())
def test_every_type_of_part_has_an_example_that_sets_all_its_fields(name):
    examples = [part for part in EXAMPLES if part.type_name() == name]
    assert examples, f"add an example of {name} to tests/support/part_examples.py"
    fields = {f.name for f in dataclasses.fields(own_types()[name]) if f.init and (name, f.name) not in FOLDED}
    written = {key for part in examples for key in part.to_dict()}
    if name != "Ground":  # it has only its name
        assert fields <= written, f"examples of {name} leave {fields - written} at the default"


@pytest.mark.parametrize("part", EXAMPLES, ids=lambda part: part.label)
def test_a_part_survives_the_way_to_json_and_back(part):
    round_trip(part)


def test_defaults_are_not_written():
    assert cd.Spring("s", "a", "b", 10.0).to_dict().keys() == {"type", "name", "a", "b", "stiffness"}


@pytest.mark.parametrize("name", ZOO)
def test_every_model_of_the_zoo_is_compiled_the_same_from_its_data(name):
    model = ZOO[name]()
    again = cd.Model.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.to_dict() == model.to_dict()
    a, b = cd.compile(model), cd.compile(again)
    np.testing.assert_array_equal(a.x_start, b.x_start)
    np.testing.assert_array_equal(a.v_start, b.v_start)
    for table in ("mass", "energies", "forces", "links", "constraints"):
        for first, second in zip(getattr(a, table), getattr(b, table), strict=True):
            np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("build", [forces_space, joints_plane, solids_plane])
def test_a_saved_model_gives_the_same_run_to_the_last_bit(build, tmp_path):
    model = build()
    model.save(tmp_path / "model.json")
    runs = [cd.simulate(m, end=0.05, dt=0.005) for m in (model, cd.Model.load(tmp_path / "model.json"))]
    for body in model.bodies:
        at = next(iter(getattr(body, "sets", {}).values()), [None])[0]
        point = cd.Point(body.name, at)
        np.testing.assert_array_equal(runs[0].position(point), runs[1].position(point))
    np.testing.assert_array_equal(runs[0].energy["total"], runs[1].energy["total"])


def test_python_functions_say_how_they_could_be_written():
    with pytest.raises(cd.InputError, match=r"Python function 'ramp_up' cannot be written.*'module:name'.*Table"):

        def ramp_up(t):
            return t

        cd.Load("push", "a", (1, 0), scale=ramp_up).to_dict()
    with pytest.raises(cd.InputError, match="cannot be written"):
        cd.UserForce("wind", "a", lambda t, x, v: x).to_dict()


def test_data_with_mistakes_name_them():
    with pytest.raises(cd.InputError, match=r"unknown part type 'RigidBdy'; did you mean 'RigidBody'\?"):
        Part.from_dict({"type": "RigidBdy"})
    with pytest.raises(cd.InputError, match=r"PointMass 'p' has no field 'mas'; did you mean 'mass'\?"):
        Part.from_dict({"type": "PointMass", "name": "p", "mas": 1.0})
    with pytest.raises(cd.InputError, match="'PointMass' stands where a Joint is expected"):
        cd.Joint.from_dict({"type": "PointMass", "name": "p"})
    with pytest.raises(cd.InputError, match=r"PointMass 'p'.*position"):
        Part.from_dict({"type": "PointMass", "name": "p", "mass": 1.0})


def test_a_file_that_is_no_model_is_named(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{ not json")
    with pytest.raises(cd.InputError, match=r"cannot read a model from .*broken\.json"):
        cd.Model.load(broken)
    with pytest.raises(cd.InputError, match=r"cannot read a model from .*missing\.json"):
        cd.Model.load(tmp_path / "missing.json")
    broken.write_text("[1, 2]")
    with pytest.raises(cd.InputError, match=r"broken\.json"):
        cd.Model.load(broken)


def test_names_are_unique_and_can_be_written_in_references():
    m = cd.Model("knee", dimension=2)
    femur = m.add(cd.PointMass("femur", 1.0, (0, 0)))
    with pytest.raises(cd.InputError, match=r"Pin 'femur': the name is already taken by PointMass 'femur'"):
        m.add(cd.Pin("femur", "ground", "femur"))
    with pytest.raises(cd.InputError, match="'ground'"):
        m.add(cd.PointMass("ground", 1.0, (0, 0)))
    for name in ("", "left.femur", "left/femur"):
        with pytest.raises(cd.InputError, match=r"must not be empty nor contain '\.' or '/'"):
            m.add(cd.PointMass(name, 1.0, (0, 0)))
    with pytest.raises(cd.InputError, match="is no named part"):
        m.add(cd.Ramp())
    assert m["femur"] is femur
    assert "femur" in m and len(m) == 2
    with pytest.raises(cd.InputError, match=r"has no part 'femr'; did you mean 'femur'\?"):
        m["femr"]


def test_unknown_bodies_come_with_the_nearest_name():
    m = cd.Model("knee", dimension=2)
    m.add(cd.PointMass("femur", 1.0, (0, 0)))
    m.add(cd.Spring("acl", "femr", "ground", 10.0))
    with pytest.raises(cd.InputError, match=r"Spring 'acl': there is no body 'femr'; did you mean 'femur'\?"):
        cd.compile(m)
    m = cd.Model("knee", dimension=2)
    m.add(cd.PointMass("femur", 1.0, (0, 0)))
    m.add(cd.Spring("acl", "femur", m.ground.at(1, 0), 10.0))
    m.add(cd.Spring("pcl", "acl", "ground", 10.0))
    with pytest.raises(cd.InputError, match=r"Spring 'pcl': 'acl' is a Spring, not a body"):
        cd.compile(m)


def test_a_part_of_ones_own_is_known_by_its_name():
    @dataclasses.dataclass
    class Magnet(cd.Part):
        name: str
        strength: float = 1.0

    assert Part.from_dict({"type": "Magnet", "name": "m", "strength": 2.0}) == Magnet("m", 2.0)


def test_parts_may_refer_to_what_is_added_later_and_in_any_order():
    forward, backward = cd.Model("forward", dimension=2), cd.Model("backward", dimension=2)
    parts = [
        cd.PointMass("p", 1.0, (1.0, 0.0), velocity=(0.0, 1.0)),
        cd.Spring("s", "ground", "p", 10.0),
        cd.Load("f", "p", (0.0, -1.0)),
    ]
    for part in parts:
        forward.add(part)
    for part in reversed(parts):
        backward.add(part)
    ends = [cd.simulate(m, end=0.5, dt=0.05).position("p")[-1] for m in (forward, backward)]
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-13)


def test_a_part_type_with_the_name_of_a_built_in_one_is_refused():
    with pytest.raises(cd.InputError, match=r"'Spherical'.*another name"):
        type("Spherical", (cd.Joint,), {"__module__": "mine"})
    assert cd.part_types()["Spherical"] is cd.Spherical


def test_polynomials_and_pulses_of_time_are_what_they_say():
    assert cd.Polynomial((1.0, 2.0, 0.5))(2.0) == 1.0 + 4.0 + 2.0
    pulse = cd.Pulse(0.1, 0.3, 30.0)
    assert [pulse(t) for t in (0.0, 0.1, 0.2, 0.3, 1.0)] == pytest.approx([0.0, 0.0, 30.0, 0.0, 0.0])
    assert pulse(0.15) == pytest.approx(30.0 * np.sin(np.pi / 4))
    with pytest.raises(cd.InputError, match=r"Pulse: end \(1\) must come after start \(2\)"):
        cd.Pulse(2.0, 1.0)
    with pytest.raises(cd.InputError, match="Polynomial: coefficients"):
        cd.Polynomial(())


def test_a_part_that_is_removed_is_released_and_can_be_exchanged():
    model = cd.Model("released", dimension=2, gravity=(0, -10))
    bar = model.add(cd.RigidBody.box("bar", (1.0, 0.1), 10.0, position=(0.5, 0)))
    weld = model.add(cd.Weld("wall", model.ground, bar, at=(0, 0)))
    model.add(cd.Load("push", bar, (0, 0)))
    assert model.remove("wall") is weld and "wall" not in model
    assert cd.simulate(model, end=0.1, dt=0.01).velocity("bar")[-1, 1] == pytest.approx(-1.0)
    model.add(cd.Pin("wall", model.ground, bar, at=(0, 0)))  # its name is free again
    with pytest.raises(cd.InputError, match=r"no part 'wal'.*did you mean 'wall'"):
        model.remove("wal")
    with pytest.raises(cd.InputError, match="part of every model"):
        model.remove(model.ground)
    with pytest.raises(cd.InputError, match="another part has its name"):
        model.remove(weld)
    model.remove(bar)
    with pytest.raises(cd.InputError, match="there is no body 'bar'"):
        model.validate()
