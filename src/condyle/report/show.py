"""Models and results in notebooks: the page in a frame below the cell, and a few lines where an object is named."""

from __future__ import annotations

import base64
import io
import tempfile
import webbrowser
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from condyle.errors import InputError
from condyle.report.export import export as export_result
from condyle.report.page import page_text
from condyle.report.preview import preview
from condyle.report.tree import model_html
from condyle.results.result import Result
from condyle.results.tables import summary

__all__ = ["ShownPage", "export", "html", "page"]


class ShownPage:
    """A page that shows itself: in a notebook below the cell, otherwise by `open` or `save`."""

    def __init__(self, text: str, height: int = 640) -> None:
        self.text, self.height = text, height

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid #ccc"
        return f'<iframe srcdoc="{escape(self.text, quote=True)}" style="{style}"></iframe>'

    def save(self, path: str | Path) -> Path:
        """Write the page to a file."""
        file = Path(path)
        file.write_text(self.text, encoding="utf-8")
        return file

    def open(self) -> Path:
        """Open the page in a browser; returns the file it is kept in."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.text)
        if not webbrowser.open(Path(file.name).as_uri()):
            raise InputError(f"show: no browser was found; the page is in '{file.name}'")
        return Path(file.name)


def page(thing: Any, *, height: int = 640, **options: Any) -> ShownPage:
    """The page of a result, of several by their labels, or of a model before it runs; height [pixels] in a notebook."""
    if isinstance(thing, Result | Mapping):
        return ShownPage(page_text(thing, **options), height)
    return ShownPage(page_text(preview(thing), **{"title": thing.name, "before": True, **options}), height)


def export(thing: Any, path: str | Path, **options: Any) -> Path:
    """A result for another program, by the ending of the path; a model before it runs as a picture (.glb)."""
    if isinstance(thing, Result):
        return export_result(thing, path, **options)
    if Path(path).suffix.lower() != ".glb":
        raise InputError(f"'{path}': a model is written as a picture that ends in .glb; as a model file by write_model")
    return export_result(preview(thing), path, **options)


def html(thing: Any) -> str:
    """A model as a tree with counts, a result as its summary beside a small figure of its shapes."""
    if not isinstance(thing, Result):
        return model_html(thing)
    text = f"<pre style='margin:0'>{escape(summary(thing))}</pre>"
    try:
        figure = thing.plot_shapes(count=4)
    except InputError:  # nothing to draw
        return text
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=70, bbox_inches="tight")
    picture = base64.b64encode(out.getvalue()).decode("ascii")
    image = f"<img src='data:image/png;base64,{picture}' alt='shapes'>"
    return f"<div style='display:flex;gap:1em;align-items:center'>{image}{text}</div>"
