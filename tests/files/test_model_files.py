"""Model files: the same model again, every mistake with its place, includes, tables, limits."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import condyle as cd
from condyle.cli import main
from condyle.files.reading import ModelFile
from condyle.files.tree import read_tree
from condyle.files.writing import model_text
from part_examples import EXAMPLES
from zoo import ZOO

BALL = "dimension: 2\nparts:\n  ball: {type: PointMass, mass: 3 kg, position: [1, 0]}\n"


def model_of(text, tmp_path=Path("/nowhere"), **options):
    return ModelFile.read(tmp_path / "model.yaml", text=text, **options).model


def mistakes_of(text, **options):
    with pytest.raises(cd.FileError) as error:
        model_of(text, **options)
    return [(m.line, m.column, m.problem) for m in error.value.mistakes]


@pytest.mark.parametrize("name", ZOO)
def test_a_model_comes_back_from_its_file_bit_for_bit(name):
    model = ZOO[name]()
    again = model_of(model_text(model), allow_code=True)
    assert json.dumps(again.to_dict()) == json.dumps(model.to_dict())
    assert model_text(again) == model_text(model)


@pytest.mark.parametrize("k", range(len(EXAMPLES)), ids=lambda k: f"{k} {type(EXAMPLES[k]).__name__}")
def test_every_part_with_every_field_comes_back(k):
    example = EXAMPLES[k]
    try:
        data = example.to_dict()
    except cd.InputError:
        pytest.skip("it holds a Python function")
    file = ModelFile.read("model.yaml", text="parts: {}")
    node = read_tree(json.dumps(data), "part.yaml")
    from condyle.model.part import plain_data

    with plain_data(allow_code=True):
        again = file.part(node)
    assert json.dumps(again.to_dict()) == json.dumps(data)


def test_rigid_shapes_stand_in_a_file_with_units_and_bounds():
    text = """parts:
  stone: {type: RigidBody.ball, radius: 0.1 m, density: 2500, position: [1, 1, 2]}
  gravel:
    type: Collisions
    bodies: {stone: {type: geometry.Superellipsoid, radii: [10 cm, 8 cm, 6 cm], exponents: [0.5, 0.7]}}
    ground: {type: geometry.HeightField, heights: [[0, 10 mm, 0], [0, 0, 20 mm]], spacing: [1, 1]}
"""
    model = model_of(text)
    gravel = model["gravel"]
    assert gravel.ground.heights == [[0.0, 0.01, 0.0], [0.0, 0.0, 0.02]]
    assert gravel.bodies["stone"].radii == (0.1, 0.08, 0.06)
    assert model_of(model_text(model)).to_dict() == model.to_dict()
    (mistake,) = mistakes_of(text.replace("8 cm", "-8 cm"))
    assert mistake[:1] == (5,) and "Superellipsoid: radii must all be above 0, not -0.08 m" in mistake[2]
    assert any("geometry.Superellipsoid" in m[2] for m in mistakes_of(text.replace("Superellipsoid", "Superelipsoid")))


def test_files_are_written_and_read(tmp_path):
    model = ZOO[next(iter(ZOO))]()
    path = cd.write_model(model, tmp_path / "model.yaml")
    assert cd.read_model(path).to_dict() == model.to_dict()
    with pytest.raises(cd.InputError, match="there already"):
        cd.write_model(model, path)


WRONG = """\
dimension: 2
gravty: [0, -9.81]
parameters: {length: 500 mm, a: 2*b, b: 3*a}
parts:
  rod: {type: RigidBdy, mass: 2}
  bob: {type: PointMass, mass: 3 m, position: [lenght, 0]}
  low: {type: PointMass, mass: -3 kg, position: [length, 0]}
  hinge: {type: Revolute, a: ground, b: rod, att: [0, 0]}
  motor: {type: Torque, body: bob, torque: 3 N m, frame: wrld}
  odd: 3
  soft: {type: Solid.block, size: [1, 2], divisions: [1, 1], material: {type: NeoHookean, young: -3 MPa}}
  bare: {type: Spring, a: ground, b: bob}
