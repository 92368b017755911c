"""Files from strangers, bad disks and killed writers: nothing in them is run, nothing hangs, one message, nothing is lost."""

import json
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import condyle as cd
import strangers
from condyle.cli import main
from condyle.results import probe
from strangers import DELETE, NUMBERS, ODD, damage, look_here, parts_of_a_file, places, run

QUICK = {"derandomize": True, "deadline": None, "database": None}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A sound results file."""
    file = tmp_path_factory.mktemp("sound") / "run.h5"
    run(file)
    return file


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def resumed_or_refused(file):
    """A run goes on and all its numbers are finite, or one message names the file and leaves it as it is."""
    before = file.read_bytes()
    try:
        result = cd.resume(file, end=0.3)
    except cd.ConvergenceError:
        return
    except cd.CondyleError as error:
        assert str(file) in str(error)
        assert file.read_bytes() == before
        assert [path.name for path in file.parent.iterdir()] == [file.name]
        return
    assert all(np.isfinite(values).all() for values in result.energy.values())
    assert np.isfinite(result.state(-1).x).all()


def shown_or_refused(file, capsys):
    code = main(["show", str(file)])
    said = capsys.readouterr()
    assert code in (0, 2)
    if code == 2:
        assert said.err.startswith("condyle: error: ") and str(file) in said.err and said.err.count("\n") == 1
    assert "nan" not in said.out


# --- code -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["check", "simulate", "Model", "load", "os", "__import__", "Solid", None, 7, ["BDF"]])
def test_the_name_of_an_integrator_in_a_file_is_looked_up_among_integrators_only(name, sound, tmp_path, monkeypatch):
    look_here(monkeypatch)
    file = shutil.copy(sound, tmp_path / "run.h5")
    (tmp_path / "run.pyc").write_text("raise SystemExit")
    with h5py.File(file, "r+") as f:
        f.attrs["integrator"] = json.dumps({"name": name, "what": "run.pyc", "multiplier_time": 0.5})
    before = Path(file).read_bytes()
    with pytest.raises(cd.InputError, match=r"run\.h5.*the integrator .* is not known here"):
        cd.resume(file, end=0.3)
    assert Path(file).read_bytes() == before


def test_a_file_can_name_every_integrator_that_is_known(tmp_path):
    for method in (
        cd.BDF(order=1),
        cd.HHT(alpha=0.1),
        cd.EnergyMomentum(newton=cd.ModifiedNewton(0.1)),
        cd.RungeKutta(),
    ):
        file = tmp_path / f"{type(method).__name__}.h5"
        run(file, method)
        assert cd.resume(file, end=0.3).times[-1] == pytest.approx(0.3)


CODE = [{"type": "Function", "call": "stranger:act"}, "stranger:act", {"type": "Integral", "rate": "stranger:act"}]


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    """A module that leaves a mark when it is imported."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "stranger.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\ndef act(t):\n    return 1.0\n")
    monkeypatch.syspath_prepend(str(folder))
    yield tmp_path / "mark"
    sys.modules.pop("stranger", None)


@pytest.mark.parametrize("call", CODE, ids=["Function", "text", "within another"])
def test_a_model_file_runs_code_only_if_that_is_allowed(call, stranger, tmp_path, capsys):
    data = strangers.arm().to_dict()
    data["parts"][-1]["scale"] = call
    file = tmp_path / "model.json"
    file.write_text(json.dumps(data))
    with pytest.raises(cd.InputError, match=r"model\.json.*Load 'push'.*stranger:act.*--allow-code"):
        cd.Model.load(file)
    command = ["simulate", str(file), "--end", "0.02", "--dt", "0.01", "--out", str(tmp_path / "out.h5")]
    assert main(command) == 2
    assert "--allow-code" in capsys.readouterr().err
    assert not stranger.exists()
    assert main([*command, "--allow-code"]) == 0
    assert stranger.exists()


def test_the_model_in_a_results_file_runs_code_only_if_that_is_allowed(sound, stranger, tmp_path, capsys, monkeypatch):
    look_here(monkeypatch)
    file = shutil.copy(sound, tmp_path / "run.h5")
    with h5py.File(file, "r+") as f:
        at = json.loads(f["model"].asstr()[()])
    damage(file, "dataset", "model", ("parts", len(at["parts"]) - 1, "scale"), CODE[0])
    assert main(["show", str(file)]) == 0
    with pytest.raises(cd.InputError, match=r"run\.h5.*stranger:act"):
        cd.load(file).position("bar")
    with pytest.raises(cd.InputError, match=r"run\.h5.*stranger:act"):
        cd.resume(file, end=0.3)
    assert main(["resume", str(file), "--end", "0.3"]) == 2
    assert not stranger.exists()
    assert cd.load(file, allow_code=True)[2:4].position("bar").shape == (2, 2)
    assert stranger.exists()


