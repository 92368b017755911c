"""What one evaluation of a contact leaves, to compare kernels with Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from condyle.contact.step import ContactStep


def answers(step: ContactStep, x0: Any, x1: Any, where: str) -> list[Any]:
    """Everything that one evaluation leaves."""
    out = step.system.buffers()
    weight, damping = (1.3, 0.1) if where == "mean" else (1.0, 0.0)
    step.fresh = False
    step.evaluate(x0, x1, True, out, where, weight, damping)
    step.assemble(out.A.copy())
    memory = step.memory(x1)
    matrix = np.zeros((step.problem.unknowns, step.problem.unknowns))
    pattern = step.problem.pattern
    matrix[pattern.rows(), pattern.indices] = step.A
    found = [out.q, out.r, out.r_scale, out.r_noise, step.c, step.status.astype(float), matrix]
    return [a.copy() for a in (*found, *(memory[name] for name in sorted(memory)))]