"""


@pytest.mark.parametrize(
    ("line", "token", "said"),
    [
        (2, "gravty", "did you mean 'gravity'"),
        (3, "2*b", "depends on itself"),
        (5, "RigidBdy", "did you mean 'RigidBody'"),
        (6, "3 m,", "mass of PointMass 'bob': it is m, a unit of another dimension; write it in kg"),
        (6, "lenght", "did you mean 'length'"),
        (7, "-3 kg", "mass must be above 0, not -3 kg"),
        (8, "att", "did you mean 'at'"),
        (9, "wrld", "choose one of world, body"),
        (10, "3", "'odd' is described by its type and fields"),
        (11, "-3 MPa", "must be above 0"),
        (12, "{type", "needs stiffness"),
    ],
)
def test_every_mistake_has_its_place_and_the_fix(line, token, said):
    column = WRONG.splitlines()[line - 1].index(token) + 1
    here = [problem for at, col, problem in mistakes_of(WRONG) if (at, col) == (line, column)]
    assert any(said in problem for problem in here), mistakes_of(WRONG)


def test_names_that_do_not_exist_are_found_where_they_stand():
    found = mistakes_of(BALL + "  s: {type: Spring, a: ground, b: bal, stiffness: 3 kN/m}\n")
    assert found == [(4, 35, "Spring 's': there is no body 'bal'; did you mean 'ball'?")]


def test_units_parameters_and_expressions():
    model = model_of(
        "dimension: 2\ngravity: (0, -9.81) m/s^2\nunits: {BW: mass * 9.81 m/s^2}\n"
        "parameters: {mass: 75 kg, arm: {value: 20 cm, meaning: of the lever}}\nparts:\n"
        "  ball: {type: PointMass, mass: mass, position: [2*arm, 0]}\n"
        "  pull: {type: Load, point: ball, force: '(0.5 BW, 0 N)', scale: {type: Ramp, end: 200 ms}}\n"
        "  twist: {type: CoordinateSpring, coordinate: j.angle, stiffness: 3 N mm/deg, rest: 20 deg}\n"
        "  j: {type: Distance, a: ground, b: ball}\n".replace("j.angle", "j.distance")
    )
    assert model["ball"].mass == 75.0
    assert model["ball"].position == (0.4, 0.0)
    assert model["pull"].force == pytest.approx((0.5 * 75 * 9.81, 0.0))
    assert model["pull"].scale.end == 0.2
    assert model["twist"].rest == pytest.approx(np.radians(20))


def test_parameters_and_fields_can_be_given_anew():
    text = "dimension: 2\nparameters: {m: 2 kg}\nparts:\n  b: {type: PointMass, mass: m * 2, position: [0, 0]}\n"
    assert model_of(text, parameters={"m": 5.0})["b"].mass == 10.0
    assert model_of(text, parameters={"b.mass": 7.0})["b"].mass == 7.0
    with pytest.raises(cd.InputError, match="unknown parameter 'mm'"):
        model_of(text, parameters={"mm": 1.0})
    with pytest.raises(cd.InputError, match="unknown field 'mas'"):
        model_of(text, parameters={"b.mas": 1.0})


def test_two_legs_come_from_one_file(tmp_path):
    (tmp_path / "leg.yaml").write_text(
        "dimension: 2\nparameters: {side: 1}\nparts:\n"
        "  pelvis: {type: RigidBody, mass: 10, inertia: 1}\n"
        "  thigh: {type: RigidBody, mass: 8, inertia: 0.1, position: [0.1 * side, -0.2]}\n"
        "  hip: {type: Revolute, a: pelvis, b: thigh, at: [0.1 * side, 0]}\n"
        "  spring: {type: CoordinateSpring, coordinate: hip.angle, stiffness: 10}\n"
    )
    (tmp_path / "body.yaml").write_text(
        "dimension: 2\nparts:\n  pelvis: {type: RigidBody, mass: 12, inertia: 1}\n"
        "include:\n  - {file: leg.yaml, prefix: left_, shared: [pelvis], parameters: {side: -1}}\n"
        "  - {file: leg.yaml, prefix: right_, shared: [pelvis]}\n"
    )
    model = cd.read_model(tmp_path / "body.yaml")
    assert model["left_hip"].a.body == "pelvis" and model["left_hip"].b.body == "left_thigh"
    assert model["right_spring"].coordinate == "right_hip.angle"
    assert (model["left_thigh"].position[0], model["right_thigh"].position[0]) == (-0.1, 0.1)
    assert model["pelvis"].mass == 12.0


def test_a_model_includes_another_in_python():
    leg = model_of(BALL + "  s: {type: Spring, a: ground, b: ball, stiffness: 3}\n")
    both = cd.Model("both", dimension=2)
    both.include(leg, prefix="left ")
    made = both.include(leg, prefix="right ")
    assert made["s"].b.body == "right ball" and len(both) == 5
    both.validate()
    with pytest.raises(cd.InputError, match="cannot include"):
        cd.Model("space", dimension=3).include(leg)
    with pytest.raises(cd.InputError, match="could be shared; did you mean 'left ball'"):
        both.include(leg, shared=["ball"])


def test_files_that_include_each_other_are_named(tmp_path):
    (tmp_path / "a.yaml").write_text("include: {file: b.yaml, prefix: b_}\n")
    (tmp_path / "b.yaml").write_text("include: {file: a.yaml, prefix: a_}\n")
    with pytest.raises(
        cd.FileError, match=r"b\.yaml:1:17: files that include each other in a circle: a.yaml → b.yaml → a.yaml"
    ):
        cd.read_model(tmp_path / "a.yaml")


def test_tables_and_meshes_come_by_path(tmp_path):
    (tmp_path / "gait.csv").write_text("time,force\n0,0\n0.5,700\n1,650\n")
    (tmp_path / "model.yaml").write_text(
        BALL + "  pull:\n    type: Load\n    point: ball\n    force: [0, -1]\n    scale:\n      type: Spline\n"
        "      times: {file: gait.csv, column: time}\n      values: {file: gait.csv, column: force, unit: kN}\n"
    )
    model = cd.read_model(tmp_path / "model.yaml")
    assert model["pull"].scale.times == (0.0, 0.5, 1.0)
    assert model["pull"].scale.values == (0.0, 700e3, 650e3)


def test_nothing_is_read_outside_the_folder_unless_it_is_allowed(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.csv").write_text("1,2\n3,4\n")
    (inside / "link.csv").symlink_to(tmp_path / "secret.csv")
    for name in ("../secret.csv", str(tmp_path / "secret.csv"), "link.csv"):
        text = BALL.replace("position: [1, 0]", f"position: {{file: '{name}', column: 1}}")
        (inside / "model.yaml").write_text(text)
        with pytest.raises(cd.FileError, match="outside the folder of this file; it is read only with --allow"):
            cd.read_model(inside / "model.yaml")
        assert cd.read_model(inside / "model.yaml", allow=[tmp_path])["ball"].position == (1.0, 3.0)


def test_code_is_imported_only_if_it_is_allowed():
    text = BALL + "  pull: {type: Load, point: ball, force: [0, 1], scale: {type: Function, call: 'math:cos'}}\n"
    assert "--allow-code" in mistakes_of(text)[0][2]
    assert model_of(text, allow_code=True)["pull"].scale(0.0) == 1.0
    short = BALL + "  pull: {type: Load, point: ball, force: [0, 1], scale: 'math:cos'}\n"
    assert "--allow-code" in mistakes_of(short)[0][2]


OWN = """\
from dataclasses import dataclass
import condyle as cd