def test_a_file_leads_nowhere_else(sound, tmp_path, monkeypatch):
    """Links out of the file, arrays that are kept in another one, and links that go round in circles."""
    look_here(monkeypatch)
    (tmp_path / "secret").write_bytes(bytes(10**5))

    def soft(f):
        del f["frames/x"]
        f["frames/x"] = h5py.SoftLink("/frames/v")

    def external(f):
        del f["frames/x"]
        f["frames/x"] = h5py.ExternalLink(str(sound), "/frames/x")

    def outside(f):
        shape = f["frames/x"].shape
        del f["frames/x"]
        f.create_dataset("frames/x", shape=shape, dtype="f8", external=[(str(tmp_path / "secret"), 0, 10**5)])

    def virtual(f):
        shape = f["frames/x"].shape
        del f["frames/x"]
        layout = h5py.VirtualLayout(shape=shape, dtype="f8")
        layout[:] = h5py.VirtualSource(str(sound), "frames/x", shape=shape)
        f.create_virtual_dataset("frames/x", layout)

    def circle(f):
        f["frames/memory/again"] = f["frames"]

    for change in (soft, external, outside, virtual, circle):
        file = tmp_path / f"{change.__name__}.h5"
        shutil.copy(sound, file)
        with h5py.File(file, "r+") as f:
            change(f)
        with pytest.raises(cd.InputError, match=rf"{change.__name__}\.h5.*damaged"):
            cd.load(file)


# --- damage -----------------------------------------------------------------------------------------------------------


@settings(max_examples=150, **QUICK)
@given(data=st.data())
def test_every_attribute_and_dataset_may_be_anything(sound, data):
    kind, name, path = data.draw(st.sampled_from(list(parts_of_a_file(sound))))
    value = data.draw(st.sampled_from([DELETE, *ODD] if path is not None else [DELETE, *ODD, *NUMBERS]))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        look_here(patch)
        file = Path(shutil.copy(sound, folder))
        damage(file, kind, name, path, value)
        _load_or_refuse(file)
        resumed_or_refused(file)


def _load_or_refuse(file):
    """All that is in a result can be read and is finite, or a message names the file."""
    try:
        result = cd.load(file)
        result.summary(), result.part_names, repr(result)
        numbers = [*result.energy.values(), result.state(-1).x, result.position("bar"), result.joint_force("hinge")]
    except cd.CondyleError as error:
        assert str(file) in str(error)
        return
    assert all(np.isfinite(values).all() for values in numbers)


