"""A page on this machine: a model before it runs, or a result, also one that is still being written.

Only this machine can ask (the loopback address), unless another address is given, and only with the secret that is part of the
page's address.
"""

from __future__ import annotations

import http.server
import json
import secrets
import threading
from collections.abc import Callable
from typing import Any

from condyle.errors import InputError

__all__ = ["PageServer"]

LOOPBACK = "127.0.0.1"


class PageServer:
    """Serves one page and its data anew whenever they change.

    Parameters
    ----------
    page : the text of the page
    data : the newest description and arrays as (about, arrays); None if the page does not change
    version : changes when the data have changed
    host, port : where to listen; port 0 takes a free one
    """

    def __init__(self, page: Callable[[], str], data: Callable[[], tuple[dict[str, Any], str]] | None = None,
                 version: Callable[[], str] | None = None, *, host: str = LOOPBACK, port: int = 0) -> None:  # fmt: skip
        self._secret = secrets.token_urlsafe(16)
        answers: dict[str, Callable[[], tuple[str, str]]] = {"": lambda: (page(), "text/html")}
        if data is not None and version is not None:
            answers["version"] = lambda: (json.dumps(version()), "application/json")
            answers["data"] = lambda: (
                json.dumps(dict(zip(("about", "arrays"), data(), strict=True))),
                "application/json",
            )
        try:
            self._server = http.server.ThreadingHTTPServer((host, port), _handler(self._secret, answers))
        except OSError as error:
            raise InputError(f"view: cannot listen on {host}, port {port} ({error}); give another --port") from None
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """Where the page is, with its secret."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}/{self._secret}/"

    def start(self) -> None:
        """Serve in the background."""
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def serve(self) -> None:
        """Serve until interrupted."""
        self._server.serve_forever()

    def close(self) -> None:
        """Stop serving."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


def _handler(
    secret: str, answers: dict[str, Callable[[], tuple[str, str]]]
) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            first, _, rest = self.path.partition("?")[0].lstrip("/").partition("/")
            if not secrets.compare_digest(first.encode(), secret.encode()) or rest not in answers:
                self.send_error(404)
                return
            text, kind = answers[rest]()
            raw = text.encode("utf-8")
            self.send_response(200)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(raw)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing for each request."""

    return Handler
