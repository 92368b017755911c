"""The progress bar: a hook of the driver that says on standard error how far a simulation is.

On a terminal it is a live bar with the time reached, step, Newton iterations (last and mean), steps per second and the
estimated time left, and in a notebook the same below the cell; elsewhere (a log file, a pipe) it prints a plain line about
every tenth of the way.
"""

from __future__ import annotations

import sys
from html import escape
from time import perf_counter
from typing import Any, TextIO

__all__ = ["ProgressBar", "notebook"]

REFRESH_INTERVAL = 0.1  # [s] between two redrawings of the live bar
PLAIN_FRACTION = 0.1  # of the way between two plain lines


class ProgressBar:
    """Shows the progress of one simulation at a time; the driver calls ``end`` also when a run fails.

    Parameters
    ----------
    stream : where to write, standard error if None
    unit : of the quantity that advances: "s" for time, empty for a load factor
    """

    _t_start: float  # the whole way [s]
    _t_end: float
    _time: float  # of the last step [s]
    _step: int
    _iterations: int  # of the last step
    _step_count: int
    _iteration_sum: int  # over all steps
    _rate_start: float  # where [s] and when the measurement of the speed began
    _clock_start: float
    _next_refresh: float  # clock time of the next redrawing
    _next_line: float  # simulated time [s] of the next plain line

    def __init__(self, stream: TextIO | None = None, unit: str = "s") -> None:
        self.stream = sys.stderr if stream is None else stream
        self.unit = unit
        self.title = ""
        self._live: Any = None
        self._reset(0.0, 1.0)

    def start(self, t_start: float, t_end: float, title: str = "") -> None:
        """Begin a simulation from ``t_start`` to ``t_end`` [s]."""
        self.title = title
        self._reset(t_start, t_end)
        if self.stream.isatty():
            self._open()
        elif self.stream is sys.stderr and notebook() is not None:
            self._live = _NotebookBar(self.title or "simulation")

    def step(self, t: float, step: int, iterations: int) -> None:
        """Step number ``step`` arrived at time ``t`` [s] after so many Newton iterations.

        Called at every step, so it only counts; drawing happens ten times a second at most.
        """
        now = perf_counter()
        self._time = t
        self._step = step
        self._iterations = iterations
        self._iteration_sum += iterations
        self._step_count += 1
        if self._step_count == 1:  # the first step may have compiled kernels: the rate is measured after it
            self._clock_start = now
            self._rate_start = t
        if self._live is None:
            if t >= self._next_line:
                self._print_line(now)
        elif now >= self._next_refresh:
            self._next_refresh = now + REFRESH_INTERVAL
            self._refresh(now)

    # --- as a hook of a run -------------------------------------------------------------------------------------------

    def begun(self, state: Any, scalars: Any) -> None:
        """Nothing: the bar is opened by `start`, before the first state is known."""

    def stepped(self, state: Any, scalars: Any, info: Any, number: int) -> None:
        """Show that a step was accepted."""
        self.step(state.t, number, info.iterations)

    def advanced(self, batch: Any, number: int) -> None:
        """Show the last of many steps."""
        if len(batch.times):
            self.step(batch.state.t, number, batch.last_iterations)

    def note(self, message: str) -> None:
        """Say something about the run, such as ``compiling kernels, first run only``."""
        if self._live is None:
            self._write(message)
        else:
            self._live.console.print(f"{self._prefix()}{message}", markup=False, highlight=False)
            self._live.refresh()

    def show_compiling(self, message: str) -> bool:
        """Show in the place of the state that kernels are compiled; False where there is no live bar."""
        if self._live is None:
            return False
        self._live.update(self._live.task_ids[0], state=message)
        self._live.refresh()
        return True

    def end(self, status: str = "completed") -> None:
        """The run is over: ``completed``, ``interrupted`` or ``failed``."""
        if self._live is None:
            self._write(f"{status} at {self.reached()}")
            return
        self._refresh(perf_counter(), status)
        self._live.stop()
        self._live = None

    def reached(self) -> str:
        """The state of the run in one line: time, step, Newton iterations."""
        mean = self._iteration_sum / max(self._step_count, 1)
        quantity = "t =" if self.unit else "load factor"
        here = f"{quantity} {self._time:.4g} of {self._t_end:.4g} {self.unit}".rstrip()
        return f"{here}, step {self._step}, Newton {self._iterations} (mean {mean:.1f})"

    def _brief(self) -> str:
        """The same, short enough to leave room for a bar on 80 columns."""
        mean = self._iteration_sum / max(self._step_count, 1)
        here = f"{self._time:.4g}/{self._t_end:.4g} {self.unit}".rstrip()
        return f"{here}, step {self._step}, Newton {self._iterations} ({mean:.1f})"

    def _reset(self, t_start: float, t_end: float) -> None:
        self._t_start, self._t_end = t_start, t_end
        self._time = t_start
        self._step = self._iterations = 0
        self._step_count = self._iteration_sum = 0
        self._rate_start, self._clock_start = t_start, perf_counter()
        self._next_refresh = 0.0
        self._next_line = t_start + PLAIN_FRACTION * (t_end - t_start)

    def _fraction(self) -> float:
        span = self._t_end - self._t_start
        return min(max((self._time - self._t_start) / span, 0.0), 1.0) if span > 0.0 else 1.0

    def _speed(self, now: float) -> str:
        """Steps per second and the estimated time left, once two steps are known."""
        elapsed = now - self._clock_start
        advanced = self._time - self._rate_start
        if self._step_count < 2 or elapsed <= 0.0 or advanced <= 0.0:
            return ""
        left = elapsed * max(self._t_end - self._time, 0.0) / advanced
        return f", {(self._step_count - 1) / elapsed:.3g} steps/s, {_duration(left)} left"

    def _prefix(self) -> str:
        return f"{self.title}: " if self.title else ""

    def _write(self, message: str) -> None:
        self.stream.write(f"{self._prefix()}{message}\n")
        self.stream.flush()

    def _print_line(self, now: float) -> None:
        tenth = PLAIN_FRACTION * (self._t_end - self._t_start)
        while self._next_line <= self._time and tenth > 0.0:
            self._next_line += tenth
        self._write(f"{100 * self._fraction():3.0f} %  {self.reached()}{self._speed(now)}")

    def _open(self) -> None:
        """Open the live bar. It is drawn from ``step`` alone: a drawing thread would take time from the solver."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._live = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=16),
            TextColumn("{task.fields[state]}", markup=False),
            console=Console(file=self.stream),
            auto_refresh=False,
            redirect_stdout=sys.stdout.isatty(),  # prints go above the bar; what is piped goes where it should
        )
        self._live.add_task(self.title or "simulation", total=1.0, state="")
        self._live.start()
        self._live.refresh()

    def _refresh(self, now: float, status: str = "") -> None:
        state = f"{self._brief()}, {status}" if status else f"{self._brief()}{self._speed(now)}"
        self._live.update(self._live.task_ids[0], completed=self._fraction(), state=state)
        self._live.refresh()


class _NotebookBar:
    """A bar below the cell of a notebook, with those calls of rich's `Progress` that are used here."""

    task_ids = (0,)

    def __init__(self, title: str) -> None:
        from IPython.display import display

        self._title, self._done, self._state = title, 0.0, ""
        self.console = self
        self._shown = display({"text/html": self._html()}, raw=True, display_id=True)

    def update(self, task: int, *, completed: float | None = None, state: str = "") -> None:
        """Set how much is done (0 to 1) and what is said about it."""
        self._done, self._state = self._done if completed is None else completed, state

    def refresh(self) -> None:
        """Draw it anew."""
        self._shown.update({"text/html": self._html()}, raw=True)

    def stop(self) -> None:
        """Nothing: the bar stays as it was drawn last."""

    def print(self, message: str, **options: Any) -> None:
        """Say something above the bar."""
        print(message, file=sys.stderr)

    def _html(self) -> str:
        bar = f"<progress max='1' value='{self._done:.4f}' style='width:16em'></progress>"
        return f"<div style='font-family:monospace'>{escape(self._title)} {bar} {escape(self._state)}</div>"


def notebook() -> Any:
    """The shell of a notebook, if this runs in one; else None."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell if shell is not None and hasattr(shell, "kernel") else None


def _duration(seconds: float) -> str:
    """A duration [s] as a person reads it: 8 s, 3 min 20 s, 2 h 05 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
