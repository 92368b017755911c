"""How models and results show themselves and are written for others: what draws them hands itself in from a room above."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from condyle.model.given import Option

__all__ = ["Showable", "shows"]


class Shower(Protocol):
    """What is handed in: `page` of anything that can be seen, `html`, a few lines of it for a notebook, and `export`."""

    def page(self, thing: Any, **options: Any) -> Any: ...

    def html(self, thing: Any) -> str: ...

    def export(self, thing: Any, path: Any, **options: Any) -> Any: ...


_found: list[Callable[[], Shower]] = []


def shows(find: Callable[[], Shower]) -> Callable[[], Shower]:
    """Decorate the function that finds what shows things; it is called when something is shown for the first time."""
    _found[:] = [find]
    return find


class Showable:
    """Something that can be looked at in a notebook or a browser."""

    def show(self, **options: Option) -> Any:
        """The moving picture with its curves; in a notebook it appears below the cell. Options as for `write_report`.

        Elsewhere, `show().open()` opens it in a browser and `show().save("page.html")` writes it.
        """
        return _found[0]().page(self, **options)

    def export(self, path: str | Path, **options: Option) -> Any:
        """Write it for another program, by the ending of the path; returns the path.

        .glb: an animation (of a model: a picture). Of a result also .csv and .parquet (tables), .sto and .mot (OpenSim), .pvd
        (ParaView). Options as of `write_gltf`, `Result.to_csv`, `Result.to_sto`, `write_vtk`.
        """
        return _found[0]().export(self, path, **options)

    def _repr_html_(self) -> str:
        """What a notebook shows of it."""
        return _found[0]().html(self)
