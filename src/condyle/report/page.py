"""The page of a run: one HTML file with the model in motion, curves, claims, the tree of the model and how the run went.

Everything is in the file: programs, styles and data, so that it opens without a network and can be sent by mail. The data are
a description in JSON and one compressed block of arrays (`packing.Block`).
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle import __version__
from condyle.errors import InputError
from condyle.report.colours import colourings
from condyle.report.curves import plots
from condyle.report.packing import Block
from condyle.report.scene import Item, Scene
from condyle.report.tree import model_tree
from condyle.results.tables import summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.claims import Verdict
    from condyle.results.result import Result

__all__ = ["MOST_FRAMES", "page_data", "page_text", "write_report"]

MOST_FRAMES = 200
MOST_RESULTS = 12  # on one page
LARGEST = 40e6  # bytes of all arrays before they are compressed: fewer frames are shown of what would be larger


def write_report(results: Result | Mapping[str, Result], path: str | Path, *, title: str = "", frames: int = MOST_FRAMES,
                 fields: bool = True, claims: Sequence[Verdict] = (), figures: Mapping[str, Figure | Path] | None = None,
                 text: str = "") -> Path:  # fmt: skip
    """Write a page that shows one result, or several by their labels; it ends in .html and needs no network.

    frames: at most so many, evenly spread in time. fields: stress and strain of solids, contact pressure. claims: verdicts to
    list. figures: matplotlib figures or PNG files by name. text: a few sentences at the top.
    """
    file = Path(path)
    if file.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"report: '{file.name}' must end in .html")
    written = page_text(results, title=title, frames=frames, fields=fields, claims=claims, figures=figures, text=text)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(written, encoding="utf-8")
    return file


def page_text(results: Result | Mapping[str, Result], **options: Any) -> str:
    """The page itself; options of `page_data`."""
    about, arrays = page_data(results, **options)
    assets = resources.files("condyle.report") / "assets"
    text = (assets / "page.html").read_text(encoding="utf-8")
    described = json.dumps(about, ensure_ascii=False, allow_nan=False)
    parts = {
        "TITLE": escape(str(about["title"])),
        "STYLE": "".join((assets / name).read_text(encoding="utf-8") for name in ("uplot.min.css", "page.css")),
        "LIBRARIES": "\n".join(
            (assets / name).read_text(encoding="utf-8") for name in ("three.min.js", "uplot.min.js")
        ),
        "PROGRAM": (assets / "page.js").read_text(encoding="utf-8"),
        "ABOUT": described.replace("<", "\\u003c"),  # nothing in it can end the script
        "ARRAYS": arrays,
    }
    pieces = re.split(r"@([A-Z]+)@", text)
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def page_data(results: Result | Mapping[str, Result], *, title: str = "", frames: int = MOST_FRAMES, fields: bool = True,
              claims: Sequence[Verdict] = (), figures: Mapping[str, Any] | None = None, text: str = "",
              before: bool = False, live: bool = False) -> tuple[dict[str, Any], str]:  # fmt: skip
    """Description and arrays of a page. before: a model that has not run; live: the page asks for changes."""
    if isinstance(frames, bool) or not isinstance(frames, int) or frames < 1:
        raise InputError(f"report: frames must be a whole number of at least 1, not {frames!r}")
    given = dict(results) if isinstance(results, Mapping) else {results.name: results}
    if not (given or claims or figures or text):
        raise InputError("report: there is nothing to show; give a result, claims or figures")
    from condyle.claims import expected

    shown = dict(list(given.items())[:MOST_RESULTS])
    block = Block()
    about = {
        "title": title or next(iter(shown), "report"),
        "text": text,
        "version": __version__,
        "before": before,
        "live": live,
        "runs": [
            _run(label, r, block, frames, fields and not before, LARGEST / max(1, len(shown)))
            for label, r in shown.items()
        ],
        "left_out": len(given) - len(shown),
        "claims": [{**v.to_json(), "expected": expected(v.reference, v.tolerance, v.sense, v.unit)} for v in claims],
        "figures": [{"name": name, "png": _png(figure)} for name, figure in (figures or {}).items()],
    }
    return about, block.text()


def _run(label: str, result: Result, block: Block, most: int, fields: bool, room: float) -> dict[str, Any]:
    """One result as data of the page."""
    count = max(1, min(most, len(result)))
    before = result.integrator.get("name") == "preview"
    scene = Scene(result, points=before)
    points = sum(len(item.points) for item in scene.items) + 50
    count = max(1, min(count, int(room / (points * (30 if fields else 6)))))
    frames = sorted({result.at(float(t)) for t in np.linspace(result.times[0], result.times[-1], count)})
    items, low, high = [], np.full(3, np.inf), np.full(3, -np.inf)
    for item, places in scene.places(frames):
        if item.kind != "plane":
            low, high = np.minimum(low, places.min(axis=(0, 1))), np.maximum(high, places.max(axis=(0, 1)))
        items.append(_item(result, item, places, frames, block, fields))
    return {
        "label": label,
        "dimension": result.dimension,
        "clock": result.clock,
        "status": "not yet run" if before else result.status,
        "frames": [float(result.times[f]) for f in frames],
        "low": low.tolist(),
        "high": high.tolist(),
        "up": _up(result),
        "items": items,
        "plots": [
            {
                "title": plot.title,
                "unit": plot.unit,
                "times": block.add(plot.times, "f4"),
                "series": [{"name": name, "values": block.add(v, "f4")} for name, v in plot.series.items()],
            }
            for plot in plots(result)
        ],
        "tree": model_tree(result.model),
        "summary": summary(result),
    }


def _up(result: Result) -> list[float]:
    """The direction that is up: against gravity; in the plane y, in space without gravity z."""
    gravity = np.zeros(3)
    gravity[: result.dimension] = np.asarray(result.model.gravity)
    size = float(np.linalg.norm(gravity))
    if result.dimension == 2 or size == 0.0:
        return [0.0, 1.0, 0.0] if result.dimension == 2 else [0.0, 0.0, 1.0]
    return (-gravity / size + 0.0).tolist()


def _item(result: Result, item: Item, places: Any, frames: list[int], block: Block, fields: bool) -> dict[str, Any]:
    """An item as data: places between the corners of its box in each frame, its faces and edges, its fields."""
    still = bool(np.all(places == places[:1]))
    places = places[:1] if still else places
    low, high = places.min(axis=1), places.max(axis=1)
    span = np.where(high > low, high - low, 1.0)
    told = []
    for colouring in colourings(result, item, frames) if fields else ():
        found = np.nan_to_num(colouring.values)
        found[np.abs(found) < 1e-12 * np.abs(found).max(initial=0.0)] = 0.0  # round-off is no pressure
        least, largest = float(found.min()), float(found.max())
        values = block.add_between(found, least, largest)
        told.append(
            {"name": colouring.field, "unit": colouring.unit, "low": least, "high": largest, "values": values,
             "each": found.shape[1]}
        )  # fmt: skip
    return {
        "name": item.name,
        "kind": item.kind,
        "colour": item.colour,
        "points": places.shape[1],
        "still": still,
        "boxes": block.add(np.concatenate((low, span), axis=1), "f4"),
        "places": block.add_between(places, low[:, None], (low + span)[:, None]),
        "triangles": block.add(item.triangles, "u4"),
        "edges": block.add(item.edges, "u4"),
        "dots": block.add(item.dots, "u4"),
        "fields": told,
    }


def _png(figure: Any) -> str:
    """A figure, or a PNG file, as letters."""
    if isinstance(figure, str | Path):
        return base64.b64encode(Path(figure).read_bytes()).decode("ascii")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    if figure.canvas is None or not isinstance(figure.canvas, FigureCanvasAgg):
        FigureCanvasAgg(figure)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110, bbox_inches="tight")
    return base64.b64encode(out.getvalue()).decode("ascii")
