"""How well contact was solved, by its names in the memory of a state: results read it without loading the room of contact."""

from __future__ import annotations

RESIDUAL = "contact residual"  # of the contact problem of the last step, relative to its impulses (1,)
UNSOLVED = "contact unsolved"  # number of steps so far whose residual stayed above the tolerance (1,)
PASSED = "contact passed"  # number of steps so far in which bodies have passed through each other (1,)
