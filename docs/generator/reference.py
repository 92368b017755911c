"""The reference of all public names, a page for each room: signature, docstring, and fields with type, unit and bounds."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import condyle as cd
from condyle.analysis.field_page import default_of, may_be
from condyle.model.quantities import Quantity, quantities

# Rooms in the order in which a newcomer meets them; names of modules that belong to a page of another name.
ROOMS = {
    "model": "Models, points and functions of time",
    "bodies": "Bodies, materials, sections, meshes",
    "joints": "Joints and what acts on their coordinates",
    "forces": "Forces",
    "muscles": "Muscles, ligaments and paths",
    "contact": "Contact: surfaces, laws, friction",
    "integrators": "Integrators, simulations, states",
    "analysis": "Analyses",
    "results": "Results, figures, pages",
    "files": "Model files",
    "runs": "Sweeps and identification",
    "studies": "Studies and claims",
    "laws": "Laws of your own, sections",
    "anatomy": "Anatomy",
    "errors": "Errors and warnings",
}
SAME = {"parts": "model", "system": "integrators", "methods": "integrators", "solvers": "contact", "geometry": "contact",
        "report": "results", "study": "studies", "claims": "studies"}  # fmt: skip
UNIT = re.compile(r"\[([^\[\]]{1,24})\]")


def write_pages(folder: Path) -> list[Any]:
    """Write the page of each room; returns their places in the navigation."""
    folder.mkdir(exist_ok=True)
    rooms: dict[str, list[str]] = {room: [] for room in ROOMS}
    for name in cd.__all__:
        if name != "__version__":
            home = cd._HOME[name]
            room = name if home == "condyle" else home.split(".")[1]
            rooms.setdefault(SAME.get(room, room), []).append(name)
    places: list[Any] = ["api/index.md"]
    lines = [
        "# Public names",
        "",
        "All of them are in `condyle`: `import condyle as cd`, then `cd.Spring`. Units are SI units.",
        "",
    ]
    for room, names in rooms.items():
        title = ROOMS.get(room, room.capitalize())
        (folder / f"{room}.md").write_text(_page(title, sorted(names, key=str.lower)), encoding="utf-8")
        places.append({title: f"api/{room}.md"})
        lines += [f"## [{title}]({room}.md)", "", "| name | what it is |", "|---|---|"]
        lines += [
            f"| [`{name}`]({room}.md#{name.lower()}) | {_first(getattr(cd, name))} |"
            for name in sorted(names, key=str.lower)
        ]
        lines.append("")
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
    return places


def _page(title: str, names: list[str]) -> str:
    lines = [f"# {title}", ""]
    for name in names:
        lines += _entry(name, getattr(cd, name), "##")
    return "\n".join(lines) + "\n"


def _entry(name: str, thing: Any, level: str) -> list[str]:
    """Heading, signature, docstring, fields and methods of one name."""
    lines = [f"{level} {name}", ""]
    if isinstance(thing, ModuleType):
        lines += [*_docstring(thing), ""]
        for inner in getattr(thing, "__all__", ()):
            value = getattr(thing, inner)
            if callable(value):
                lines += _entry(f"{name}.{inner}", value, "###")
        return lines
    signature = _signature(name, thing)
    lines += (["```python", signature, "```", ""] if signature else []) + [*_docstring(thing), ""]
    if inspect.isclass(thing):
        lines += _fields(thing) + _methods(name, thing)
    return lines


def _signature(name: str, thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return ""
    given = [_argument(parameter) for parameter in signature.parameters.values() if parameter.name != "self"]
    kinds = [parameter.kind for parameter in signature.parameters.values() if parameter.name != "self"]
    first = next((k for k, kind in enumerate(kinds) if kind is inspect.Parameter.KEYWORD_ONLY), None)
    if first is not None and inspect.Parameter.VAR_POSITIONAL not in kinds:
        given.insert(first, "*")
    returns = signature.return_annotation
    arrow = "" if inspect.isclass(thing) or returns is inspect.Signature.empty else f" -> {_type(returns)}"
    one_line = f"{name}({', '.join(given)}){arrow}"
    return one_line if len(one_line) <= 96 else f"{name}(\n    " + ",\n    ".join(given) + f",\n){arrow}"


def _argument(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation is not inspect.Parameter.empty and _type(parameter.annotation) != "Any":
        text += f": {_type(parameter.annotation)}"
    if parameter.default is not inspect.Parameter.empty:
        shown = (
            "…"
            if "factory" in repr(parameter.default) or " object at " in repr(parameter.default)
            else repr(parameter.default)
        )
        text += f" = {shown}" if ":" in text else f"={shown}"
    return text


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _docstring(thing: Any) -> list[str]:
    """The docstring as Markdown; sections of parameters become lists."""
    doc = inspect.getdoc(thing) or ""
    if inspect.isclass(thing) and doc.startswith(f"{thing.__name__}("):  # a dataclass that says nothing
        return []
    doc = doc.replace("``", "`")
    lines: list[str] = []
    in_section = False
    for line, below in zip(rows := doc.splitlines(), [*rows[1:], ""], strict=True):
        if below.strip() and set(below.strip()) == {"-"} and "|" not in line:
            lines += ["", f"**{line.strip()}**", ""]
            in_section = True
        elif line.strip() and set(line.strip()) == {"-"}:
            continue
        elif in_section and line and not line.startswith(" "):
            what, colon, meaning = line.partition(" : ")
            lines.append(f"- `{what}`: {meaning}" if colon else f"- {line}")
        elif in_section:
            lines.append(f"  {line.strip()}" if line.strip() else "")
        else:
            lines.append(line)
    return [_outside_code(line) for line in lines]


def _outside_code(line: str) -> str:
    """Signs that Markdown would read stay as they are written: stars, underscores, angle brackets, dollars."""
    parts = re.split(r"(`[^`]*`)", line)
    keep = re.compile(r"([*_<$])(?!\*)") if not line.startswith(("**", "- `")) else re.compile(r"([<$])")
    return "".join(part if part.startswith("`") else keep.sub(r"\\\1", part) for part in parts)


def _first(thing: Any) -> str:
    """The first sentence or so of a docstring."""
    doc = " ".join((inspect.getdoc(thing) or "").partition("\n\n")[0].split())
    if inspect.isclass(thing) and doc.startswith(f"{thing.__name__}("):
        return ""
    found = re.match(r"(.{12,}?[.;:])(?:\s|$)", doc)
    return _outside_code((found[1].rstrip(";:.") + "." if found else doc).replace("``", "`")).replace("|", "\\|")


def _fields(kind: type) -> list[str]:
    if not dataclasses.is_dataclass(kind):
        return []
    known: Mapping[str, Quantity] = quantities(kind)
    said = inspect.getdoc(kind) or ""
    rows = []
    for field in dataclasses.fields(kind):
        if field.init and not field.name.startswith("_"):
            about = known.get(field.name, Quantity())
            unit = about.unit or _unit_in(said, field.name)
            cells = (f"`{field.name}`", f"`{field.type}`", unit, may_be(field, about), default_of(field))
            rows.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return ["| field | type | unit | may be | default |", "|---|---|---|---|---|", *rows, ""] if rows else []


def _unit_in(said: str, name: str) -> str:
    """The unit that a docstring gives behind the name of a field, `radius [m]`."""
    found = re.search(rf"\b{re.escape(name)}\b[^.;\[\]]{{0,60}}?{UNIT.pattern}", said)
    return found[1] if found else ""


def _methods(name: str, kind: type) -> list[str]:
    """Public methods and properties that the package defines, other than those that all parts have."""
    common = set(dir(cd.Part)) if issubclass(kind, cd.Part) and kind is not cd.Part else set()
    rows = []
    for member in sorted(dir(kind)):
        value = inspect.getattr_static(kind, member)
        call = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        doc = inspect.getdoc(call) if callable(call) or isinstance(call, property) else None
        if member.startswith("_") or member in common or not doc:
            continue
        if not isinstance(call, property) and not getattr(call, "__module__", "condyle").startswith("condyle"):
            continue
        start = f"{name}.{member}" if isinstance(value, classmethod | staticmethod) else member
        shown = start if isinstance(call, property) else _call(start, call)
        rows.append(f"| `{shown}` | {_first(call)} |".replace("\n", " "))
    return ["| method or property | |", "|---|---|", *rows, ""] if rows else []


def _call(start: str, call: Any) -> str:
    """`box(name, size, density, …)`: names of arguments only."""
    try:
        names = [p.name for p in inspect.signature(call).parameters.values() if p.name not in ("self", "cls")]
    except (TypeError, ValueError):
        return f"{start}(…)"
    return f"{start}({', '.join(names[:6])}{', …' if len(names) > 6 else ''})"
