"""Compiled kernels are kept on disk, found again, and never found when a source has changed."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import condyle.laws.kernel as kernel_module
from condyle.laws.kernel import cache_folder, kernel, warmup
from condyle.laws.sources import kernel_sources, read_source, source_hash

CALLEE = """
    from condyle.laws.kernel import kernel

    @kernel(inline="always")
    def square(x):
        return x * x

    @kernel
    def norm_squared(x):
        s = 0.0
        for i in range(x.size):
            s += square(x[i])
        return s
"""

CALLER = """
    import math
    from typing import NamedTuple

    import numpy as np

    from condyle.laws.kernel import kernel, warmup_task
    from callee import norm_squared

    class Inner(NamedTuple):
        a: np.ndarray
        count: int

    class Outer(NamedTuple):
        x: np.ndarray
        inner: Inner

    @kernel
    def total(outer):
        return norm_squared(outer.x) + outer.inner.count * norm_squared(outer.inner.a)

    @warmup_task
    def compile_total():
        return total(Outer(np.ones(3), Inner(np.ones(2), 2)))

    def fail():
        raise ValueError("on purpose")
"""

REPORT = """
    import numba
    before = numba.config.CACHE_DIR
    import caller
    assert numba.config.CACHE_DIR == before
    assert caller.compile_total() == 7.0
    print(sum(caller.total.stats.cache_hits.values()), sum(caller.total.stats.cache_misses.values()))
