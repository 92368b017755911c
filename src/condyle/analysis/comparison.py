"""What `condyle.compare` found: a table (text, pandas, JSON) and a work–precision figure."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table

QUANTITIES = ("position", "velocity", "multiplier")
MARKERS = "osD^vP*X<>"
WIDTH = 140  # columns of the text form


@dataclass
class Run:
    """One integrator with one step.

    step [s]; wall_time: seconds of computing per simulated second; iterations: Newton iterations per step; errors are
    relative (see `condyle.compare`), None where there is nothing to compare; energy_drift: largest change of energy
    minus work, relative to the largest energy; momentum_drift: of the components that the model conserves, relative,
    None if it conserves none; constraint_error [m for points]; adaptive: the error does not depend on the step.
    """

    integrator: str
    step: float
    steps: int
    wall_time: float
    iterations: float
    energy_drift: float
    momentum_drift: float | None
    constraint_error: float
    adaptive: bool = False
    message: str = ""
    position_error: float | None = None
    velocity_error: float | None = None
    multiplier_error: float | None = None


@dataclass
class Comparison:
    """All runs of a comparison, integrators in the order given, each with its steps from long to short.

    floor: errors below it are those of the reference and take no part in a fitted order.
    """

    model: str
    end: float
    reference: str
    floor: float
    runs: list[Run] = field(default_factory=list)

    @property
    def integrators(self) -> list[str]:
        """Labels of the integrators."""
        return list(dict.fromkeys(run.integrator for run in self.runs))

    def of(self, integrator: str) -> list[Run]:
        """The runs of one integrator, longest step first."""
        found = [run for run in self.runs if run.integrator == integrator]
        if not found:
            from condyle.errors import unknown_name

            raise unknown_name("integrator", integrator, self.integrators, where="comparison")
        return found

    def order(self, integrator: str, quantity: str = "position") -> float | None:
        """Slope of log error over log step by least squares; None with fewer than two steps above the floor."""
        if quantity not in QUANTITIES:
            raise InputError(f"comparison: quantity is {quantity!r}; choose one of {', '.join(QUANTITIES)}")
        points = [(run.step, getattr(run, f"{quantity}_error")) for run in self.of(integrator) if not run.adaptive]
        points = [(h, error) for h, error in points if error is not None and error > self.floor]
        if len(points) < 2:
            return None
        h, error = np.log(np.array(points)).T
        return float(np.polyfit(h, error, 1)[0])

    def orders(self) -> dict[str, dict[str, float | None]]:
        """Fitted orders by integrator and quantity."""
        return {name: {q: self.order(name, q) for q in QUANTITIES} for name in self.integrators}

    def rows(self) -> list[dict[str, Any]]:
        """The table as plain dictionaries, fitted orders included."""
        orders = self.orders()
        return [{**asdict(run), **{f"{q}_order": orders[run.integrator][q] for q in QUANTITIES}} for run in self.runs]

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a DataFrame, one row per run."""
        try:
            import pandas
        except ImportError:
            raise InputError("to_pandas needs pandas: pip install condyle[tables]") from None
        return pandas.DataFrame(self.rows())

    def to_json(self) -> dict[str, Any]:
        """Everything as plain data for strict JSON; what is not finite becomes None."""
        runs = [{k: _finite(value) for k, value in row.items()} for row in self.rows()]
        return {"model": self.model, "end": self.end, "reference": self.reference, "floor": self.floor, "runs": runs}

    def table(self) -> Table:
        """The table for a terminal (a rich Table)."""
        from rich import box
        from rich.table import Table
        from rich.text import Text

        title = f"{self.model}, 0 to {self.end:g} s, errors against {self.reference}"
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="bold")
        table.add_column("integrator")
        errors, drifts = ("position", "velocity", "multiplier"), ("energy", "momentum", "joints")
        heads = ("step [s]", *errors, "s per s", "iterations", *drifts)
        for head in heads:
            table.add_column(Text(head), justify="right")
        for name in self.integrators:
            runs = self.of(name)
            for k, run in enumerate(runs):
                label = name if k == 0 else ""
                table.add_row(Text(label), *_cells(run), style="red" if run.message else "")
            orders = [self.order(name, q) for q in QUANTITIES]
            if any(order is not None for order in orders):
                shown = [f"order {order:.2f}" if order is not None else "–" for order in orders]
                table.add_row("", "", *shown, *[""] * 5, style="italic", end_section=True)
            else:
                table.add_section()
        return table

    def __str__(self) -> str:
        from rich.console import Console

        file = io.StringIO()
        console = Console(file=file, width=WIDTH)
        console.print(self.table())
        for line in self.problems():
            console.print(line, markup=False, highlight=False)
        return file.getvalue().rstrip()

    def problems(self) -> list[str]:
        """A line for every run that failed."""
        return [f"{run.integrator}, step {run.step:g} s: {run.message}" for run in self.runs if run.message]

    def plot(self, quantity: str = "position") -> Figure:
        """Error over computing time and error over step, both in logarithmic scales."""
        from matplotlib.ticker import FuncFormatter, LogLocator

        from condyle.results.figure import new_figure

        self.order(self.integrators[0], quantity)  # complains about an unknown quantity
        figure = new_figure((7.2, 3.6))
        work, step = figure.subplots(1, 2, sharey=True)
        self._draw(work, quantity, "wall_time")
        self._draw(step, quantity, "step")
        self._triangles(step, quantity)
        _finish(work, "computing time per simulated second [s]")
        _finish(step, "step [s]")
        steps = sorted({run.step for run in self.runs})
        step.set_xticks(steps, [f"{h:g}" for h in steps])
        step.margins(x=0.08)
        work.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        work.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        work.set_ylabel(f"relative {quantity} error")
        handles, labels = work.get_legend_handles_labels()
        figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=4, handlelength=1.8)
        return figure

    def save(self, folder: str | Path) -> list[Path]:
        """Write table (JSON) and figures (PNG, one for each quantity that was compared); returns the files."""
        out = Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        files = [out / "compare.json"]
        files[0].write_text(json.dumps(self.to_json(), indent=2, allow_nan=False) + "\n", encoding="utf-8")
        for quantity in QUANTITIES:
            if any(getattr(run, f"{quantity}_error") for run in self.runs):
                files.append(out / f"work-precision-{quantity}.png")
                self.plot(quantity).savefig(files[-1], dpi=200)
        return files

    def _draw(self, ax: Axes, quantity: str, over: str) -> None:
        from condyle.results.figure import COLOURS

        for k, name in enumerate(self.integrators):
            points = [(getattr(r, over), getattr(r, f"{quantity}_error")) for r in self.of(name)]
            points = [(a, e) for a, e in points if e is not None and e > 0.0]
            if points:
                ax.loglog(
                    *np.array(points).T, color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)],
                    markersize=4.5, linewidth=1.3, linestyle="-" if k < len(COLOURS) else "--", label=name,
                )  # fmt: skip

    def _triangles(self, ax: Axes, quantity: str) -> None:
        """A triangle for each whole order that occurs, below the most exact curve of that order."""
        done: dict[int, list[tuple[float, float]]] = {}
        for name in self.integrators:
            order = self.order(name, quantity)
            if order is None or not 0.6 <= order <= 8.4:
                continue
            curve = [(r.step, e) for r in self.of(name) if (e := getattr(r, f"{quantity}_error")) and e > self.floor]
            at = round(order)
            if at not in done or curve[-1][1] < done[at][-1][1]:
                done[at] = curve
        for order, curve in done.items():
            (right, _), (left, low) = curve[0], curve[-1]
            right = min(right, 2.0 * left)
            base = 0.4 * low
            corner = [(left, base), (right, base), (right, base * (right / left) ** order)]
            ax.fill(*zip(*corner, strict=True), facecolor="0.85", edgecolor="0.45", linewidth=0.7, zorder=1)
            ax.annotate(
                f"{order}", (right, base * (right / left) ** (0.5 * order)), xytext=(3, 0), textcoords="offset points",
                fontsize=8, color="0.3", va="center",
            )  # fmt: skip


def _finish(ax: Axes, label: str) -> None:
    ax.set_xlabel(label)
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.minorticks_off()


def _cells(run: Run) -> Sequence[str]:
    def number(value: float | None) -> str:
        return "–" if value is None else f"{value:.1e}"

    errors = ["failed", "–", "–"] if run.message else [number(getattr(run, f"{q}_error")) for q in QUANTITIES]
    return (
        f"{run.step:g}", *errors, f"{run.wall_time:.3g}", f"{run.iterations:.2f}", number(run.energy_drift),
        number(run.momentum_drift), number(run.constraint_error),
    )  # fmt: skip


def _finite(value: object) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
