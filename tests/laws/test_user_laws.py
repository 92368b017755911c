"""Laws, parts and integrators of one's own: they run in compiled code, in every process, and wrong ones are found."""

import copy
import json
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
import own_parts
from condyle.analysis.check import check_loaded
from condyle.analysis.loading import load_parts
from condyle.cli import main
from condyle.integrators import registry
from condyle.laws import user
from condyle.model import part as parts
from condyle.system.compile import running
from stepping import walk
from zoo import own_laws

OWN = Path(own_parts.__file__)
CORD = {"k": 90.0, "L": 0.5, "a": 2.0}


@pytest.fixture(autouse=True)
def known():
    """What is registered is as it was, after each test."""
    tables = (user._LAWS, parts._TYPES, registry._KNOWN)
    before = [dict(table) for table in tables]
    yield
    for table, was in zip(tables, before, strict=True):
        table.clear()
        table.update(was)


def hanging(law="exponential spring", params=CORD):
    m = cd.Model("hanging", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.PointMass("p", 1.0, (0.3, -0.6), velocity=(0.5, 0.0)))
    m.add(cd.LawEnergy("cord", law, [(m.ground, "p")], params))
    return m


# --- what they do -----------------------------------------------------------------------------------------------------


def test_a_law_of_ones_own_gives_the_motion_of_the_built_in_one():
    @cd.law("Hooke", params=("k", "L"), example=(100.0, 0.5))
    def hooke(ny, G, p, S, H):
        length = np.sqrt(G[0, 0])
        S[0, 0] = 0.5 * p[0] * (length - p[1]) / length
        H[0, 0, 0, 0] = 0.25 * p[0] * p[1] / length**3
        return 0.5 * p[0] * (length - p[1]) ** 2

    own = hanging("Hooke", {"k": 100.0, "L": 0.5})
    spring = cd.Model.from_dict(own.to_dict() | {"parts": own.to_dict()["parts"][:1]})
    spring.add(cd.Spring("cord", "ground", "p", 100.0, rest_length=0.5))
    for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha(0.8)):
        a, b = (walk(m, 0.01, 50, method) for m in (own, spring))
        np.testing.assert_allclose(a.point("p"), b.point("p"), rtol=1e-11)
        np.testing.assert_allclose(a.energy("stored"), b.energy("stored"), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
def test_energy_and_momenta_are_kept_with_an_energy_a_constraint_and_a_material_of_ones_own(dimension):
    m = own_laws(dimension)
    for drag in ("drag", "air"):
        del m._parts[drag]
    path = walk(m, 0.01, 200)
    energy = path.energy()
    assert np.ptp(energy) < 1e-11 * energy.max()
    angular = path.momenta()[1]
    assert np.ptp(angular, axis=0).max() < 1e-11 * np.abs(angular).max()
    assert np.ptp(path.energy("stored")) > 1e-2 * energy.max()
    assert max(path.system.constraint_error(s.x) for s in path.states) < 1e-12


def test_a_force_of_ones_own_takes_exactly_the_work_it_reports():
    path = walk(own_laws(), 0.01, 100)
    energy, work = path.energy(), np.array(path.work)
    assert np.abs(energy - energy[0] - work).max() < 1e-11 * energy.max()
    assert work[-1] < -0.05 * energy[0]


@cd.law("wire", kind="constraint", params=("a", "b", "unit"), sizes=(3,), example=(1.5, 1.0, 1.0))
def wire(ny, G, p, S, H):
    """An ellipse, in any unit."""
    c, unit = -0.5, p[2]
    for k in range(1, 3):
        half = p[k - 1]
        c += 0.5 * (G[0, k] / half) ** 2
        S[0, k] = S[k, 0] = unit * 0.5 * G[0, k] / half**2
        H[0, k, 0, k] = H[0, k, k, 0] = H[k, 0, 0, k] = H[k, 0, k, 0] = unit * 0.25 / half**2
    return unit * c


def bead(*, unit=1.0, value=0.0, enforcement="multiplier"):
    """A bead on an elliptic wire; the law in other units is the same wire."""
    m = cd.Model("bead", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.PointMass("p", 0.1, (1.5, 0.0)))
    vectors = [("ground", "p"), ("ground", (1, 0)), ("ground", (0, 1))]
    m.add(cd.LawConstraint("wire", "wire", vectors, {"a": 1.5, "b": 1.0, "unit": unit}, value, enforcement))
    return m


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_a_constraint_may_have_any_unit(unit):
    path = walk(bead(unit=unit), 0.01, 100)
    x, y = path.point("p").T
    assert np.abs((x / 1.5) ** 2 + y**2 - 1.0).max() < 1e-12
    assert y.min() < -0.9 and max(path.iterations) <= 5
    force = unit * path.multipliers("wire")[1:]
    np.testing.assert_allclose(force, walk(bead(), 0.01, 100).multipliers("wire")[1:], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("enforcement", ["augmented", "uzawa", cd.Penalty(1e7)])
def test_a_constraint_of_ones_own_is_held_in_all_ways(enforcement):
    path = walk(bead(enforcement=enforcement), 0.01, 50)
    np.testing.assert_allclose(path.point("p"), walk(bead(), 0.01, 50).point("p"), atol=1e-5)


def test_a_stiffness_that_is_not_given_follows_from_the_gradient_in_any_unit():
    paths = [walk(bead(unit=f, enforcement="penalty"), 0.01, 50).point("p") for f in (1.0, 1e3)]
    np.testing.assert_allclose(*paths, atol=1e-9)


def test_a_constraint_follows_a_function_of_time_or_stays_at_its_start():
    grown = walk(bead(value=cd.Ramp(0.0, 1.0, 0.0, 0.5 * (1.2**2 - 1.0))), 0.01, 100).point("p")[-1]
    assert (grown[0] / 1.5) ** 2 + grown[1] ** 2 == pytest.approx(1.2**2, abs=1e-12)
    m = bead(value=None)
    m["p"].position = (1.2, 0.0)
    x, y = walk(m, 0.01, 100).point("p").T
    np.testing.assert_allclose((x / 1.5) ** 2 + y**2, 0.8**2, atol=1e-12)


def test_a_step_into_a_state_where_a_law_is_not_defined_is_shortened():
    @cd.law("wall", params=("k",), example=(1.0,))
    def wall(ny, G, p, S, H):
        gap = np.sqrt(G[0, 0]) - 0.5
        if gap <= 0.0:
            raise ValueError("inside the wall")
        S[0, 0] = -0.5 * p[0] / gap**2 / np.sqrt(G[0, 0])
        H[0, 0, 0, 0] = 0.25 * p[0] / G[0, 0] * (2.0 / gap**3 + 1.0 / gap**2 / np.sqrt(G[0, 0]))
        return p[0] / gap

    m = cd.Model("wall", dimension=2)
    m.add(cd.PointMass("p", 1.0, (1.0, 0.0), velocity=(-10.0, 0.0)))
    m.add(cd.LawEnergy("wall", "wall", [("ground", "p")], {"k": 1.0}))
    result = cd.simulate(m, end=0.1, dt=0.1)
    assert result.cuts.max() > 0 and result.velocity("p")[-1, 0] > 0.0  # it bounces
    assert np.ptp(result.energy["total"]) < 1e-9 * result.energy["total"][0]


def test_joint_forces_and_modes_come_from_laws_of_ones_own_too():
    m = cd.Model("modes", dimension=2)
    m.add(cd.PointMass("p", 2.0, (0.5, 0.0)))
    m.add(cd.LawEnergy("cord", "exponential spring", [("ground", "p")], CORD))
    m.add(cd.PointOnLine("rail", "ground", "p", at=(0.5, 0.0), axis=(1.0, 0.0)))
    (frequency,) = cd.eigenmodes(m).frequencies
    assert frequency == pytest.approx(np.sqrt(90.0 / 2.0) / (2 * np.pi), rel=1e-9)


def test_a_material_of_ones_own_knows_its_moduli_and_what_it_is_not_for():
    rubber = cd.LawMaterial("Mooney–Rivlin", {"c1": 60.0, "c2": 30.0, "bulk": 400.0}, density=2.0)
    lam, mu = rubber.lame()
    assert mu == pytest.approx(2.0 * (60.0 + 30.0)) and lam == pytest.approx(400.0 + 4.0 * 30.0)
    assert cd.NeoHookean(rubber.young, rubber.poisson).lame() == pytest.approx((lam, mu))
    for options, message in (
        (dict(plane="stress"), "plane='stress' is for built-in materials"),
        (dict(plane="axisymmetric"), "plane='axisymmetric' is for built-in materials"),
        (dict(natural_stretch=1.1), "does not swell across the plane"),
    ):
        m = cd.Model("block", dimension=2)
        m.add(cd.Solid.block("block", (1.0, 1.0), (1, 1), rubber, **options))
        with pytest.raises(cd.InputError, match=message):
            cd.compile(m)


def test_stress_of_a_solid_of_ones_own_material_is_that_of_its_energy():
    def block(material, d):
        m = cd.Model("block", dimension=d)
        spin = (3.0, 1.0, 2.0) if d == 3 else 3.0
        m.add(cd.Solid.block("block", (0.5, 0.3, 0.2)[:d], (1, 1, 1)[:d], material, angular_velocity=spin))
        result = cd.simulate(m, end=0.05, dt=0.01)
        return result.position("block.3"), result.fields("block")

    lam, mu = 400.0, 120.0
    own = cd.LawMaterial("Mooney–Rivlin", {"c1": 60.0, "c2": 0.0, "bulk": 400.0}, density=2.0)
    known = cd.NeoHookean(mu * (3 * lam + 2 * mu) / (lam + mu), 0.5 * lam / (lam + mu), density=2.0)
    for d in (2, 3):
        (x, one), (x_known, other) = block(own, d), block(known, d)
        np.testing.assert_allclose(x, x_known, rtol=1e-9)
        top = np.abs(other.cauchy).max()
        np.testing.assert_allclose(one.cauchy, other.cauchy, atol=1e-8 * top)
        np.testing.assert_allclose(one.energy_density, other.energy_density, rtol=1e-6)
        assert top > 0.1


# --- processes, files -------------------------------------------------------------------------------------------------


PROGRAM = """
    import json, sys
    import condyle as cd
    from condyle.system import assembly
    import own_parts
    model = cd.Model.load(sys.argv[1])
    result = cd.simulate(model, end=0.1, dt=0.01)
    misses = sum(sum(k.stats.cache_misses.values()) for k in (assembly.assemble_compiled, assembly.stored_energy))
    hits = sum(sum(k.stats.cache_hits.values()) for k in (assembly.assemble_compiled, assembly.stored_energy))
    print(json.dumps([misses, hits, result.position("p")[-1].tolist(), own_parts.__file__]))
"""


def test_kernels_on_disk_serve_laws_that_are_elsewhere_in_every_process(tmp_path):
    file = tmp_path / "model.json"
    model = hanging()
    model.add(cd.LawForce("air", "quadratic drag", ["p"], {"c": 0.2}))
    model.save(file)
    here = cd.simulate(model, end=0.1, dt=0.01).position("p")[-1]
    path = os.pathsep.join([str(OWN.parent), str(Path(cd.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(file)], env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    misses, hits, there, _ = json.loads(done.stdout)
    assert misses == 0 and hits >= 1  # so this process leaves nothing behind that another one would find
    np.testing.assert_allclose(there, here, rtol=1e-13)


def test_a_model_file_holds_name_and_parameters_and_says_which_law_is_missing(tmp_path, capsys):
    file = tmp_path / "model.json"
    hanging().save(file)
    (cord,) = (p for p in json.loads(file.read_text())["parts"] if p["name"] == "cord")
    assert cord["law"] == "exponential spring" and cord["params"] == CORD
    del user._LAWS["exponential spring"]
    with pytest.raises(cd.InputError, match=r"LawEnergy 'cord': unknown law 'exponential spring'.*import it.*--load"):
        cd.Model.load(file)
    run = ["simulate", str(file), "--end", "0.02", "--dt", "0.01"]
    assert main(run) == 2
    assert "unknown law 'exponential spring'" in capsys.readouterr().err
    assert main([*run, "--load", str(OWN)]) == 0
    again = cd.load(tmp_path / "model.h5")
    np.testing.assert_array_equal(again.position("p"), cd.simulate(hanging(), end=0.02, dt=0.01).position("p"))


def test_a_compiled_model_cannot_be_sent_to_another_process_but_copied_here():
    system = cd.compile(hanging())
    assert copy.deepcopy(system).energies.params[0] == system.energies.params[0]
    data = pickle.dumps(system)
    assert isinstance(pickle.loads(data), type(system))
    program = "import sys, pickle; pickle.loads(sys.stdin.buffer.read())"
    path = os.pathsep.join([str(OWN.parent), str(Path(cd.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-c", program], input=data, env=os.environ | {"PYTHONPATH": path}, capture_output=True
    )
    assert b"belongs to the process that compiled it" in done.stderr


def test_a_law_that_is_defined_anew_does_not_change_models_that_are_compiled():
    def define(k):
        @cd.law("anew", example=())
        def anew(ny, G, p, S, H):
            S[0, 0] = 0.5 * k
            return 0.5 * k * G[0, 0]

    define(1.0)
    first = running(hanging("anew", {}))
    define(3.0)
    second = running(hanging("anew", {}))
    state = cd.State(0.0, first.x_start, first.v_start, np.zeros(0))
    assert second.energy(state)["stored"] == pytest.approx(3.0 * first.energy(state)["stored"])


def test_a_run_with_an_integrator_of_ones_own_is_resumed_from_the_command_line(tmp_path, capsys):
    file = tmp_path / "run.h5"
    cd.simulate(hanging(), end=0.05, dt=0.01, integrator=own_parts.HalfSteps(), file=file)
    assert main(["resume", str(file), "--end", "0.1"]) == 2
    assert "'HalfSteps' is not known here" in capsys.readouterr().err
    assert main(["resume", str(file), "--end", "0.1", "--load", str(OWN)]) == 0
    whole = cd.simulate(hanging(), end=0.1, dt=0.01, integrator=own_parts.HalfSteps())
    np.testing.assert_array_equal(cd.load(file).position("p"), whole.position("p"))


def test_a_file_is_the_module_that_import_makes_of_it_unless_the_name_is_taken(tmp_path):
    assert load_parts(OWN).laws == [
        "exponential spring", "Mooney–Rivlin", "hypocycloid", "ellipse", "quadratic drag", "quadratic fibres",
    ]  # fmt: skip
    assert user._LAWS["ellipse"].function.__module__ == "own_parts"
    taken = tmp_path / "json.py"
    taken.write_text(OWN.read_text())
    assert load_parts(taken).parts == ["BallJoint", "Strap"]
    assert user._LAWS["ellipse"].function.__module__ == "condyle_user_json"


# --- mistakes ---------------------------------------------------------------------------------------------------------


def test_mistakes_in_the_use_of_a_law_are_named():
    m = cd.Model("m", dimension=2)
    m.add(cd.PointMass("p", 1.0, (1.0, 0.0)))
    span = [("ground", "p")]
    for part, message in (
        (lambda: cd.LawEnergy("s", "exponental spring", span, CORD), "did you mean 'exponential spring'"),
        (lambda: cd.LawEnergy("s", "ellipse", span, CORD), "'ellipse' is a law of the kind 'constraint', not 'energy'"),
        (lambda: cd.LawEnergy("s", "exponential spring", span, {"k": 1.0}), "give k, L, a of the law"),
        (lambda: cd.LawEnergy("s", "exponential spring", span, [1, 2, 3]), "params must be a dict with names"),
        (lambda: cd.LawEnergy("s", "exponential spring", span, CORD | {"L": None}), "dict of names and finite numbers"),
        (lambda: cd.LawEnergy("s", "exponential spring", ["p"], CORD), "depends on the origin"),
        (lambda: cd.LawEnergy("s", "exponential spring", "p", CORD), "must be a list of pairs of points"),
        (lambda: cd.LawEnergy("s", "exponential spring", [("a", "b", "c")], CORD), "a vector is a pair of points"),
        (lambda: cd.LawEnergy("s", "exponential spring", [("a", (0, 0))], CORD), "not all zero"),
        (lambda: cd.LawMaterial("ellipse", {}), "not 'energy'"),
        (lambda: cd.LawConstraint("c", "ellipse", span, {"a": 1, "b": 1}, enforcement="glue"), "enforcement is 'glue'"),
    ):
        with pytest.raises(cd.InputError, match=message):
            part()
    for part, message in (
        (cd.LawEnergy("s", "exponential spring", [*span, *span], CORD), "takes 1 vectors, not 2"),
        (cd.LawEnergy("s", "exponential spring", [("ground", "q")], CORD), "there is no body 'q'"),
        (cd.LawEnergy("s", "exponential spring", [("ground", (1, 0, 0))], CORD), "does not fit a model of 2"),
        (cd.LawEnergy("s", "exponential spring", [("p", "p")], CORD), "are the same point"),
    ):
        model = cd.Model.from_dict(m.to_dict())
        model.add(part)
        with pytest.raises(cd.InputError, match=message):
            cd.compile(model)
    rubber = cd.LawMaterial("exponential spring", CORD, density=1.0)
    m.add(cd.Solid.block("b", (1.0, 1.0), (1, 1), rubber))
    with pytest.raises(cd.InputError, match="takes 1 vectors, not 2"):
        cd.compile(m)


def test_mistakes_in_a_law_are_named():
    def law(ny, G, p, S, H):
        return 0.0

    for options, message in (
        (dict(kind="spring"), "kind is 'spring'; choose one of energy, constraint, force"),
        (dict(kind="force"), r"must take \(ny, d, y, ydot, amplitude, p, f, Ky, Kv\)"),
        (dict(params=("k",)), "a finite number for each of its params k"),
        (dict(params=("k", "k"), example=(1, 1)), "different names"),
        (dict(sizes=(0,)), "sizes must be numbers of vectors"),
        (dict(dimensions=(4,)), "dimensions must be"),
        (dict(length=-1.0), "length must be a positive number"),
    ):
        with pytest.raises(cd.InputError, match=message):
            cd.law("faulty", **options)(law)


def helper(x):
    return x


def test_what_numba_cannot_compile_is_one_clear_error():
    @cd.law("calls python")
    def calls_python(ny, G, p, S, H):
        return helper(G[0, 0])

    @cd.law("no value")
    def no_value(ny, G, p, S, H):
        S[0, 0] = 1.0

    @cd.law("text")
    def text(ny, G, p, S, H):
        S[0, 0] = p["k"]
        return 0.0

    for name, message in (
        (
            "calls python",
            r"law 'calls python' cannot be compiled: Untyped global name 'helper'.*numba.njit \(line \d+\)",
        ),
        ("no value", "it does not return a number"),
        ("text", r"getitem\((readonly )?array\(float64, 1d, C\)"),
    ):
        with pytest.raises(cd.InputError, match=message) as caught:
            cd.compile(hanging(name, {}))
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


# --- checks -----------------------------------------------------------------------------------------------------------


def test_all_that_a_file_brings_passes_the_checks(capsys):
    assert main(["check", str(OWN), "--json"]) == 0
    checks = json.loads(capsys.readouterr().out)
    assert all(check["ok"] for check in checks)
    tests = {(check["name"], check["test"]): check["note"] for check in checks}
    for law in ("exponential spring", "Mooney–Rivlin", "ellipse"):
        assert {(law, "derivatives"), (law, "round trip")} <= set(tests)
        assert "angular momentum to" in tests[law, "conservation"]
    assert {("quadratic drag", "balance"), ("BallJoint", "derivatives"), ("Strap", "conservation")} <= set(tests)
    assert "order 2.0" in tests["HalfSteps", "convergence"] and ("HalfSteps", "restart") in tests


def failing(name):
    return [check.note for check in cd.check(name).checks if check.ok is False]


def test_wrong_derivatives_are_found():
    @cd.law("wrong stress", params=("k",), example=(100.0,))
    def wrong_stress(ny, G, p, S, H):
        S[0, 0] = p[0]
        return 0.5 * p[0] * G[0, 0]

    @cd.law("wrong stiffness", params=("k",), sizes=(2,), example=(1e-3,))
    def wrong_stiffness(ny, G, p, S, H):
        S[0, 1] = S[1, 0] = p[0] * G[0, 1]
        H[0, 1, 0, 1] = H[0, 1, 1, 0] = H[1, 0, 0, 1] = H[1, 0, 1, 0] = 0.49 * p[0]
        return p[0] * G[0, 1] ** 2

    @cd.law("one sided", sizes=(2,))
    def one_sided(ny, G, p, S, H):
        S[0, 1] = 1.0
        return G[0, 1]

    @cd.law("wrong force", kind="force", params=("c",), example=(1e5,))
    def wrong_force(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
        for a in range(d):
            f[0, a] = -p[0] * ydot[0, a]
            Kv[0, a, 0, a] = -1.001 * p[0]

    @cd.law("out of range")
    def out_of_range(ny, G, p, S, H):
        S[0, 0] = 0.5
        return 0.5 * G[0, 0] + 0.0 * p[3]

    for name, message in (
        ("wrong stress", "S is not ∂ψ/∂G (by finite differences)"),
        ("wrong stiffness", "H is not ∂S/∂G (by finite differences) at [0, 1]"),
        ("one sided", "S is not symmetric at [0, 1]: 1 against 0"),
        ("wrong force", "Kv is not ∂f/∂ẏ (by finite differences)"),
        ("out of range", "IndexError"),
    ):
        assert message in failing(name)[0]


def test_laws_of_any_size_pass():
    """A stiff cord of a millimetre and a soft one of ten kilometres."""
    for name, length, stiffness in (("short", 1e-3, 1e6), ("long", 1e4, 1e-3)):

        @cd.law(name, params=("k", "L"), example=(stiffness, 0.8 * length), length=length)
        def spring(ny, G, p, S, H):
            size = np.sqrt(G[0, 0])
            S[0, 0] = 0.5 * p[0] * (size - p[1]) / size
            H[0, 0, 0, 0] = 0.25 * p[0] * p[1] / size**3
            return 0.5 * p[0] * (size - p[1]) ** 2

        assert cd.check(name).ok, cd.check(name)


BAD = '''
from dataclasses import dataclass
from typing import Any

import condyle as cd


@cd.law("wrong", params=("k",), example=(100.0,))
def wrong(ny, G, p, S, H):
    S[0, 0] = p[0]
    return 0.5 * p[0] * G[0, 0]


@dataclass
class Leaky(cd.Joint):
    """A joint that forgets where it is when it is written."""

    def to_dict(self):
        return {"type": "Leaky", "name": self.name, "a": "a", "b": "b"}

    def compile(self, builder):
        self.meet(builder)


@dataclass
class Puzzling(cd.Part):
    """Nobody knows what its colour may be."""

    name: str
    colour: str


class Fake(cd.Part):
    """No dataclass."""


@dataclass
class Forgetful(cd.BDF):
    """Counts its steps outside of the state, and goes wrong after the seventh."""

    def prepare(self, system, state, h):
        super().prepare(system, state, h)
        self.count = 0

    def compiled(self, system, *, in_rows=False):
        return None  # of compiled steps, resume takes those since the last multiple of 120 again

    def step(self, system, state, h):
        self.count += 1
        after, info = super().step(system, state, h)
        if self.count == 7:
            after.v *= 1.0 + 1e-9
        return after, info


@dataclass
class Slow(cd.BDF):
    """Loses a thousandth of its speed at every step: it does not converge."""

    def step(self, system, state, h):
        after, info = super().step(system, state, h)
        after.v *= 0.99
        return after, info
'''


def test_a_bad_file_is_refused_with_reasons_and_compared_only_when_asked_for(tmp_path, capsys):
    bad = tmp_path / "bad_parts.py"
    bad.write_text(BAD)
    report = {(check.name, check.test): check for check in check_loaded(load_parts(bad)).checks}
    assert "S is not" in report["wrong", "derivatives"].note
    assert "another part" in report["Leaky", "round trip"].note
    assert report["Leaky", "conservation"].ok and report["wrong", "round trip"].ok
    left_out = report["Puzzling", "round trip"]
    assert left_out.ok is None and "colour have no default; define a classmethod example()" in left_out.note
    assert "put @dataclass above it" in report["Fake", "example"].note
    assert "must be in state.memory" in report["Forgetful", "restart"].note
    assert "it does not converge" in report["Slow", "convergence"].note
    bad.write_text(BAD[: BAD.index("@dataclass")])
    assert main(["check", str(bad)]) == 1
    shown = capsys.readouterr()
    assert "FAILED" in shown.out and "energy law 'wrong', derivatives: FAILED" in shown.err
    run = ["compare", "heavy-top", "--integrators", "BDF2", "--steps", "0.01", "--end", "0.02", "--load", str(bad)]
    assert main(run) == 2
    assert "energy law 'wrong', derivatives: FAILED (S is not" in capsys.readouterr().err
    assert main([*run, "--no-check"]) == 0


def test_what_cannot_be_checked_is_named(tmp_path, capsys):
    with pytest.raises(cd.InputError, match="neither a Python file nor the name of a law"):
        cd.check("nothing")
    empty = tmp_path / "empty_parts.py"
    empty.write_text("import condyle\n")
    assert main(["check", str(empty)]) == 2
    assert "brings no law, part or integrator" in capsys.readouterr().err


def test_parts_of_every_kind_are_checked_in_a_model_of_their_own():
    for kind in (cd.Spherical, cd.Pin, cd.Slider, cd.Fixed, own_parts.Strap):
        assert cd.check(kind).ok, cd.check(kind)
    assert [c.ok for c in cd.check(cd.PointMass).checks] == [None]  # its mass and position have no default


@pytest.mark.parametrize("directions", [5, (), ((1.0, 0.0),), ((1.0,), (2.0,))])
def test_directions_of_fibres_that_do_not_fit_a_law_are_refused(directions):
    with pytest.raises(
        cd.InputError, match=r"the law 'quadratic fibres' has 2 families of fibres; give as many directions"
    ):
        cd.LawMaterial("quadratic fibres", {"mu": 1.0, "stiffness": 1.0}, directions=directions)


@pytest.mark.parametrize("directions", ["ab", (("a", "b"), ("c", "d")), ((np.nan, 0.0), (0.0, 1.0))])
def test_directions_of_fibres_that_are_no_numbers_are_refused(directions):
    with pytest.raises(cd.InputError, match="LawMaterial: directions must be"):
        cd.LawMaterial("quadratic fibres", {"mu": 1.0, "stiffness": 1.0}, directions=directions)


def test_directions_of_fibres_may_be_an_array():
    given = cd.LawMaterial("quadratic fibres", {"mu": 1.0, "stiffness": 1.0}, directions=np.eye(2))
    assert given.directions == ((1.0, 0.0), (0.0, 1.0))