"""


@kernel
def classify(x):
    return np.isnan(x), np.isfinite(x), 1.0 / x


def test_nan_is_recognised_and_division_by_zero_gives_infinity():
    assert classify(np.nan)[:2] == (True, False)
    assert classify(np.inf)[:2] == (False, False)
    assert classify(2.0) == (False, True, 0.5)
    assert classify(0.0)[2] == np.inf
    assert list(cache_folder().glob("*/*.nbi"))


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


@kernel
def second_half(pair):
    n = pair.a.size // 2
    return Pair(pair.a[n:], pair.b[n:])


@kernel
def dot(pair):
    total = 0.0
    for i in range(pair.a.size):
        total += pair.a[i] * pair.b[i]
    return total


@kernel
def dot_of_half(n):
    half = second_half(Pair(np.arange(n) * 1.0, np.ones(n)))  # the whole is not used any more
    other = np.full(n, np.nan)  # would take its place if it were given back
    return dot(half) + 0.0 * np.isnan(other[0])


def test_views_that_a_kernel_returns_keep_their_arrays_alive():
    assert dot_of_half(1000) == np.arange(500, 1000).sum()


def test_arguments_are_borrowed_and_their_references_are_not_counted():
    pair = Pair(np.arange(4.0), np.ones(4))
    assert dot(pair) == 6.0
    before = sys.getrefcount(pair.a)
    dot(pair)
    after = sys.getrefcount(pair.a)
    assert after == before
    fresh = kernel(cache=False)(dot.py_func)  # code from the cache cannot be inspected
    fresh(pair)
    code = fresh.inspect_llvm()[fresh.signatures[0]]
    body = code[code.index("define") : code.index("\n}")]
    assert "NRT_incref" not in body and "NRT_decref" not in body


@kernel
def long_sum(x):
    total, other = 0.0, 1.0
    for i in range(x.size):
        total += 1.1 * x[i] * x[i] + 0.3 * x[i]
        other = 0.99 * other + total * np.sin(x[i]) + np.exp(-x[i]) * np.cos(0.1 * x[i]) + np.log(1.0 + x[i] ** 2)
    for i in range(x.size):
        other += np.arctan2(x[i], total) * np.sinh(0.1 * x[i]) / (1.0 + np.sqrt(abs(other)) + np.tanh(x[i]) ** 2)
    return total + other


@kernel
def sum_of_sums(x):
    return long_sum(x) + long_sum(x[1:]) + long_sum(x[:-1]) + long_sum(x[2:]) + long_sum(x[:-2])


def test_a_kernel_calls_its_own_copy_of_another_one():
    """Else the order of loading decides which copy it calls: cold and warm runs would differ in the last digits."""
    fresh = kernel(cache=False)(sum_of_sums.py_func)
    fresh(np.linspace(0.1, 1.7, 101))
    library = next(iter(fresh.overloads.values())).library
    defined = {f.name: f.linkage.name for f in library._final_module.functions if not f.is_declaration}
    assert not any("long_sum" in f.name for f in library._final_module.functions if f.is_declaration)
    assert all(linkage == "internal" for name, linkage in defined.items() if "sum_of_sums" not in name)
    linked = {f.name: f.linkage.name for f in library._get_module_for_linking().functions if f.name in defined}
    assert set(linked.values()) == {"linkonce_odr"}  # callers still merge what they have twice


def test_a_kernel_inside_a_function_is_refused():
    with pytest.raises(TypeError, match="top level"):

        @kernel
        def local(x):
            return x


@pytest.fixture
def project(tmp_path):
    """A folder with two kernel modules, and a function that runs a program there with its own cache."""
    (tmp_path / "callee.py").write_text(textwrap.dedent(CALLEE))
    (tmp_path / "caller.py").write_text(textwrap.dedent(CALLER))
    source = Path(kernel_module.__file__).parents[2]
    path = os.pathsep.join([str(tmp_path), str(source)])
    environment = os.environ | {"CONDYLE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": path}

    def run(program):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(program)], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_second_process_loads_kernels_of_nested_named_tuples_from_disk(project):
    assert project(REPORT).split() == ["0", "1"]
    assert project(REPORT).split() == ["1", "0"]


def test_warmup_compiles_in_processes_of_their_own_and_reports_failures(project):
    program = """
        import caller
        from condyle.laws.kernel import cache_folder, clear_cache, warmup
        is_warm = lambda: any(cache_folder().glob("*/*.nbi"))
        reports = list(warmup()) + list(warmup(["caller:fail"]))
        print([(r.task, (r.error or "none").splitlines()[-1]) for r in reports], is_warm(), end=" ")
        clear_cache()
        print(is_warm())
    """
    expected = "[('caller:compile_total', 'none'), ('caller:fail', 'ValueError: on purpose')] True False\n"
    assert project(program) == expected


def test_the_folder_is_known_without_importing_numba(project):
    program = f"""
        import runpy, sys
        module = runpy.run_path({kernel_module.__file__!r})  # alone, without what the package imports
        print(module["cache_folder"]().name, module["is_warm"](), "numba" in sys.modules)
    """
    name, warm, numba_imported = project(program).split()
    assert (warm, numba_imported) == ("False", "False")
    assert (
        project("import numba\nfrom condyle.laws.kernel import cache_folder\nprint(cache_folder().name)") == f"{name}\n"
    )


@pytest.mark.parametrize(
    "importing",
    [
        "from condyle.laws.constants import STIFFNESS",
        "from condyle.laws.constants import (\n    STIFFNESS,\n)",
        "from condyle.laws import (\n    constants,\n)",
        "from .constants import STIFFNESS",
        "from . import constants",
        "from ..laws import constants",
        "import condyle.laws.constants as constants",
        "from condyle.laws.between import STIFFNESS",
    ],
)
def test_a_change_in_a_kernel_or_in_what_it_imports_changes_the_folder(tmp_path, monkeypatch, importing):
    package = tmp_path / "condyle"
    (package / "laws").mkdir(parents=True)
    spring = package / "laws" / "spring.py"
    spring.write_text(f"{importing}\nfrom condyle.laws.kernel import kernel\n\n@kernel\ndef force(x):\n    return x\n")
    (package / "laws" / "between.py").write_text("from condyle.laws.constants import STIFFNESS\n")

    def fresh(source=None):
        read_source.cache_clear()
        return source_hash(package, source)

    hashes, own = [fresh()], [fresh(spring)]
    assert fresh() == hashes[0] and fresh(spring) == own[0]
    for value in (1.0, 2.0):
        (package / "laws" / "constants.py").write_text(f"STIFFNESS = {value}\n")
        hashes.append(fresh())
        own.append(fresh(spring))
    (package / "report.py").write_text("TITLE = 'no kernel imports this'\n")
    assert fresh() == hashes[-1]
    (package / "laws" / "muscle.py").write_text(
        "from condyle.laws.kernel import kernel\n\n@kernel\ndef pull(x):\n    return x\n"
    )
    assert fresh(spring) == own[-1] and fresh() != hashes[-1]  # another module's kernel is not in this one's code
    spring.write_text(spring.read_text() + "\n# changed\n")
    hashes.append(fresh())
    own.append(fresh(spring))
    read_source.cache_clear()
    assert len(set(hashes)) == 4 and len(set(own)) == 4


def test_compiled_code_does_not_depend_on_models_bodies_joints_and_results():
    """Else every edit there would compile everything again, which takes minutes."""
    package = Path(kernel_module.__file__).resolve().parent.parent
    files = {Path(file).relative_to(package) for file in kernel_sources(str(package))}
    rooms = {file.parts[0] for file in files}
    assert rooms <= {"laws", "solvers", "system", "integrators", "geometry", "errors.py", "bounds.py"}


def test_sources_are_read_once_for_all_hashes(monkeypatch):
    package = Path(kernel_module.__file__).resolve().parent.parent
    source_hash(package)
    read = []
    monkeypatch.setattr(Path, "read_text", lambda path, **options: read.append(path))
    source_hash(package)
    assert not read


def test_only_folders_that_nobody_used_lately_are_removed(tmp_path, monkeypatch):
    now = time.time()
    monkeypatch.setattr(kernel_module, "FOLDERS_KEPT", 3)
    for age in range(6):  # kernels-0 is the newest; 4 and 5 were last used more than a day ago
        folder = tmp_path / f"kernels-{age}"
        folder.mkdir()
        os.utime(folder, (now - 22000 * age - 60, now - 22000 * age - 60))
    kernel_module._remove_old_folders(tmp_path / "kernels-0")
    assert sorted(f.name for f in tmp_path.iterdir()) == [f"kernels-{age}" for age in range(4)]


def test_a_folder_that_cannot_be_written_is_replaced_by_a_temporary_one(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("CONDYLE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(kernel_module.tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    folder = cache_folder.__wrapped__()
    assert folder.is_dir()
    assert folder.parent.parent == tmp_path / "temporary"


def test_warmup_without_tasks_does_nothing():
    assert list(warmup([])) == []


TWO = """
    from numba import types

    from condyle.laws.kernel import kernel, separate

    @separate(types.float64(types.float64))
    def twice(x):
        return 2.0 * x

    @separate(types.float64(types.float64))
    def fourfold(x):
        return twice(twice(x))

    @kernel
    def call(x):
        return fourfold(x)
