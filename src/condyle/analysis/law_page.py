"""The page docs/laws.md, made from the records of all laws: `python -m condyle.analysis.law_page > docs/laws.md`."""

from __future__ import annotations

import condyle.bodies  # noqa: F401 the laws of materials
from condyle.laws.record import Law, records

HEAD = """# All laws

What acts in a model is a law of a few gathered vectors ([how](architecture.md#laws)). This page is made from their records
(`python -m condyle.analysis.law_page > docs/laws.md`); the same records give their numbers, the places and bounds of their
parameters and their tests. C = FᵀF; Ī₁ = J^(−2/3) I₁, Ī₂ = J^(−4/3) I₂, λ̄ = J^(−1/3) λ; U = ¼ κ (J² − 1 − 2 ln J) with the bulk
modulus κ, a parameter of every law that has U. y are the gathered vectors, G their Gram matrix, Q a sum of joint
coordinates or the length of a path.
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