@settings(max_examples=100, **QUICK)
@given(data=st.data())
def test_every_place_in_a_model_file_may_be_anything(data):
    plain = strangers.arm().to_dict()
    path = data.draw(st.sampled_from(list(places(plain))))
    value = data.draw(st.sampled_from(ODD if not path else [DELETE, *ODD]))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        file.write_text(json.dumps(strangers.changed(plain, path, value)))
        try:
            result = cd.simulate(cd.Model.load(file), end=0.02, dt=0.01, on_failure="return")
        except cd.CondyleError as error:
            assert str(error)
            return
        assert all(np.isfinite(values).all() for values in result.energy.values())


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "[" * 100_000, '{"parts": 3}', '{"parts": [3]}', '{"parts": [[]]}']
)
def test_a_model_file_that_is_none_is_named(text, tmp_path, capsys):
    file = tmp_path / "model.json"
    file.write_text(text)
    assert main(["simulate", str(file), "--end", "1", "--dt", "0.1"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("condyle: error: ") and str(file) in said and said.count("\n") == 1


def test_bytes_that_are_no_text_are_named(tmp_path):
    (tmp_path / "model.json").write_bytes(b"\xff\xfe\x00{")
    with pytest.raises(cd.InputError, match=r"model\.json"):
        cd.Model.load(tmp_path / "model.json")


@pytest.mark.parametrize("seed", range(6))
def test_flipped_and_missing_bytes_end_in_a_message(seed, sound, tmp_path, capsys, monkeypatch):
    """Seen by a process of its own: what HDF5 makes of them may hang or crash it."""
    monkeypatch.setattr(probe, "SECONDS", 3.0)
    random = np.random.default_rng(seed)
    content = bytearray(sound.read_bytes())
    if seed % 3 == 2:
        del content[int(random.integers(len(content))) :]
    else:
        for place in random.integers(len(content) if seed % 2 else 4096, size=3):
            content[place] ^= 1 << int(random.integers(8))
    file = tmp_path / "run.h5"
    file.write_bytes(content)
    shown_or_refused(file, capsys)
    resumed_or_refused(file)


def unfinished(sound, file):
    """The file as a killed run leaves it: with the mark of a writer, for whom HDF5 waits."""
    with h5py.File(sound) as old, h5py.File(file, "w", libver=("v110", "v110")) as new:
        for name in old:
            old.copy(name, new)
        for name, value in old.attrs.items():
            new.attrs[name] = value
        new.swmr_mode = True
        new.flush()
        os.sync() if hasattr(os, "sync") else None
        return bytearray(file.read_bytes())


def test_a_damaged_file_of_a_killed_run_does_not_hang(sound, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(probe, "SECONDS", 3.0)
    file = tmp_path / "run.h5"
    content = unfinished(sound, tmp_path / "killed.h5")
    place = content.find(b"OHDR", 60)  # the first object after the superblock: its checksum does not hold any more
    content[place + 20] ^= 1
    file.write_bytes(content)
    (tmp_path / "killed.h5").unlink()
    with pytest.raises(cd.InputError, match=r"run\.h5.*damaged"):
        cd.load(file)
    assert main(["resume", str(file)]) == 2
    assert bytes(content) == file.read_bytes()


def test_a_reader_that_is_killed_says_that_the_file_is_damaged(sound, monkeypatch):
    monkeypatch.setattr(probe, "_BAD", 99)  # whatever ends it
    damaged = sound.with_name("short.h5")
    damaged.write_bytes(sound.read_bytes()[:600])
    with pytest.raises(cd.InputError, match=r"short\.h5.*damaged"):
        cd.load(damaged)
    damaged.unlink()


# --- a run goes on with itself only -----------------------------------------------------------------------------------


def test_resume_refuses_what_is_not_the_run_in_the_file(sound, tmp_path, monkeypatch):
    look_here(monkeypatch)
    file = Path(shutil.copy(sound, tmp_path))
    other = strangers.arm()
    other["bar"].mass = 2.0
    more = strangers.arm()
    more.add(cd.PointMass("stone", 1.0, (1.0, 0.0)))
    before = file.read_bytes()
    for pattern, options in {
        "RigidBody 'bar' differs": {"model": other},
        "only one of them has a part 'stone'": {"model": more},
        "model must be a Model": {"model": strangers.arm().to_dict()},
        r"was computed by EnergyMomentum\(.*not by BDF": {"integrator": cd.BDF(order=2)},
        "integrator must be one": {"integrator": 3},
        "end must be a finite number": {"end": float("nan")},
        r"there are 1e\+302 steps": {"end": 1e300},
    }.items():
        with pytest.raises(cd.InputError, match=pattern):
            cd.resume(file, **{"end": 0.3, **options})
        assert file.read_bytes() == before
    same = cd.resume(file, model=strangers.arm(), integrator=cd.EnergyMomentum(), end=0.3)
    assert same.times[-1] == pytest.approx(0.3)


def test_a_static_result_is_no_run_to_go_on_with(tmp_path, monkeypatch):
    look_here(monkeypatch)
    file = tmp_path / "hang.h5"
    cd.solve_static(strangers.arm(), file=file)
    with pytest.raises(cd.InputError, match=r"hang\.h5' holds no run in time"):
        cd.resume(file, end=1.0)


def test_a_state_that_does_not_move_as_the_steps_say_is_noticed(sound, tmp_path, monkeypatch):
    look_here(monkeypatch)
    file = Path(shutil.copy(sound, tmp_path))
    with h5py.File(file, "r+") as f:
        f["frames/v"][...] *= 1.01
    with pytest.raises(cd.InputError, match=r"run\.h5.*tell different motions"):
        cd.resume(file, end=0.3)


def test_a_resumed_run_that_fails_before_it_comes_further_leaves_the_file_as_it_is(sound, tmp_path, monkeypatch):
    look_here(monkeypatch)
    file = Path(shutil.copy(sound, tmp_path))
    before = file.read_bytes()

    def broken(sim):
        raise ZeroDivisionError("no gain")

    with pytest.raises(cd.InputError, match=r"controller 'broken' failed: ZeroDivisionError: no gain"):
        cd.resume(file, end=0.3, controllers=[broken])
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]


def test_results_are_not_overwritten_unasked(sound, tmp_path, capsys):
    file, model = tmp_path / "run.h5", tmp_path / "arm.json"
    shutil.copy(sound, file)
    strangers.arm().save(model)
    before = file.read_bytes()
    command = [
        "simulate",
        str(model),
        "--end",
        "0.02",
        "--dt",
        "0.01",
        "--out",
        str(file),
        "--integrator",
        "HHT(alpha=0.1)",
    ]
    assert main(command) == 2
    assert "left alone" in capsys.readouterr().err and file.read_bytes() == before
    with pytest.raises(cd.InputError, match="exists already and was left alone"):
        cd.simulate(strangers.arm(), end=0.1, dt=0.01, file=file)
    with pytest.raises(cd.InputError, match="exists already and was left alone"):
        cd.simulate(strangers.arm(), end=0.1, dt=0.01).save(file)
    assert file.read_bytes() == before
    assert main([*command, "--overwrite"]) == 0
    assert cd.load(file).integrator["name"] == "HHT" and cd.load(file).integrator["alpha"] == 0.1
    assert main([*command[:-1], "Eulre"]) == 2
    assert "unknown integrator 'Eulre'" in capsys.readouterr().err