"""


def test_kernels_that_are_compiled_side_by_side_are_such_that_can_be_compiled_ahead():
    from importlib import import_module

    from condyle.laws import precompile

    for name, module in (precompile.STEPS | precompile.JOBS).items():
        import_module(module)
        assert name in kernel_module._ahead


def test_a_process_compiles_one_kernel_and_not_what_it_calls(project, tmp_path):
    (tmp_path / "two.py").write_text(textwrap.dedent(TWO))
    project(
        """
        import two
        from condyle.laws import kernel
        kernel.compile_ahead("fourfold")
        assert [name for name, made in kernel._Separate.known.items() if made.code] == ["fourfold"]
        """
    )
    project("import two; assert two.call(1.5) == 6.0")


def test_a_kernel_of_its_own_is_compiled_when_it_is_first_called(project, tmp_path):
    (tmp_path / "two.py").write_text(
        textwrap.dedent(TWO).replace("return fourfold(x)", "return fourfold(x) if x > 0 else x")
    )
    for hits in (0, 1):  # the second time from the cache
        project(
            f"""
            import two
            from condyle.laws.kernel import _Separate
            assert two.call(-1.5) == -1.5
            assert not any(made.code for made in _Separate.known.values())
            assert two.call(1.5) == 6.0 and two.call(2.5) == 10.0
            assert all(made.code for made in _Separate.known.values())
            assert sum(two.call.stats.cache_hits.values()) == {hits}
            """
        )


def test_who_waits_for_a_kernel_does_something_else_meanwhile(tmp_path):
    import threading

    from condyle.laws.once import do_meanwhile, one_process_at_a_time

    done, got = [], []

    def job() -> bool:
        done.append(len(done))
        return len(done) < 3

    def wait() -> None:
        with one_process_at_a_time(tmp_path, "spring") as ours:
            got.append(ours)

    with one_process_at_a_time(tmp_path, "spring"):
        do_meanwhile(job)
        waiting = threading.Thread(target=wait)
        waiting.start()
        for _ in range(500):
            if len(done) == 3:
                break
            time.sleep(0.01)
        assert not got
    waiting.join(timeout=10.0)
    assert done == [0, 1, 2] and got == [True]


def test_a_kernel_is_compiled_by_one_process_while_the_others_wait(tmp_path):
    import threading

    from condyle.laws.once import one_process_at_a_time

    order = []

    def later():
        with one_process_at_a_time(tmp_path, "spring") as ours:
            order.append(("later", ours))

    with one_process_at_a_time(tmp_path, "spring") as ours:
        assert ours
        with one_process_at_a_time(tmp_path, "spring", wait=False) as second:
            assert not second
        with one_process_at_a_time(tmp_path, "damper", wait=False) as another:
            assert another
        thread = threading.Thread(target=later)
        thread.start()
        thread.join(0.2)
        order.append(("first", ours))
    thread.join(10.0)
    assert order == [("first", True), ("later", True)]


def test_what_another_process_compiles_is_left_to_it(project, tmp_path):
    (tmp_path / "two.py").write_text(textwrap.dedent(TWO))
    project(
        """
        import two
        from condyle.laws import kernel, once
        made = kernel._Separate.known["fourfold"]
        with once.one_process_at_a_time(kernel.cache_folder(kernel._source_of(made.function)), "fourfold"):
            kernel.compile_ahead("fourfold", wait=False)
            assert made.code is None
        kernel.compile_ahead("fourfold", wait=False)
        assert made.code is not None
        """
    )


def test_a_list_of_compiled_forms_that_cannot_be_read_is_made_anew(project, tmp_path):
    (tmp_path / "mine.py").write_text(
        textwrap.dedent(
            """
            from typing import NamedTuple

            import numpy as np

            class Mine(NamedTuple):
                state: np.ndarray
            """
        )
    )
    call = "from condyle.integrators.extrapolation import is_known; assert not is_known({}(np.zeros(6)))"
    project("import numpy as np; from mine import Mine; " + call.format("Mine"))
    (tmp_path / "mine.py").rename(tmp_path / "yours.py")
    (tmp_path / "yours.py").write_text((tmp_path / "yours.py").read_text().replace("Mine", "Yours"))
    project("import numpy as np; from yours import Yours; " + call.format("Yours"))


def test_warmup_compiles_every_kernel_that_is_compiled_on_its_own():
    import re
    from importlib import import_module

    from condyle.analysis import warmup
    from condyle.laws import kernel as kernels

    for module in warmup.MODULES:
        import_module(module)
    known = set(kernels.separate_kernels())
    source = Path(kernels.__file__).parent.parent
    written = {
        name
        for path in source.rglob("*.py")
        if path.name != "kernel.py"
        for name in re.findall(r"^@separate\((?:.|\n)*?^def (\w+)", path.read_text(), re.M)
    }
    assert written <= known and set(warmup.IN_THE_RUN) <= written


def test_warmup_compiles_what_every_integrator_calls():
    """After the warm-up no kernel is compiled for other types by any integrator, on another model."""
    program = """
import gc
import condyle as cd
from condyle.analysis import warmup
from condyle.integrators.registry import known_integrators
from numba.core.dispatcher import Dispatcher

def forms():
    kernels = [d for d in gc.get_objects() if isinstance(d, Dispatcher) and d.py_func.__module__.startswith("condyle")]
    return {f"{d.py_func.__qualname__} {types}" for d in kernels for types in d.overloads}

warmup.compile_engine()
before = forms()
assert len(before) > 20
model = cd.Model(dimension=2, gravity=(0, -9.81))
bar = model.add(cd.RigidBody.box("bar", (1.0, 0.1), 10.0, position=(0.5, 0)))
model.add(cd.Pin("pin", model.ground, bar, at=(0, 0)))
model.add(cd.Spring("cord", model.ground.at(0, 1), bar.at(0.5, 0), 100.0))
for make in known_integrators().values():
    cd.simulate(model, end=0.002, dt=0.001, integrator=make())
assert forms() == before, forms() - before
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
