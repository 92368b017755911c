"""The package as a whole: lazy imports, the public namespace, the errors, the registry."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from types import ModuleType

import pytest

import condyle as cd
from condyle import studies
from condyle.errors import unknown_name

SLOW = ("numba", "scipy", "matplotlib", "h5py", "rich", "pandas")


def loaded_after(statements: str, *modules: str) -> list[str]:
    """Which of the modules a fresh Python has loaded after the statements."""
    program = f"import sys\n{statements}\nprint('loaded:', *[m for m in {modules} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


def test_importing_condyle_loads_neither_numpy_nor_anything_slower():
    assert loaded_after("import condyle", "numpy", *SLOW) == []


@pytest.mark.parametrize("command", [["list"], ["list", "--json"]])
def test_listing_loads_nothing_slow(command):
    assert loaded_after(f"import condyle.cli; condyle.cli.main({command})", *SLOW) == []


def test_a_step_of_a_model_without_contacts_loads_neither_contact_nor_what_only_contact_needs():
    program = (
        "import condyle as cd; m = cd.Model('p', dimension=2, gravity=(0, -9.81));"
        "b = m.add(cd.RigidBody.box('b', (1, 0.1), 100, position=(0.5, 0))); m.add(cd.Pin('p', m.ground, b, at=(0, 0)));"
        "cd.simulate(m, end=0.01, dt=0.01).summary()"
    )
    rooms = ("condyle.contact", "condyle.solvers", "condyle.integrators.nonsmooth")
    slow = ("scipy.interpolate", "scipy.optimize", "scipy.spatial", "matplotlib", "h5py", "rich", "pandas")
    assert loaded_after(program, *rooms, *slow) == []


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_nothing_slow(option):
    program = f"import condyle.cli\ntry: condyle.cli.main(['{option}'])\nexcept SystemExit as end: assert end.code == 0"
    assert loaded_after(program, "numpy", *SLOW) == []


def test_python_m_condyle_is_the_command_line():
    done = subprocess.run([sys.executable, "-m", "condyle", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"condyle {cd.__version__}\n")


def test_every_public_name_can_be_loaded_and_comes_from_its_module():
    for name in cd.__all__:
        value = getattr(cd, name)
        assert name in dir(cd)
        if name in cd._HOME:
            assert value is getattr(importlib.import_module(cd._HOME[name]), name)


def test_the_public_names_are_those_that_type_checkers_see():
    import ast
    from pathlib import Path

    tree = ast.parse(Path(cd.__file__).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    assert {alias.name: node.module for node in imports for alias in node.names} == cd._HOME
    assert {"Model", "simulate", "load", "methods"} <= cd._HOME.keys()


def test_every_method_of_the_namespace_is_an_integrator_known_by_name():
    from condyle.integrators.registry import is_integrator, known_integrators

    methods = {name: value for name, value in vars(cd.methods).items() if not name.startswith("_")}
    assert {"IteratedNewmark", "LinearisedImplicit", "ScipyReference", "SemiImplicit"} <= methods.keys()
    for name, method in methods.items():
        # What is no class is a function that prepares a method, such as the choice of a penalty; chains of bars in other
        # coordinates step by themselves.
        assert (
            not isinstance(method, type)
            or name == "BarChain"
            or (is_integrator(method) and name in known_integrators())
        )
        assert not hasattr(cd, name)


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Modle'"):
        cd.Modle  # noqa: B018


def test_errors_form_one_family():
    assert issubclass(cd.InputError, (cd.CondyleError, ValueError))
    assert issubclass(cd.AssemblyError, cd.InputError)
    assert issubclass(cd.ConvergenceError, cd.CondyleError) and not issubclass(cd.ConvergenceError, ValueError)


def test_a_convergence_error_survives_the_way_between_processes():
    error = pickle.loads(pickle.dumps(cd.ConvergenceError("no convergence", time=0.5, part="bar")))
    assert (str(error), error.time, error.part, error.result) == ("no convergence", 0.5, "bar", None)


def test_an_unknown_name_is_answered_with_the_nearest_and_all_known():
    message = str(unknown_name("body", "femr", ["tibia", "femur"], where="model 'knee'"))
    assert message == "model 'knee': unknown body 'femr'; did you mean 'femur'? Known: femur, tibia."
    assert str(unknown_name("body", "x", [])) == "unknown body 'x'. There is no body here."


def test_a_study_name_that_is_taken_is_refused(monkeypatch):
    import fake_study

    for name in ("first", "second"):
        module = ModuleType(f"condyle.studies.{name}")
        module.STUDY = fake_study.STUDY
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(studies, "MODULES", ("first", "second"))
    with pytest.raises(cd.InputError, match=r"'falling-stone' is defined twice.*condyle\.studies\.second"):
        studies.names()
