"""Follows every link, picture, script and style of a built site: to a file that is there, and an anchor that the page has."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


class _Page(HTMLParser):
    """Anchors of a page, and what it links to (True) or loads (False)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "__top"}
        self.targets: dict[str, bool] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")
            if value and (tag, name) in LOADED:
                self.targets.setdefault(value, False)
            if value and (tag, name) == ("a", "href"):
                self.targets[value] = True


def broken(site: Path) -> list[str]:
    """What is wrong, a line each: a link to nothing, or something that is loaded from another host."""
    pages = {page: _Page(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}
    return [problem for page, read in pages.items() for problem in _problems(page, read, pages, site)]


def _problems(page: Path, read: _Page, pages: dict[Path, _Page], site: Path) -> list[str]:
    found = []
    for target, is_link in read.targets.items():
        parts = urlsplit(target)
        if parts.scheme in ("http", "https") or parts.netloc:
            if not is_link:
                found.append(f"{page.relative_to(site)} loads {target} from another host")
            continue
        if parts.scheme or (page.name == "404.html" and parts.path.startswith("/")):
            continue
        file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            found.append(f"{page.relative_to(site)} links to {target}, which is not there")
        elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors:
            found.append(f"{page.relative_to(site)} links to {target}; that page has no such heading")
    return found
