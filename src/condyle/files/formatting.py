"""A model file in one style: two columns of indentation, one space around colons, comments where they were."""

from __future__ import annotations

import io

from condyle.errors import InputError
from condyle.files.tree import Node, read_tree

__all__ = ["formatted"]


def formatted(text: str, file: str) -> str:
    """The text in one style; FileError where it is no YAML. What it says is the same, which is checked."""
    before = read_tree(text, file)
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 10_000  # lines are broken where their writer broke them
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    try:
        yaml.dump(yaml.load(text), stream)
    except (YAMLError, ValueError, TypeError, AttributeError, NotImplementedError, RecursionError) as error:
        raise InputError(f"'{file}' cannot be formatted: {error}") from None
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    made = "\n".join(lines).rstrip("\n") + "\n"
    if not _same(before, read_tree(made, file)):
        raise InputError(f"'{file}' cannot be formatted without a change of what it says; it was left as it is")
    return made


def _same(a: Node, b: Node) -> bool:
    if isinstance(a.value, dict) and isinstance(b.value, dict):
        return list(a.value) == list(b.value) and all(_same(entry, b.value[key]) for key, entry in a.value.items())
    if isinstance(a.value, list) and isinstance(b.value, list):
        return len(a.value) == len(b.value) and all(map(_same, a.value, b.value))
    return a.value == b.value or (a.is_null and b.is_null)
