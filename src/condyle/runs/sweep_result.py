"""What a sweep gives: one tidy table, the failed cases, response figures, and Sobol's indices of sensitivity."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError, unknown_name
from condyle.runs.case import Case

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from condyle.model.given import Json

__all__ = ["Sensitivity", "SweepResult"]

MOST_PANELS = 12
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sensitivity:
    """Sobol's indices of one output: which part of its variance each parameter explains.

    ``first`` is the part by itself, ``total`` that with all its interactions; ``first_interval`` and ``total_interval``
    are bootstrap intervals of 95 %, parameter → (low, high).
    """

    output: str
    first: dict[str, float]
    total: dict[str, float]
    first_interval: dict[str, tuple[float, float]]
    total_interval: dict[str, tuple[float, float]]


class SweepResult:
    """The cases of a sweep, as a table with one row each.

    Parameters
    ----------
    name : of the study or function
    varied : names of the parameters that were varied
    cases : in the order of the plan
    design, samples : of the plan
    units : name of a parameter or an output → SI symbol
    logs : parameters that are spaced by equal ratios, which figures show on logarithmic axes
    written : parameter → the unit that it was given in, in which it is shown; columns and files have SI units
    """

    def __init__(
        self,
        name: str,
        varied: tuple[str, ...],
        cases: Sequence[Case],
        *,
        design: str = "grid",
        samples: int | None = None,
        units: Mapping[str, str] | None = None,
        logs: Sequence[str] = (),
        written: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.varied, self.cases = name, varied, list(cases)
        self.design, self.samples, self.units = design, samples, dict(units or {})
        self.logs = tuple(logs)
        self.written = dict(written or {})

    def __len__(self) -> int:
        return len(self.cases)

    def __repr__(self) -> str:
        bad = f", {len(self.failed)} failed" if self.failed else ""
        return f"<sweep of {self.name} over {', '.join(self.varied)}: {len(self)} cases{bad}>"

    @property
    def failed(self) -> list[Case]:
        """The cases without numbers; `problem` says why."""
        return [case for case in self.cases if case.problem]

    @property
    def good(self) -> list[Case]:
        """The cases that have numbers."""
        return [case for case in self.cases if not case.problem]

    @property
    def outputs(self) -> list[str]:
        """The names of all outputs, in the order in which they first appear."""
        return list(dict.fromkeys(name for case in self.cases for name in case.outputs))

    def column(self, name: str) -> Any:
        """A parameter or an output of all good cases [cases]; an output that a case lacks is an error."""
        if any(name in case.parameters for case in self.cases):
            return np.array([case.parameters[name] for case in self.good])
        if name not in self.outputs:
            raise unknown_name("column", name, [*self.varied, *self.outputs], where=f"sweep of {self.name!r}")
        lacking = [case.number for case in self.good if name not in case.outputs]
        if lacking:
            raise InputError(f"sweep of {self.name!r}: case {lacking[0]} has no {name!r}; take the cases one by one")
        return np.array([case.outputs[name] for case in self.good])

    def shown_unit(self, name: str) -> str:
        """The unit in which figures and the printed table show a parameter or an output."""
        return self.written.get(name) or self.units.get(name, "")

    def as_shown(self, name: str, value: Any) -> Any:
        """A value, or an array, of a parameter or an output in that unit."""
        if name not in self.written:
            return value
        from condyle.units import factor

        return value / factor(self.written[name], self.units[name], name)

    # --- tables -----------------------------------------------------------------------------------------------------

    def rows(self) -> list[dict[str, Json]]:
        """One dictionary per case: its number, parameters and outputs, its time [s] and its problem, if it has one."""
        return [
            {"case": case.number, **case.parameters, **case.outputs, "seconds": case.seconds, "problem": case.problem}
            for case in self.cases
        ]

    def to_pandas(self) -> pd.DataFrame:
        """The table, one row per case; what a failed case lacks is missing."""
        import pandas as pd

        return pd.DataFrame(self.rows()).set_index("case")

    def save(self, file: str | Path) -> Path:
        """Write the table, by the ending of the file: ``.csv``, or ``.parquet`` (with pandas and pyarrow)."""
        path = Path(file)
        if path.suffix == ".parquet":
            try:
                self.to_pandas().to_parquet(path)
            except ImportError:
                raise InputError(f"'{path}' needs pandas and pyarrow: pip install 'condyle[parquet]'") from None
            return path
        if path.suffix != ".csv":
            raise InputError(f"'{path}': a table ends in .csv or .parquet")
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row if name not in ("seconds", "problem")))
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, [*names, "seconds", "problem"], restval="")
            writer.writeheader()
            writer.writerows(rows)
        return path

    # --- sensitivity ------------------------------------------------------------------------------------------------

    def sensitivity(self, output: str) -> Sensitivity:
        """Sobol's indices of an output, from the design ``saltelli`` (saltelli-2010)."""
        from scipy.stats import sobol_indices

        if self.design != "saltelli":
            raise InputError(
                f"sweep of {self.name!r}: indices of sensitivity need design='saltelli', not {self.design!r}"
            )
        if self.failed:
            raise InputError(
                f"sweep of {self.name!r}: {len(self.failed)} of {len(self)} cases failed; indices of sensitivity need all "
                f"of them, first case {self.failed[0].number}: {self.failed[0].problem}"
            )
        assert self.samples is not None
        values = self.column(output).reshape(len(self.varied) + 2, 1, self.samples)
        if np.ptp(values) == 0.0:
            raise InputError(f"sweep of {self.name!r}: {output!r} is the same in all cases; no parameter explains it")
        found = sobol_indices(func={"f_A": values[0], "f_B": values[1], "f_AB": values[2:]}, n=self.samples)
        spread = found.bootstrap(confidence_level=CONFIDENCE)
        return Sensitivity(
            output,
            self._named(found.first_order),
            self._named(found.total_order),
            self._intervals(spread.first_order.confidence_interval),
            self._intervals(spread.total_order.confidence_interval),
        )

    def _named(self, values: NDArray[np.float64]) -> dict[str, float]:
        return {name: float(value) for name, value in zip(self.varied, np.ravel(values), strict=True)}

    def _intervals(self, interval: Any) -> dict[str, tuple[float, float]]:
        ends = zip(self.varied, np.ravel(interval.low), np.ravel(interval.high), strict=True)
        return {name: (float(low), float(high)) for name, low, high in ends}

    # --- figures ----------------------------------------------------------------------------------------------------

    def plot(self, outputs: str | Sequence[str] | None = None, *, show: bool = False) -> Figure:
        """Each output over the first parameter, a line per value of the second: by default of all that change."""
        from condyle.runs.sweep_figures import responses

        return responses(self, self._chosen(outputs), show=show)

    def plot_map(self, output: str, *, show: bool = False) -> Figure:
        """An output over two parameters: filled contours of a grid, coloured points of samples.

        Of a grid of three parameters there is a map for each value of the third.
        """
        from condyle.runs.sweep_figures import response_map

        return response_map(self, output, show=show)

    def plot_parallel(self, output: str, *, show: bool = False) -> Figure:
        """Parallel coordinates: a line per case through its parameters, coloured by an output."""
        from condyle.runs.sweep_figures import parallel_coordinates

        return parallel_coordinates(self, output, show=show)

    def plot_sensitivity(self, output: str, *, show: bool = False) -> Figure:
        """Sobol's indices of an output as bars, with their intervals."""
        from condyle.runs.sweep_figures import sensitivity_bars

        return sensitivity_bars(self.sensitivity(output), show=show)

    def changing(self) -> list[str]:
        """The outputs that all good cases have, and that are not the same in all of them."""
        common = [name for name in self.outputs if all(name in case.outputs for case in self.good)]
        return [name for name in common if np.ptp(self.column(name)) > 1e-9 * max(abs(self.column(name)).max(), 1e-300)]

    def _chosen(self, outputs: str | Sequence[str] | None) -> list[str]:
        if outputs is None:
            found = self.changing()[:MOST_PANELS]
            if not found:
                raise InputError(f"sweep of {self.name!r}: no output changes with {', '.join(self.varied)}")
            return found
        return [outputs] if isinstance(outputs, str) else list(outputs)
