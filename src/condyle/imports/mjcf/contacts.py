"""Geoms of MJCF that meet each other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from condyle.contact.collisions import Collisions

if TYPE_CHECKING:
    from condyle.imports.mjcf.geoms import Geom
    from condyle.imports.mjcf.reading import Reader
    from condyle.imports.mjcf.tree import Link

__all__ = ["add_contacts"]


def add_contacts(reader: Reader) -> None:
    """All bodies with geoms that can touch, as one group; pairs that MuJoCo leaves apart stay apart."""
    touching: dict[str, list[Geom]] = {}
    links: dict[str, Link] = {}
    for link in (reader.tree.ground, *reader.tree.links):
        geoms = [geom for geom in link.geoms if any(geom.touches) and geom.shape() is not None]
        flat = [geom for geom in geoms if geom.kind == "plane" and link is not reader.tree.ground]
        for geom in flat:
            reader.leave_out("geom", geom.name, "planes of bodies that move do not touch here")
        geoms = [geom for geom in geoms if geom not in flat]
        if geoms:
            touching[link.name], links[link.name] = geoms, link
    shapes: dict[str, Any] = {name: [geom.shape() for geom in geoms] for name, geoms in touching.items()}
    ground = shapes.pop("ground", None)
    if len(shapes) + (ground is not None) < 2 or not shapes:
        reader.leave_out("contact", reader.model.name, "there are no two bodies with geoms that can touch")
        return
    apart = [[a, b] for a, b in combinations(touching, 2) if not _meet(reader, touching[a], touching[b], f"{a}, {b}")]
    excluded = [e for e in reader.document.listed("contact") if e.tag == "exclude"]
    for element in excluded:
        record = reader.document.record(element)
        ends = [reader.body(record.word(name), record)[0].name for name in ("body1", "body2")]
        if all(end in touching for end in ends) and ends[0] != ends[1]:
            apart.append(ends)
    for element in reader.document.listed("contact"):
        if element.tag == "pair":
            reader.leave_out("pair", element.get("name") or reader.document.place(element), "is not read")
    friction = [geom.record.number("friction", 1.0) for geoms in touching.values() for geom in geoms]
    if max(friction) > min(friction):
        reader.leave_out(
            "friction",
            reader.model.name,
            f"differs from geom to geom ({min(friction):g} … {max(friction):g}); the largest is taken",
        )
    reader.model.add(
        Collisions(reader.names.take("contact", "contacts"), shapes, ground=ground, friction=max(friction), apart=apart)
    )


def _meet(reader: Reader, one: list[Geom], other: list[Geom], pair: str) -> bool:
    """Do geoms of two bodies touch, by contype and conaffinity?"""
    found = [bool((a.touches[0] & b.touches[1]) | (b.touches[0] & a.touches[1])) for a in one for b in other]
    if any(found) and not all(found):
        reader.leave_out(
            "contype and conaffinity", pair, "only some of their geoms touch in the file; here all of them do"
        )
    return any(found)