@dataclass
class Balloon(cd.Part):
    name: str
    point: str
    lift: float = 1.0

    def compile(self, builder):
        cd.Load(self.name, self.point, (0.0, self.lift)).compile(builder)
"""


def test_parts_of_ones_own_come_from_code_that_is_allowed(tmp_path, capsys):
    (tmp_path / "own.py").write_text(OWN)
    file = tmp_path / "model.yaml"
    file.write_text("code: own.py\n" + BALL + "  up: {type: Balloon, point: ball, lift: 6 N}\n")
    with pytest.raises(
        cd.FileError, match=r"model.yaml:1:7: 'own.py' is Python code, which is run only with --allow-code"
    ):
        cd.Model.load(file)
    assert main(["check", str(file)]) == 2
    assert "--allow-code" in capsys.readouterr().out
    model = cd.Model.load(file, allow_code=True)
    result = cd.simulate(model, end=1.0, dt=0.1)
    assert result.position("ball")[-1, 1] == pytest.approx(1.0)  # ½ (6 N / 3 kg) t²
    assert (
        main(["simulate", str(file), "--end", "0.1", "--dt", "0.1", "--allow-code", "--out", str(tmp_path / "a.h5")])
        == 0
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("nothing.py", "nothing.py"),
        ("../own.py", "outside the folder"),
        ("no_such_module_at_all", "cannot be imported"),
        ("os; print(1)", "write a Python file beside this one"),
    ],
)
def test_code_that_is_not_there_is_named(tmp_path, code, said):
    (tmp_path / "model.yaml").write_text(f"code: ['{code}']\n" + BALL)
    with pytest.raises(cd.FileError, match=said):
        cd.Model.load(tmp_path / "model.yaml", allow_code=True)


@pytest.mark.parametrize("ending", ["yaml", "yml", "json"])
def test_a_model_is_saved_and_loaded_by_the_ending_of_its_file(tmp_path, ending):
    model = ZOO[next(iter(ZOO))]()
    path = tmp_path / f"model.{ending}"
    model.save(path)
    model.save(path)  # as a file of results, it is replaced
    assert path.read_text().startswith("{" if ending == "json" else "condyle: 1")
    assert cd.Model.load(path).to_dict() == model.to_dict()


def test_the_command_simulates_a_file_of_a_person(tmp_path):
    path = tmp_path / "ball.yaml"
    path.write_text(
        "parameters: {m: 3 kg}\n" + BALL.replace("3 kg", "m") + "  push: {type: Load, point: ball, force: [3 N, 0]}\n"
    )
    assert main(["simulate", str(path), "--end", "1", "--dt", "0.1"]) == 0
    assert cd.load(tmp_path / "ball.h5").position("ball")[-1, 0] == pytest.approx(1.5)
    assert cd.Model.load(path, {"m": 6.0})["ball"].mass == 6.0
    (tmp_path / "ball.json").write_text("{}")
    with pytest.raises(cd.InputError, match="only YAML model files take other values"):
        cd.Model.load(tmp_path / "ball.json", {"m": 6.0})


LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(9)
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "more than 2,000,000 entries"),
        ("a: &a [*a]", "contains itself"),
        ("a: " + "[" * 100_000, "brackets are open"),
        ("- " * 5000 + "a", "indented by more"),
        ("\n".join(" " * k + "a:" for k in range(3000)), "indented by more|nested deeper"),
        ("a: !!python/object/apply:os.system [ls]", "tags such as"),
        ("a: 1\na: 2", "is there twice, first in line 1"),
        ("? [a, b]\n: 1", "a name must be a text"),
        ("a: [1, 2", "this is no YAML"),
        ("a: b: c", "needs quotes"),
        ("\tb: 1", "not with tabs"),
        ("", "condyle new"),
        ("- 1", "a model file begins with names"),
        ("a: 1\n---\nb: 1", "no YAML"),
        ("\0", "no YAML"),
    ],
)
def test_files_that_are_too_much_or_no_yaml_are_refused_at_once(text, said):
    with pytest.raises(cd.FileError, match=said):
        model_of(text)


PIECES = """parts type RigidBody mass [ ] { } &a *a << ' # parameters a 2*a include file ../x run dt curves position
claims Solid.block !!x | > null .inf 1e999 units figures Point " """
WORDS = st.sampled_from([*PIECES.split(), "3 kg", ": ", "\n", "  ", "- ", "? ", "(1, 2) mm"])


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS | st.text(max_size=6), max_size=25).map("".join))
def test_no_text_raises_anything_but_an_input_error(text):
    try:
        model_of(text)
    except cd.InputError as error:
        assert str(error)


@st.composite
def scrambled(draw):
    """A sound file with a few pieces cut out, doubled or changed."""
    from condyle.files.starts import STARTS

    text = STARTS[draw(st.sampled_from(sorted(STARTS)))]
    for _ in range(draw(st.integers(1, 4))):
        at, length = draw(st.integers(0, len(text))), draw(st.integers(0, 12))
        text = text[:at] + draw(WORDS | st.just("")) + text[at + length :]
    return text


@settings(max_examples=80, deadline=None)
@given(scrambled())
def test_a_spoilt_file_is_read_or_its_mistakes_have_places(text):
    try:
        model_of(text)
    except cd.FileError as error:
        assert all(m.line >= 1 and m.column >= 1 and m.problem for m in error.mistakes)
    except cd.InputError as error:
        assert str(error)


def test_the_file_of_the_page_has_no_mistakes():
    page = Path(__file__).parents[2] / "docs" / "model-files.md"
    text = page.read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    assert model_of(text)["spring"].stiffness == 400.0
