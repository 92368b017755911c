"""Formulas of the built pages: TeX becomes MathML, which browsers set by themselves, without scripts or fonts."""

from __future__ import annotations

import html
import re
from pathlib import Path

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def set_formulas(page: Path, site: Path) -> list[str]:
    """Replace the formulas of a page; returns what could not be read."""
    text = page.read_text(encoding="utf-8")
    if "arithmatex" not in text:
        return []
    problems: list[str] = []

    def mathml(found: re.Match[str], display: str) -> str:
        tex = html.unescape(found[1]).strip()
        try:
            return convert(tex, display=display)
        except Exception as error:  # the package has errors of many types
            problems.append(f"{page.relative_to(site)}: formula {tex!r}: {type(error).__name__} {error}")
            return found[0]

    text = _INLINE.sub(lambda found: mathml(found, "inline"), text)
    text = _BLOCK.sub(lambda found: mathml(found, "block"), text)
    page.write_text(text, encoding="utf-8")
    return problems
