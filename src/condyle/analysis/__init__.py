"""Problems that are not a simulation in time, and comparisons of simulations.

statics.py      equilibrium by load steps; relaxation.py: by dynamic relaxation, for slack parts and mechanisms
arc_length.py   equilibrium paths past limit points; continuation.py: the equations and steps of a path
linearise.py    M, D, K and G about a state; user_forces.py: derivatives of forces that are Python functions
modes.py        eigenmodes; eigensolvers.py: dense and sparse; saddle.py: indefinite saddle points
shooting.py     two-point boundary values; kinematics.py: motions from markers
inverse.py      inverse dynamics, forces that take the place of constraints, static optimisation of muscles
compare.py      one model, many integrators and steps; comparison.py, compare_command.py, examples.py belong to it

Imports `condyle.system`, `condyle.integrators` and `condyle.results`.
"""
