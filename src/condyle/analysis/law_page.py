"""The page docs/laws.md, made from the records of all laws: `python -m condyle.analysis.law_page > docs/laws.md`."""

from __future__ import annotations

import condyle.bodies  # noqa: F401 the laws of materials
from condyle.laws.record import Law, records

HEAD = """# All laws

Everything that acts in a model is a law of a few gathered vectors ([how](architecture.md#laws)). The parts that you declare,
such as `Spring` or `NeoHookean`, are made of these laws. You need this page if you want to know an equation exactly, or if you
write a law [of your own](extending.md).

| symbol | meaning |
|---|---|
| y, G | the gathered vectors, and their Gram matrix y yᵀ |
| F, C, J | deformation gradient, C = FᵀF, J = det F |
| Ī₁, Ī₂, λ̄ | J^(−2/3) I₁, J^(−4/3) I₂ and J^(−1/3) λ, which do not change with the volume |
| U | ¼ κ (J² − 1 − 2 ln J). The bulk modulus κ is a parameter of every law that has U |
| Q | a sum of joint coordinates, or the length of a path |

The page is made from the records of the laws (`python -m condyle.analysis.law_page > docs/laws.md`). Tests and checks of
parameters use the same records.
"""
TITLES = {
    "solid": ("Materials and other energies of solids", "energy per volume"),
    "energy": ("Other stored energies", "energy"),
    "constraint": ("Scalar constraints", "constraint"),
    "rate": ("Constraints of velocities", "constraint"),
    "force": ("Forces", "force"),
}


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for kind, (title, what) in TITLES.items():
        rows = [_row(law) for law in records() if law.kind == kind]
        parts.append(f"## {title}\n\n| law | {what} | parameters |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _row(law: Law) -> str:
    words = []
    for one in law.parameters:
        details = [text for text in (one.meaning, one.bounds) if text]
        words.append(
            one.name + (f" [{one.unit}]" if one.unit else "") + (f" ({', '.join(details)})" if details else "")
        )
    if law.families:
        words.append("directions of the fibres")
    words += [law.rest] if law.rest else []
    cells = (law.name, law.equation, "; ".join(words) or "none")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    print(page(), end="")
