"""The one bibliography: key → reference. A study's ``source`` and the docs refer to these keys."""

from __future__ import annotations

__all__ = ["BEYOND", "REFERENCES"]

BEYOND = "beyond"  # the source of a study that no publication contains

REFERENCES: dict[str, str] = {
    "taylor-2000": (
        "R. L. Taylor, Rigid-Flexible Body Analysis Without Rotation Parameters, CIMNE Publication 189, May 2000."
    ),
    "hovey-2000": (
        "C. B. Hovey, Stress and motion in diarthrodial joints using coupled nonlinear elastodynamics, rigid body "
        "dynamics, and large-slip contact, PhD thesis, Stanford University, August 2000."
    ),
    "hewlett-2020": (
        "J. Hewlett, Methods for Real-Time Simulation of Systems of Rigid and Flexible Bodies with Unilateral Contact "
        "and Friction, PhD thesis, McGill University, April 2020."
    ),
    "gantoi-2013": (
        "F. M. Gantoi, New Computational Framework for Biomechanical Multibody System Applications, PhD thesis, "
        "University of Illinois at Chicago, 2013."
    ),
    "spicka-2013": "J. Špička, Double pendulum contact problem, diploma thesis, Plzeň, May 2013.",
    "simo-wong-1991": (
        "J. C. Simo, K. K. Wong, Unconditionally stable algorithms for rigid body dynamics that exactly preserve "
        "energy and momentum, International Journal for Numerical Methods in Engineering 31 (1991) 19–52."
    ),
    "gonzalez-2000": (
        "O. Gonzalez, Exact energy and momentum conserving algorithms for general models in nonlinear elasticity, "
        "Computer Methods in Applied Mechanics and Engineering 190 (2000) 1763–1783."
    ),
    "betsch-steinmann-2001": (
        "P. Betsch, P. Steinmann, Constrained integration of rigid body dynamics, Computer Methods in Applied "
        "Mechanics and Engineering 191 (2001) 467–488."
    ),
    "arnold-bruls-2007": (
        "M. Arnold, O. Brüls, Convergence of the generalized-α scheme for constrained mechanical systems, Multibody "
        "System Dynamics 18 (2007) 185–202."
    ),
    "bruls-cardona-arnold-2012": (
        "O. Brüls, A. Cardona, M. Arnold, Lie group generalized-α time integration of constrained flexible multibody "
        "systems, Mechanism and Machine Theory 48 (2012) 121–137."
    ),
    "de-groote-2016": (
        "F. De Groote, A. L. Kinney, A. V. Rao, B. J. Fregly, Evaluation of direct collocation optimal control problem "
        "formulations for solving the muscle redundancy problem, Annals of Biomedical Engineering 44 (2016) 2922–2936."
    ),
    "blankevoort-1991": (
        "L. Blankevoort, J. H. Kuiper, R. Huiskes, H. J. Grootenboer, Articular contact in a three-dimensional model of the "
        "knee, Journal of Biomechanics 24 (1991) 1019–1031."
    ),
    "wohlmuth-2000": (
        "B. I. Wohlmuth, A mortar finite element method using dual spaces for the Lagrange multiplier, SIAM Journal on "
        "Numerical Analysis 38 (2000) 989–1012."
    ),
    "popp-2012": (
        "A. Popp, B. I. Wohlmuth, M. W. Gee, W. A. Wall, Dual quadratic mortar finite element methods for 3D finite "
        "deformation contact, SIAM Journal on Scientific Computing 34 (2012) B421–B446."
    ),
    "leissa-1973": (
        "A. W. Leissa, The free vibration of rectangular plates, Journal of Sound and Vibration 31 (1973) 257–293."
    ),
    "bergan-felippa-1985": (
        "P. G. Bergan, C. A. Felippa, A triangular membrane element with rotational degrees of freedom, Computer Methods "
        "in Applied Mechanics and Engineering 50 (1985) 25–69."
    ),
    "cook-1974": (
        "R. D. Cook, Improved two-dimensional finite element, Journal of the Structural Division ASCE 100 (1974) 1851–1863."
    ),
    "gear-gupta-leimkuhler-1985": (
        "C. W. Gear, B. Leimkuhler, G. K. Gupta, Automatic integration of Euler–Lagrange equations with constraints, "
        "Journal of Computational and Applied Mathematics 12–13 (1985) 77–90."
    ),
}
