"""Long lists of parameters that the generic tests try laws with."""

from condyle.laws.muscle_places import packed

PLATE_MODULI = (3.0, 0.9, 0.1, 0.9, 2.5, 0.0, 0.1, 0.0, 1.1)
SPLINE = (1.0, 3.0, -4.0, 0.0, 4.0, 0.2, 0.3, 0.1, -0.02, 1.72, 0.14, -0.14, 0.01)  # a code, knots, powers from each

# Γ and κ coupled, and two frames of seven vectors (r', a1 a2 a3, b1 b2 b3): terms of g, c and k.
SECTION_3 = (3.0, 0.2, 0.1, 0.2, 2.0, 0.3, 0.1, 0.3, 1.0)
_DIAGONAL = (3.0, 2.0, 1.5, 1.0, 2.5, 2.0)
SECTION_6 = tuple(_DIAGONAL[i] + 0.2 if i == j else 0.2 for i in range(6) for j in range(6))
STRAINS_6 = (0.9, 0.1, -0.1, 0.2, 0.3, -0.2)
FRAMES = (0.6, 15.0, *SECTION_6, *STRAINS_6, *(float(v) for i in range(3) for v in (
    i, 0, 1 + i, 0.5, i, 0, 4 + i, 0.5, 6, 1 + i, 4 + i, 0.05,
    3 + i, 1 + (i + 2) % 3, 4 + (i + 1) % 3, 0.5, 3 + i, 1 + (i + 1) % 3, 4 + (i + 2) % 3, -0.5,
)))  # fmt: skip

LINE = (1.0, 2.0, 0.0, 0.0, 0.0, 1.0)  # a straight path
OVER = (2.0, 2.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 1.0)  # a path over one point
ANGLE_OF_ONE = (1.0, 1.0, 0.0, 0.1, 0.0, 1.0)  # a list of one angle
LINEAR_STRAINS = (2.0, 3.0, 3.0, 0.5, 0.5, 2.0, 0.4, 0.1, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0, 2.0, -0.3)


def muscle(**changes: float) -> tuple[float, ...]:
    """A muscle over one via point, in a step of 20 ms."""
    usual = dict(
        pace=100.0, activation=0.4, fibre=0.9, rigid=0.0, force=900.0, optimal=1.1, slack=0.6, speed=10.0, width=0.2,
        damping=0.1, tendon=35.0, rise=0.015, fall=0.06, steepness=10.0, passive_strain=0.6, passive_shape=4.0,
        tension_only=0.0,
    )  # fmt: skip
    return (*packed(**usual | changes), *OVER)


CURVE = (3.0, -1.0, 0.1, 1.0, -0.5, 2.0, 0.3, -0.1, 1.0, 0.7, 0.2, 0.1)  # three knots, powers from each
