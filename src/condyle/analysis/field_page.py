"""The page docs/fields.md, made from the declarations of parts: `python -m condyle.analysis.field_page > docs/fields.md`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sized
from typing import Any

import condyle.parts  # noqa: F401 the ground
from condyle.integrators.registry import known_integrators
from condyle.model.given import in_words
from condyle.model.part import load_part_types, part_types
from condyle.model.quantities import Quantity, quantities

HEAD = """# All fields of all parts

This page lists every field of every part, with its unit, its bounds and its default. Numbers are in SI units. A unit in
brackets depends on what the field is used with. The docstring of a part says what its fields mean: `help(condyle.Spring)`.

The page is made from the declarations in the code (`python -m condyle.analysis.field_page > docs/fields.md`). The same
declarations check your input, and give the schema of [model files](model-files.md) and the bounds of an
[identification](identification.md).
"""
ROOMS = {
    "bodies": "Bodies, materials and sections",
    "joints": "Joints and joint coordinates",
    "forces": "Forces",
    "muscles": "Muscles, ligaments and paths",
    "contact": "Contact",
    "geometry": "Rigid shapes",
    "model": "Functions of time and points",
}


INTEGRATORS = (
    "Given as `integrator=cd.HHT(alpha=0.2)`; in a model file as `HHT(alpha=0.2)` or `{type: HHT, alpha: 0.2}`."
)


def page() -> str:
    """The whole page."""
    load_part_types()
    text = [HEAD]
    for room, title in ROOMS.items():
        text.append(f"## {title}\n\n| part | field | unit | may be | default |\n|---|---|---|---|---|")
        for name, kind in sorted(part_types().items()):
            if kind.__module__.startswith(f"condyle.{room}.") and dataclasses.is_dataclass(kind):
                text += _rows(name, kind)
        text.append("")
    text.append(
        f"## Integrators\n\n{INTEGRATORS}\n\n| integrator | field | unit | may be | default |\n|---|---|---|---|---|"
    )
    for name, method in sorted(known_integrators().items()):
        if dataclasses.is_dataclass(method):
            text += _rows(name, method)
    text.append("")
    return "\n".join(text)


def _rows(name: str, kind: Any) -> list[str]:
    found, known = [], quantities(kind)
    for field in dataclasses.fields(kind):
        if field.init and field.name != "name":
            about = known.get(field.name, Quantity())
            cells = (name, field.name, about.unit, may_be(field, about), default_of(field))
            found.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
            name = ""
    return found


def may_be(field: dataclasses.Field[Any], about: Quantity) -> str:
    """In words what stands in a field."""
    if about.words:
        return ", ".join(about.words)
    what = about.in_words or in_words(str(field.type))
    more = (
        "not all zero"
        if about.nonzero
        else f"{'each ' if about.in_words else ''}{about.bounds}"
        if about.bounds
        else ""
    )
    return f"{what}, {more}" if what and more else what or more


def default_of(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        made = field.default_factory()
        return "empty" if isinstance(made, Sized) and len(made) == 0 else f"{type(made).__name__}()"
    if field.default is dataclasses.MISSING:
        return "(to be given)"
    default: Any = field.default
    return "none" if default is None else f"{default:g}" if isinstance(default, float) else str(default)


if __name__ == "__main__":
    print(page(), end="")
