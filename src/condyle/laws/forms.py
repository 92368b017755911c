"""What the functions of laws take when compiled code calls them: the types of their arguments.

Laws of solids are called most often, and by pointers: an array would be seven numbers and more. p is followed by its size.
"""

from __future__ import annotations

from numba import types

COUNT, NUMBER = types.int64, types.float64
READ = types.Array(NUMBER, 1, "C", readonly=True)
LIST, MATRIX, MODULI = (types.Array(NUMBER, n, "C") for n in (1, 2, 4))
POINTER = types.CPointer(NUMBER)

# What a function of each column of the table takes.
GRAM = (COUNT, MATRIX, READ, MATRIX, MODULI)
FORCE = (COUNT, COUNT, MATRIX, MATRIX, NUMBER, READ, MATRIX, MODULI, MODULI)
RATE = (COUNT, COUNT, MATRIX, READ, MATRIX, MODULI)
BETWEEN_TWO = (COUNT, MATRIX, MATRIX, READ, MATRIX, MODULI, MATRIX, MODULI)
STRAINS = (COUNT, COUNT, MATRIX, MATRIX, READ, MODULI, MODULI)
OF_INVARIANTS = (POINTER, POINTER, COUNT, POINTER, POINTER)
OF_STRETCHES = (NUMBER, POINTER, COUNT, POINTER)
OF_COMPONENTS = OF_INVARIANTS
