"""The number of each law, apart from the compiled code so that declaring a model needs no compiler."""

# Stored energies ψ(G)
SPRING = 0
ST_VENANT_KIRCHHOFF = 1
NEO_HOOKEAN = 2

# Scalar constraints c(G)
DOT_PRODUCT = 100
HALF_SQUARE = 101

# Forces f(y, ẏ, t)
DEAD_LOAD = 0
TORQUE = 1
BODY_TORQUE = 2
DAMPER = 3
VISCOUS = 4
