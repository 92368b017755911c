"""`condyle report` and `condyle view`: their options and what they do."""

from __future__ import annotations

import argparse
import json
import sys
import webbrowser
from pathlib import Path
from typing import Any

from condyle.errors import InputError

__all__ = ["add_report_options", "add_view_options", "view_target", "write_page"]

RESULTS = (".h5", ".hdf5")
MODELS = (".yaml", ".yml", ".json")


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `condyle report`."""
    parser.add_argument("files", nargs="+", type=Path, metavar="RESULT", help="results file (.h5); several on one page")
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="page to write (default: beside the result, .html)"
    )
    parser.add_argument("--title", default="", help="title of the page")
    parser.add_argument("--json", action="store_true", help="the file that was written and its size as JSON")
    _add_page_options(parser)


def add_view_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `condyle view`."""
    parser.add_argument(
        "target",
        type=Path,
        metavar="MODEL|RESULT",
        help="model file (.yaml, .json), results file (.h5), or model of another program",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: this machine only)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (default: any that is free)")
    parser.add_argument("--no-browser", action="store_true", help="print the address, open no browser")
    parser.add_argument("--json", action="store_true", help="the file and the address as one line of JSON")
    _add_page_options(parser)


def _add_page_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--frames", type=int, default=200, metavar="N", help="show at most N frames (default: 200)")
    parser.add_argument(
        "--no-fields", action="store_true", help="leave out stress and strain of solids: quicker, smaller"
    )
    parser.add_argument("--allow", type=Path, action="append", default=[], metavar="PATH",
                        help="folder that a model file may read, too")  # fmt: skip
    parser.add_argument(
        "--allow-code", action="store_true", help="import functions that a model names; only if you trust it"
    )


def write_page(options: argparse.Namespace) -> int:
    """``condyle report RESULT -o report.html``: one page that needs no network."""
    from condyle.report.page import write_report

    results = {file.stem: _loaded(file, options) for file in options.files}
    out = options.out or options.files[0].with_suffix(".html")
    page = write_report(results, out, title=options.title, frames=options.frames, fields=not options.no_fields)
    size = page.stat().st_size
    if options.json:
        print(json.dumps({"written": str(page), "bytes": size, "runs": list(results)}, ensure_ascii=False))
    else:
        print(f"written: {page} ({size / 1e6:.1f} MB)")
    return 0


def view_target(options: argparse.Namespace) -> int:
    """``condyle view MODEL|RESULT``: look at it in a browser, until interrupted."""
    from condyle.report.server import PageServer

    view = _View(options)
    server = PageServer(
        view.page, *((view.data, view.version) if view.changes else ()), host=options.host, port=options.port
    )
    told = {"target": str(options.target), "address": server.address}
    print(json.dumps(told, ensure_ascii=False) if options.json else f"{options.target}: {server.address}", flush=True)
    print("press Ctrl+C to end", file=sys.stderr)
    if not options.no_browser and not webbrowser.open(server.address):
        print("condyle: no browser was found; open the address above, or write a page: condyle report", file=sys.stderr)
    try:
        server.serve()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return 0


class _View:
    """What is shown of a file, read again when it has changed."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.file = options, options.target
        kind = self.file.suffix.lower()
        if kind not in (*RESULTS, *MODELS, *_foreign()):
            raise InputError(
                f"view: '{self.file}' is neither a model ({', '.join(MODELS)}), nor a result ({RESULTS[0]}), nor a model of "
                f"another program ({', '.join(_foreign())})"
            )
        self.changes = True
        self.result()  # what cannot be read is said before a browser opens

    def result(self) -> Any:
        if self.file.suffix.lower() in RESULTS:
            return _loaded(self.file, self.options)
        from condyle.report.preview import preview

        return preview(_model(self.file, self.options))

    def _options(self) -> dict[str, Any]:
        before = self.file.suffix.lower() not in RESULTS
        return {
            "title": self.file.stem,
            "frames": self.options.frames,
            "fields": not self.options.no_fields,
            "before": before,
        }

    def page(self) -> str:
        from condyle.report.page import page_text

        return page_text(self.result(), live=True, **self._options())

    def data(self) -> tuple[dict[str, Any], str]:
        from condyle.report.page import page_data

        return page_data(self.result(), live=True, **self._options())

    def version(self) -> str:
        about = self.file.stat()
        return f"{about.st_mtime_ns} {about.st_size}"


def _loaded(file: Path, options: argparse.Namespace) -> Any:
    import condyle

    return condyle.load(file, allow_code=options.allow_code)


def _model(file: Path, options: argparse.Namespace) -> Any:
    from condyle.imports.registry import import_model
    from condyle.parts import Model

    if file.suffix.lower() in _foreign():
        return import_model(file).model
    return Model.load(file, allow=options.allow, allow_code=options.allow_code)


def _foreign() -> tuple[str, ...]:
    """Endings of models of other programs."""
    from condyle.imports.registry import READERS

    return (*READERS, ".xml")
