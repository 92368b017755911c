"""What a batch gives: the histories of all copies as arrays with one more axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.results.result import Result

if TYPE_CHECKING:
    from condyle.model.given import Json, NumbersLike, PointLike

Array = NDArray[np.float64]

__all__ = ["BatchResult"]


class BatchResult:
    """The runs of all copies. `found[k]` is the `Result` of copy k; histories of all of them have the copies first.

    Parameters
    ----------
    vary : what was varied, name → values
    results : of each copy; None where it could not start
    failed : copy → why it failed; what it has until then is in its result
    steps : taken by all copies
    wall_time : for all of them, with preparing [s]
    """

    def __init__(
        self,
        vary: Mapping[str, Sequence[Json]],
        results: Sequence[Result | None],
        failed: Mapping[int, str],
        steps: int,
        wall_time: float,
    ) -> None:
        self.vary, self.failed = dict(vary), dict(failed)
        self.steps, self.wall_time = steps, wall_time
        self._results = list(results)

    def __len__(self) -> int:
        return len(self._results)

    def __getitem__(self, k: int) -> Result:
        found = self._results[k]
        if found is None:
            raise InputError(f"batch: copy {k} could not start: {self.failed[k % len(self)]}")
        return found

    def __iter__(self) -> Iterator[Result]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<batch of {len(self)} copies, {self.steps} steps, {self.steps_per_second:.3g} steps/s{failed}>"

    @property
    def steps_per_second(self) -> float:
        """Steps of all copies over the time that all of them took, with preparing [1/s]."""
        return self.steps / max(self.wall_time, 1e-9)

    @property
    def times(self) -> Array:
        """Times of the frames [s], shape (frames,), the same for all copies."""
        return self[self._whole()[0]].times

    def gather(self, read: Callable[[Result], NumbersLike]) -> Array:
        """What `read(result)` gives, of all copies in one array, shape (copies, …); an error if one has failed.

        Leave failed copies out with `[read(found[k]) for k in range(len(found)) if k not in found.failed]`.
        """
        self._whole()
        return np.array([read(result) for result in self])

    def position(self, point: PointLike) -> Array:
        """Positions of a point [m], shape (copies, frames, d)."""
        return self.gather(lambda result: result.position(point))

    def velocity(self, point: PointLike) -> Array:
        """Velocities of a point [m/s], shape (copies, frames, d)."""
        return self.gather(lambda result: result.velocity(point))

    def coordinate(self, name: str) -> Array:
        """A joint coordinate, 'joint.angle' [rad or m], shape (copies, frames)."""
        return self.gather(lambda result: result.coordinate(name))

    def coordinate_rate(self, name: str) -> Array:
        """The rate of a joint coordinate [rad/s or m/s], shape (copies, frames)."""
        return self.gather(lambda result: result.coordinate_rate(name))

    def _whole(self) -> range:
        """All copies, if none has failed."""
        if self.failed:
            k, problem = next(iter(self.failed.items()))
            raise InputError(
                f"batch: {len(self.failed)} of {len(self)} copies failed, the first is {k}: {problem}; read the others "
                "one by one, found[k]"
            )
        return range(len(self))
