"""Local laws: pure functions of a few gathered vectors. Imports nothing else of Condyle but `condyle.errors`.

record.py       what a law is: equation, parameters, traits, functions, examples; from it all else follows
codes.py        the records of the package but those of materials, which stand in bodies/materials
user.py         laws of the user's own: `condyle.law`
table.py        how compiled code calls a law by its number, and when it is compiled
forms.py        what functions of laws take
own_code.py     what it calls of laws of the user's own and of solids
gram.py         laws of the Gram matrix G = y yᵀ (energies and constraints), and their discrete gradient
solids.py       stress and stiffness of materials in space, in planes and about axes
energies.py, ancf.py, frames.py, coordinates.py, chords.py, constraints.py, muscles.py, forces.py, rolling.py: functions of laws
muscle_places.py  the parameters of a muscle and where they stand
kernel.py       the one decorator for compiled code
lanes.py        eight numbers side by side, for vector instructions

A new law is a record and its function; the tests find it by its record and check it against finite differences.
"""
