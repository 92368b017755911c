"""A run that is looked at while it goes on: a hook that keeps some of its states and serves a page of them."""

from __future__ import annotations

import sys
import threading
import time
import webbrowser
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from condyle.analysis.inverse import as_result
from condyle.progress import notebook
from condyle.report.page import MOST_FRAMES, page_data, page_text
from condyle.report.preview import preview
from condyle.report.server import LOOPBACK, PageServer
from condyle.system.compile import compile
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.integrators.driver import StepInfo
    from condyle.model.given import Json
    from condyle.model.model import Model
    from condyle.results.result import Result
    from condyle.system.state import Batch

__all__ = ["LiveView"]

REST = 5.0  # the page is made anew after so many times the time that this took, so that the run has the processor
OF_A_BATCH = 20  # states that are kept of one batch of compiled steps
NUMBERS = ("kinetic", "stored", "gravity", "total", "work", "constraint_error", "iterations")


class LiveView:
    """Shows a run in a browser, or in a notebook below the cell, while it goes on: ``simulate(…, hooks=[LiveView(model)])``.

    The page is served to this machine only (unless another `host` is given), at an address that holds a secret. It asks once
    a second whether the run has come further. When the run is over it stays as it is until `close`, or until the program
    ends; `wait` keeps a script from ending.

    Parameters
    ----------
    model : what is simulated
    frames : keep and show at most so many states, evenly spread over the steps so far
    fields : stress and strain of solids, contact pressure; without them a page of a large solid is made sooner
    browser : open one as the run begins; by default unless this is a notebook
    host, port : where to listen; port 0 takes a free one
    height : of the frame in a notebook [pixels]
    """

    def __init__(self, model: Model, *, frames: int = MOST_FRAMES, fields: bool = True, browser: bool | None = None,
                 host: str = LOOPBACK, port: int = 0, height: int = 640) -> None:  # fmt: skip
        self._system = RunningSystem(compile(model))
        self._before = preview(model)
        self._options: dict[str, Any] = {"title": model.name, "frames": frames, "fields": fields, "live": True}
        self._most, self._browser, self._height = frames, browser, height
        self._kept: list[tuple[State, dict[str, Any]]] = []
        self._stride, self._count = 1, 0
        self._lock, self._making = threading.Lock(), threading.Lock()
        self._version, self._next = "0", 0.0
        self._status, self._method = "unfinished", dict[str, Any]()
        self._server = PageServer(self._page, self._data, self._newest, host=host, port=port)
        self._server.start()

    @property
    def address(self) -> str:
        """Where the page is, with its secret."""
        return self._server.address

    def result(self) -> Result:
        """What is known of the run, as a result; before the first state, the model as it is declared."""
        with self._lock:
            kept = list(self._kept)
        if not kept:
            return self._before
        states, told = zip(*kept, strict=True)
        method = self._method or None
        return as_result(self._system, list(states), "live view", list(told), status=self._status, integrator=method)

    def close(self) -> None:
        """Stop serving the page."""
        self._server.close()

    def wait(self) -> None:
        """Keep the page until the program is interrupted (Ctrl+C)."""
        try:
            while True:
                time.sleep(3600.0)
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self._height}px;border:1px solid #ccc"
        return f'<iframe src="{escape(self.address, quote=True)}" style="{style}"></iframe>'

    # --- as a hook of a run -------------------------------------------------------------------------------------------

    def of_run(self, integrator: Mapping[str, Json]) -> None:
        """A run begins; at which times its joint forces belong depends on the method."""
        self._status, self._method = "unfinished", dict(integrator)

    def ended(self, status: str) -> None:
        """The run is over."""
        with self._lock:
            self._status = status
        self._next = 0.0  # the processor is free now

    def begun(self, state: State, scalars: Mapping[str, Json]) -> None:
        """Keep the first state, and open the page."""
        with self._lock:
            self._kept, self._stride, self._count = [], 1, 0
        self._keep(state.copy(), {**scalars, "step": 0.0, "iterations": 0, "cuts": 0})
        self._open()

    def stepped(self, state: State, scalars: Mapping[str, Json], info: StepInfo, number: int) -> None:
        """Keep the state, if it is one of those that are kept."""
        self._count += 1
        if self._count % self._stride == 0:
            self._keep(state.copy(), dict(scalars))

    def advanced(self, batch: Batch, number: int) -> None:
        """Keep some of the states of many steps."""
        first = number - len(batch.scalars) + 1
        places = np.unique(np.linspace(0, len(batch.frames) - 1, min(OF_A_BATCH, len(batch.frames))).astype(int))
        for place in places:
            row = int(batch.frames[place]) - first
            memory = {name[7:]: np.array(a[place]) for name, a in batch.kept.items() if name.startswith("memory/")}
            x, v, multipliers, turns = (np.array(batch.kept[n][place]) for n in ("x", "v", "multipliers", "turns"))
            told = dict(zip(NUMBERS, batch.scalars[row], strict=False))
            told |= {"linear_momentum": batch.linear[row], "angular_momentum": batch.angular[row]}
            told |= {"step": float(batch.sizes[row]), "cuts": 0}
            self._keep(State(float(batch.times[row]), x, v, multipliers, memory, turns), told)

    def _keep(self, state: State, told: dict[str, Any]) -> None:
        with self._lock:
            self._kept.append((state, told))
            if len(self._kept) > 2 * max(self._most, 2):  # from now on every other one; the first and the last stay
                self._kept = [*self._kept[:-1:2], self._kept[-1]]
                self._stride *= 2

    # --- the page -----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        if notebook() is not None:
            from IPython.display import display

            display(self)
        elif self._browser is not False:
            print(f"condyle: live view: {self.address}", file=sys.stderr, flush=True)
            webbrowser.open(self.address)

    def _newest(self) -> str:
        """Changes when there is more to see, but not before the run has had its share of the processor."""
        now = time.monotonic()
        with self._lock:
            reached = f"{len(self._kept)} {self._kept[-1][0].t!r} {self._status}" if self._kept else "0"
        if now >= self._next:
            self._version = reached
        return self._version

    def _page(self) -> str:
        with self._making:
            return page_text(self.result(), **self._options)

    def _data(self) -> tuple[dict[str, Any], str]:
        with self._making:
            began = time.monotonic()
            found = page_data(self.result(), **self._options)
            self._next = time.monotonic() + REST * (time.monotonic() - began)
        return found
