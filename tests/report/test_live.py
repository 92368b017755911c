"""A run that is looked at while it goes on."""

from __future__ import annotations

import json
import sys
import types
import urllib.request
from typing import Any

import numpy as np
import pytest

import condyle as cd
from browser import CHROMIUM, FLAGS


def pendulum() -> cd.Model:
    model = cd.Model("pendulum", dimension=3, gravity=(0, 0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", size=(0.05, 1.0, 0.05), density=7800.0, position=(0, 0.5, 0)))
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0, 0, 0), axis=(1, 0, 0)))
    return model


def asked(view: cd.LiveView, what: str) -> Any:
    with urllib.request.urlopen(view.address + what) as answer:
        return json.loads(answer.read())


def test_the_page_comes_further_while_the_run_goes_on():
    model = pendulum()
    seen: list[tuple[str, int]] = []
    with cd.LiveView(model, browser=False) as view:
        assert view.address.startswith("http://127.0.0.1:") and len(view.address.split("/")[3]) > 15

        def look(system: Any, state: Any, info: Any) -> None:  # what a browser asks, in the middle of a run
            if abs(state.t % 0.1) < 1e-9 or state.t > 0.295:
                view._next = 0.0  # without waiting for the share of the run
                version, about = asked(view, "version"), asked(view, "data")["about"]
                seen.append((version, len(about["runs"][0]["frames"])))

        assert asked(view, "data")["about"]["runs"][0]["frames"] == [0.0]  # the model, before anything runs
        result = cd.simulate(model, end=0.3, dt=0.01, hooks=[view, look])
        shown = view.result()
    assert len({version for version, _ in seen}) == len(seen) >= 3
    assert [count for _, count in seen] == sorted({count for _, count in seen})
    assert shown.status == "completed"
    assert np.array_equal(shown.multiplier_times, result.multiplier_times)
    assert np.allclose(shown.joint_force("hinge"), result.joint_force("hinge"), rtol=0, atol=1e-9)
    assert np.array_equal(shown.times, result.times)
    assert np.array_equal(shown.position("bar"), result.position("bar"))
    assert np.allclose(shown.energy["total"], result.energy["total"], rtol=0, atol=1e-9)


def test_compiled_steps_are_seen_and_long_runs_keep_few_states():
    model = pendulum()
    with cd.LiveView(model, browser=False, frames=30) as view:
        result = cd.simulate(model, end=20.0, dt=0.005, hooks=[view])
        shown = view.result()
    assert not result.in_python
    assert 10 < len(shown) <= 61 and shown.times[0] == 0.0
    assert np.all(np.diff(shown.times) > 0)
    frames = [result.at(float(t)) for t in shown.times]
    assert np.array_equal(shown.position("bar"), result.position("bar")[frames])


def test_in_a_notebook_the_page_and_the_bar_are_below_the_cell(monkeypatch):
    shown: list[Any] = []

    class Handle:
        def update(self, *given: Any, **options: Any) -> None:
            shown.append(given[0])

    display = types.ModuleType("IPython.display")
    display.display = lambda thing, **options: (shown.append(thing), Handle())[1]  # type: ignore[attr-defined]
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    model = pendulum()
    with cd.LiveView(model) as view:
        cd.simulate(model, end=0.2, dt=0.01, hooks=[view], progress=True)
        assert view in shown and view.address in view._repr_html_() and "<iframe" in view._repr_html_()
    bars = [thing["text/html"] for thing in shown if isinstance(thing, dict)]
    assert "<progress max='1' value='0.0000'" in bars[0]
    assert "value='1.0000'" in bars[-1] and "completed" in bars[-1] and "pendulum" in bars[-1]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_browser_follows_the_run(tmp_path):
    """Chromium opens the page while the run goes on, and has the frames there are."""
    import subprocess
    import threading

    model, seen, closed = pendulum(), threading.Event(), threading.Event()

    def waiting(system: Any, state: Any, info: Any) -> None:
        if state.t > 0.3:  # some frames are there; the run waits for the browser
            seen.set()
            closed.wait(120.0)

    with cd.LiveView(model, browser=False) as view:
        run = threading.Thread(target=lambda: cd.simulate(model, end=0.5, dt=0.01, hooks=[view, waiting]))
        run.start()
        assert seen.wait(300.0)
        flags = [*FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000", "--dump-dom"]
        text = subprocess.run(
            [str(CHROMIUM), *flags, view.address], stdout=subprocess.PIPE, text=True, timeout=120
        ).stdout
        closed.set()
        run.join()
    reached = text.partition('id="time"')[2].partition(">")[0]
    assert 'data-ready="true"' in text
    assert 'max="' in reached and int(reached.partition('max="')[2].partition('"')[0]) > 5, reached
