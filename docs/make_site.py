"""Builds the site of documentation: ``make docs``, or ``python docs/make_site.py [folder]``; needs the extra ``docs``.

The pages of docs/ are gathered in build/pages together with pages made here: one for each study with its claims
(docs/claims.json) and pictures (docs/gallery), and the reference of all public names. Zensical, which reads docs/mkdocs.yml,
turns them into HTML; formulas become MathML, and every link and anchor is followed. The site needs no network and no server.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from generator import formulas, links, reference, studies

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

# Pages that stand outside of docs/, and the names that they have in the site.
OUTSIDE = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
ELSEWHERE = "https://unpkg.com/iframe-worker/shim"
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


class Broken(Exception):
    """The site has links that lead nowhere, or formulas that cannot be read."""


def main(site: Path = ROOT / "site", work: Path = ROOT / "build" / "pages") -> int:
    """Build the site; returns the number of pages. Broken says what is wrong with it."""
    settings = gather(work)
    built = work.parent / "site"  # Zensical writes below the folder of its settings only
    settings["docs_dir"], settings["site_dir"] = work.name, built.name
    file = work.parent / "mkdocs.yml"
    file.write_text(_written(settings), encoding="utf-8")
    shutil.rmtree(built, ignore_errors=True)
    ran = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", str(file)],
        capture_output=True,
        text=True,
        cwd=work.parent,
    )
    if ran.returncode:
        raise Broken(ran.stdout + ran.stderr)
    pages = sorted(built.rglob("*.html"))
    for page in pages:
        _use_own_script(page, built)
    wrong = [problem for page in pages for problem in formulas.set_formulas(page, built)] + links.broken(built)
    if wrong:
        raise Broken("\n".join(wrong))
    shutil.rmtree(site, ignore_errors=True)
    shutil.move(built, site)
    return len(pages)


def gather(work: Path) -> dict[str, Any]:
    """Put all pages into a folder; returns the settings with the places of all of them."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for folder in ("images", "gallery", "assets"):
        shutil.copytree(DOCS / folder, work / folder, ignore=shutil.ignore_patterns("*.json"))
    sources = {page: page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))}
    sources |= {ROOT / name: place for name, place in OUTSIDE.items()}
    for page, place in sources.items():
        (work / place).parent.mkdir(exist_ok=True)
        (work / place).write_text(_with_links(page, place), encoding="utf-8")
    settings = yaml.load((DOCS / "mkdocs.yml").read_text(encoding="utf-8"), Loader=_Loader)
    nav = {title: places for entry in settings["nav"] for title, places in entry.items()}
    nav["Gallery"] = studies.write_pages(work / "gallery", DOCS)
    nav["Reference"] = [{"Public names": reference.write_pages(work / "api")}, *nav["Reference"]]
    known = set(re.findall(r"[\w./-]+\.md", str(nav)))
    more = [place for place in sources.values() if place not in known and place != "readme.md"]
    nav["How to"] += [{_title(work / place): place} for place in more]
    (work / "readme.md").unlink()
    settings["nav"] = [{title: places} for title, places in nav.items()]
    return settings


def _with_links(page: Path, place: str) -> str:
    """The text of a page with its links as they are in the site: to pages that stand elsewhere there, and to no source file."""

    def moved(found: re.Match[str]) -> str:
        label, (target, hash_, anchor) = found[1], found[2].partition("#")
        if not target or "://" in target:
            return found[0]
        file = (page.parent / target).resolve()
        inside = file.relative_to(DOCS).as_posix() if file.is_relative_to(DOCS) else OUTSIDE.get(file.name)
        if inside is None or file.suffix == ".py" or file.is_dir():  # what only a clone of the repository has
            return label
        if inside == "readme.md":
            inside, hash_, anchor = "index.md", "", ""
        return f"[{label}]({_up(place)}{inside}{hash_}{anchor})"

    parts = FENCE.split(page.read_text(encoding="utf-8"))
    return "".join(part if part.startswith("```") else LINK.sub(moved, part) for part in parts)


def _up(place: str) -> str:
    return "../" * place.count("/")


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _use_own_script(page: Path, built: Path) -> None:
    """Search from files needs a small script, which Zensical would load from another host; ours is in the site."""
    here = _up(page.relative_to(built).as_posix()) + "assets/worker.js"
    page.write_text(page.read_text(encoding="utf-8").replace(ELSEWHERE, here), encoding="utf-8")


class _Loader(yaml.SafeLoader):
    """Reads the settings; names of Python functions are kept as they are written, for the one who builds."""


class _Named(dict):
    """A value with the tag of a Python function."""


_Loader.add_multi_constructor(
    "tag:yaml.org,2002:python/", lambda loader, tag, node: _Named(tag=tag, value=loader.construct_mapping(node, True))
)


def _written(settings: dict[str, Any]) -> str:
    class Dumper(yaml.SafeDumper):
        pass

    Dumper.add_representer(
        _Named,
        lambda dumper, named: dumper.represent_mapping(f"tag:yaml.org,2002:python/{named['tag']}", named["value"]),
    )
    return yaml.dump(settings, Dumper=Dumper, sort_keys=False, allow_unicode=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Builds the site of documentation; needs the extra docs.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "site", help="where to put it (default: site)")
    folder = parser.parse_args().folder
    try:
        count = main(folder)
    except Broken as problems:
        sys.exit(f"the site is broken:\n{problems}")
    print(f"{count} pages; open {folder / 'index.html'}")
