"""The JSON schema of model files, made from the declarations of all parts, for editors that check while one writes."""

from __future__ import annotations

import dataclasses
from typing import Any

from condyle.claims import KINDS
from condyle.files.curves import READINGS
from condyle.files.experiment import RUN_UNITS, RUN_WORDS
from condyle.files.forms import MESHES, UNITS, form_parameters, forms
from condyle.model.given import bare, json_types, takes_none
from condyle.model.part import Part, load_part_types, part_types
from condyle.model.quantities import Quantity, quantities

__all__ = ["schema"]

ADDRESS = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = {"type": ["number", "string"]}
_NAMED = {"type": "object"}
_WORDS = {"type": ["string", "object"]}


def schema() -> dict[str, Any]:
    """The schema as plain data."""
    load_part_types()
    kinds = {name: _of_part(kind) for name, kind in sorted(part_types().items()) if _is_declared(kind)}
    kinds |= {name: _of_form(name, form) for name, form in sorted(forms().items())}
    text = {"type": "string"}
    properties = {
        "condyle": {"const": 1}, "name": text, "title": text, "summary": text, "source": text,
        "dimension": {"enum": [2, 3]},
        "gravity": {"$ref": "#/$defs/numbers", "description": "[m/s²]"},
        "units": {"type": "object", "additionalProperties": _NUMBER},
        "parameters": {"type": "object", "additionalProperties": {"anyOf": [_NUMBER, {"$ref": "#/$defs/parameter"}]}},
        "code": {"type": ["string", "array"], "items": text},
        "include": {"anyOf": [{"$ref": "#/$defs/include"}, {"type": "array", "items": {"$ref": "#/$defs/include"}}]},
        "parts": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/part"}},
        "run": _closed({**dict.fromkeys(RUN_UNITS, _NUMBER), **dict.fromkeys(RUN_WORDS, _WORDS)}),
        "curves": {"type": "object", "additionalProperties": {"$ref": "#/$defs/curve"}},
        "outputs": {"type": "object", "additionalProperties": _NUMBER},
        "claims": {"type": "object", "additionalProperties": {"$ref": "#/$defs/claim"}},
        "figures": {"type": "object", "additionalProperties": {"$ref": "#/$defs/figure"}},
    }  # fmt: skip
    return {
        "$schema": ADDRESS, "title": "Condyle model file", **_closed(properties),
        "$defs": {
            "numbers": {"type": ["number", "string", "array", "object"]},
            "parameter": _closed({**dict.fromkeys(("value", "low", "high", "quick"), _NUMBER), "meaning": text}, ["value"]),
            "include": _closed({
                "file": text, "prefix": text, "shared": {}, "mirror": {"enum": ["x", "y", "z"]}, "parameters": _NAMED,
            }, ["file"]),
            "curve": _closed({**dict.fromkeys(READINGS, text), "component": {"enum": ["x", "y", "z", "size"]}, "unit": text}),
            "claim": _closed({
                "value": _NUMBER, "tolerance": _NUMBER, "between": {"type": "array", "minItems": 2, "maxItems": 2}, "of": text,
                "kind": {"enum": list(KINDS)}, "from": text,
            }),
            "figure": _closed({"curves": {"type": ["array", "string"]}, "title": text, "against": text}, ["curves"]),
            "mesh": {"type": "object", "properties": {"file": text, "region": text, "shape": {"enum": list(MESHES)}}},
            "part": {
                "type": "object", "required": ["type"], "properties": {"type": {"enum": list(kinds)}},
                "allOf": [
                    {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": made}
                    for name, made in kinds.items()
                ],
            },
        },
    }  # fmt: skip


def _closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    return made | ({"required": required} if required else {})


def _is_declared(kind: type[Part]) -> bool:
    return dataclasses.is_dataclass(kind) and kind.__name__ != "Ground"


def _of_part(kind: type[Part]) -> dict[str, Any]:
    """The fields of a part; its name stands before it, or nowhere."""
    fields = [f for f in dataclasses.fields(kind) if f.init and f.name != "name"]  # type: ignore[arg-type]
    required = [f.name for f in fields if f.default is f.default_factory is dataclasses.MISSING]
    made = _closed({"type": {"const": kind.type_name()}, **_fields(kind)}, required)
    return made | {"description": (kind.__doc__ or "").strip().partition("\n")[0]}


def _fields(kind: type[Part]) -> dict[str, Any]:
    known = quantities(kind)
    fields = [f for f in dataclasses.fields(kind) if f.init and f.name != "name"]  # type: ignore[arg-type]
    return {f.name: _field(str(f.type), known.get(f.name)) for f in fields}


def _field(annotation: str, about: Quantity | None) -> dict[str, Any]:
    none = [None] if takes_none(annotation) else []
    if about is not None and about.words:
        return {"enum": [*about.words, *none]}
    types = json_types(annotation)
    made: dict[str, Any] = {"type": [*types, *(() if "null" in types else ("null",))]} if types else {}
    if about is not None and (about.unit or about.bounds):
        made["description"] = " ".join(filter(None, (f"[{about.unit}]" if about.unit else "", about.bounds)))
    if about is not None and (about.vector or about.shape):
        least, most = (2, 3) if about.vector else (about.shape[0],) * 2
        made |= {"minItems": least, "maxItems": most} if least >= 0 else {}
    if about is not None and bare(annotation) == "float":
        bounds = {
            "exclusiveMinimum": about.above,
            "minimum": about.at_least,
            "exclusiveMaximum": about.below,
            "maximum": about.at_most,
        }
        made |= {word: value for word, value in bounds.items() if abs(value) != float("inf")}
    return made


def _of_form(name: str, form: Any) -> dict[str, Any]:
    wanted, more = form_parameters(form)
    kind = part_types()[name.partition(".")[0]]
    own = {**_fields(kind)} if more else {}
    for field in wanted:
        unit = UNITS.get(field)
        own[field] = (
            {"$ref": "#/$defs/mesh"}
            if field == "mesh"
            else {"description": f"[{unit}]"}
            if unit
            else own.get(field, {})
        )
    own.pop("name", None)
    required = [field for field, needed in wanted.items() if needed and field != "name"]
    made = _closed({"type": {"const": name}, **own}, required)
    return made | {"description": (form.__doc__ or "").strip().partition("\n")[0]}
