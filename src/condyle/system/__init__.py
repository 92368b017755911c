"""From the declared model to arrays: numbering, weights, sparsity, assembly, linear solvers.

weights.py    a gathered vector: constant weights on rows (points and directions of every body)
builder.py    what parts contribute (the only thing of this room that bodies, joints and forces know)
compile.py    Model -> System
tables.py     the compiled arrays; pattern.py: where matrix entries are stored
assembly/     the kernels: gather, laws, scatter through the tangent maps
system.py     System: residuals, energies, momenta at a state; state.py: State
start.py      positions, velocities and accelerations consistent with the constraints
row_problem.py  the equations in row form that this takes
linear/       band, dense and sparse solvers behind one interface

Imports `condyle.laws`; knows nothing of integrators.
"""
