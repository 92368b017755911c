"""Capabilities of bodies: each has its protocol, and asking the wrong body names the body, what it lacks and who has it."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.bodies import capabilities
from condyle.bodies.capabilities import able, bodies_with
from condyle.model.body import Body

RUBBER = cd.NeoHookean(1e5, 0.3, 1000.0)
SOURCE = Path(capabilities.__file__).parents[1]


def model():
    m = cd.Model("bodies", dimension=3)
    m.add(cd.RigidBody.box("rigid", (1, 1, 1), 1000.0))
    m.add(cd.Solid.block("solid", (1, 1, 1), (1, 1, 1), RUBBER))
    return m


ASKED = {
    "a traction on a rigid body": (lambda: cd.Traction("t", "rigid", "top", (0, 0, 1)), "Traction 't'", "surface", "Solid"),
    "a pressure on a rigid body": (lambda: cd.Pressure("p", "rigid", 1.0), "Pressure 'p'", "surface", "Shell"),
    "a force per volume": (lambda: cd.BodyForce("f", "rigid", (0, 0, 1)), "BodyForce 'f'", "volume", "Solid"),
    "a load along a solid": (lambda: cd.DistributedLoad("d", "solid", (0, 0, 1)), "'d'", "line or surface", "Cable"),
    "a moment on a solid": (
        lambda: cd.Moment("m", cd.Point("solid", (0.0, 0.0, 0.0)), (0, 0, 1)), "Moment 'm'", "gradients", "Beam"),
    "nodes of a rigid body": (
        lambda: cd.Contact("c", "rigid", "nodes", "ground", cd.Plane((0, 0, 1))), "Contact 'c'", "nodes", "Rod"),
    "a surface of a rigid body": (
        lambda: cd.Tie("s", "solid", "top", "rigid", surface="top"), "Tie 's'", "surface of facets", "Solid"),
    "contact with a surface of a rigid body": (
        lambda: cd.Contact("c", "solid", "top", "rigid", "top"), "Contact 'c'", "surface of facets", "Solid"),
}  # fmt: skip


@pytest.mark.parametrize("asked", ASKED)
def test_asking_the_wrong_body_names_it_what_it_lacks_and_who_has_it(asked):
    part, label, lacks, having = ASKED[asked]
    m = model()
    with pytest.raises(cd.InputError) as error:
        m.add(part())
        cd.compile(m)
    said = str(error.value)
    assert label in said
    assert re.search(rf"'(rigid|solid)' has no {lacks}.*\(.*{having}.* have\)", said), said


def test_a_capability_is_seen_in_a_body_of_ones_own():
    class Anchor:
        def volume_vector(self):
            return "∫ x dV"

    assert able(Anchor(), capabilities.Filled, "mine", "BodyForce 'f'").volume_vector() == "∫ x dV"
    assert "Solid" in bodies_with(capabilities.Filled)
    assert "RigidBody" not in bodies_with(capabilities.Noded)


def test_every_capability_of_an_error_is_one_that_some_body_has():
    for protocol, words in capabilities._WORDS.items():
        assert inspect.getdoc(protocol) and words
        assert bodies_with(protocol), protocol.__name__


def test_no_file_asks_bodies_by_the_names_of_their_methods():
    """`hasattr(anchor, …)` and `getattr(body, …, default)` hide what a body must offer."""
    asking = re.compile(r"(hasattr|getattr)\((self\.)?(anchor|target|body|cable), *\"(?!name\")")
    for path in sorted(SOURCE.rglob("*.py")):
        found = asking.findall(path.read_text(encoding="utf-8"))
        assert not found, (
            f"{path.relative_to(SOURCE)} asks with {found[0][0]}; use a protocol of bodies/capabilities.py"
        )


def test_bodies_have_no_names_lines_or_faces_unless_they_say_so():
    class Dot(Body, abstract=True):
        name = "dot"

    dot = Dot()
    assert dot.named_points() == {} and dot.outline_lines() == [] and dot.shown_faces()["cells"] == []


OF_SHAPES = {
    "ball": (0.3, 100.0), "box": ((1, 2, 3), 100.0), "cylinder": (0.2, 1.0, 100.0), "disk": (0.3, 100.0),
    "polygon": ([(0, 0), (1, 0), (0, 2)], 100.0),
}  # fmt: skip


@pytest.mark.parametrize("kind", OF_SHAPES)
def test_bodies_of_a_shape_are_drawn_as_it_whatever_they_meet_others_with(kind):
    """Nothing is drawn before somebody asks, so that files and compiling are not burdened with pictures."""

    def made(**more):
        return getattr(cd.RigidBody, kind)("body", *OF_SHAPES[kind], **more)

    body = made()
    assert body.outline is None and body.faces is None
    lines, faces = body.outline_lines(), body.shown_faces()
    assert lines and faces["cells"]
    again = cd.RigidBody.from_dict(body.to_dict())
    other = made(shape=cd.geometry.Sphere(0.1))
    for same in (again, other):
        assert all(np.array_equal(a, b) for a, b in zip(same.outline_lines(), lines, strict=True))
        assert same.shown_faces() == faces
    own = made(outline=[lines[0].tolist()])
    assert len(own.outline_lines()) == 1
