"""The site of documentation is built as `make docs` builds it: strictly, with every link, anchor and formula looked at."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

import condyle as cd
from browser import CHROMIUM, ask
from condyle import studies

pytest.importorskip("zensical", reason="pip install 'condyle[docs]'")
pytest.importorskip("latex2mathml", reason="pip install 'condyle[docs]'")

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(DOCS))
    try:
        import make_site
    finally:
        sys.path.remove(str(DOCS))
    folder = tmp_path_factory.mktemp("site")
    make_site.main(folder / "html", folder / "pages")  # raises Broken with every broken link and formula
    return folder / "html"


def test_every_page_of_the_docs_is_in_the_site(site: Path):
    for page in DOCS.rglob("*.md"):
        assert (site / page.relative_to(DOCS)).with_suffix(".html").is_file(), page
    index = (site / "index.html").read_text(encoding="utf-8")
    for title in ("Start", "How to", "Choose", "Theory", "Gallery", "Reference", "Inside"):
        assert re.search(rf">\s*{title}\s*<", index), title


def test_every_study_has_a_page_with_what_was_published_beside_what_is_computed(site: Path):
    index = (site / "gallery" / "index.html").read_text(encoding="utf-8")
    for name in studies.names():
        page = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
        assert f'href="{name}.html"' in index
        assert "Published beside computed" in page and f"condyle run {name}" in re.sub(r"<[^>]+>", "", page), name


def test_every_study_that_draws_figures_has_a_small_picture():
    listed = json.loads((DOCS / "gallery" / "pictures.json").read_text(encoding="utf-8"))
    missing = [name for name in studies.names() if name not in listed]
    assert not missing, f"make gallery STUDIES='{' '.join(missing)}'"
    for name, entry in listed.items():
        assert entry["pictures"] or studies.get(name).figures is None, name
        for picture in entry["pictures"]:
            assert (DOCS / "gallery" / picture["file"]).stat().st_size < 60_001, picture


def test_every_public_name_is_in_the_reference_with_its_units(site: Path):
    pages = {page: page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html")}
    every = "".join(pages.values())
    for name in cd.__all__:
        if name != "__version__":
            assert f'id="{name.lower()}"' in every, name
    spring = pages[site / "api" / "forces.html"].partition('id="spring"')[2]
    row = re.search(r"<tr>\s*<td><code>stiffness</code></td>.*?</tr>", spring, re.S)
    assert row and "N/m" in row[0] and "float" in row[0] and "at least 0" in row[0]


def test_formulas_are_set_by_the_browser_itself(site: Path):
    page = (site / "theory" / "stepping.html").read_text(encoding="utf-8")
    assert page.count("<math") > 20 and "arithmatex" not in page


def test_a_broken_link_a_missing_heading_and_a_foreign_script_are_found(tmp_path: Path):
    sys.path.insert(0, str(DOCS))
    try:
        from generator import links
    finally:
        sys.path.remove(str(DOCS))
    (tmp_path / "a.html").write_text('<h1 id="top"></h1><a href="b.html#low">b</a><a href="c.html">c</a>')
    (tmp_path / "b.html").write_text(
        '<h1 id="high"></h1><script src="https://example.org/x.js"></script><a href="a.html#top">a</a>'
    )
    said = links.broken(tmp_path)
    assert len(said) == 3
    assert "no such heading" in said[0] and "c.html, which is not there" in said[1] and "another host" in said[2]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_search_finds_pages_without_a_server_and_without_a_network(site: Path):
    page = (site / "index.html").read_text(encoding="utf-8").replace("<body", '<body data-ready="true"', 1)
    found = ask(page, """
        const all = (root) => [...root.querySelectorAll("*")];
        const inside = (root) => all(root).flatMap((e) => e.shadowRoot ? [e, ...inside(e.shadowRoot)] : [e]);
        await wait(1500);
        document.querySelector("label[for=__search]").click();
        await wait(1000);
        const input = inside(document).find((e) => e.tagName === "INPUT" && /search/i.test(e.placeholder));
        input.value = "friction";
        input.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
        for (let k = 0; k < 20; k++) {
            await wait(500);
            const links = inside(document).filter((e) => e.tagName === "A" && e.getRootNode() !== document && e.href);
            if (links.length) return links.map((e) => e.href);
        }
        return [];
    """, site)  # fmt: skip
    assert any("contact" in link for link in found) and any("gallery/" in link for link in found), found
