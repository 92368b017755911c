"""The swinging block of `work_precision.py` in KratosMultiphysics: Bossak's scheme with α = 0, full Newton, one thread."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

SIZES, CELLS, YOUNG, POISSON, DENSITY, GRAVITY = (0.5, 0.1, 0.1), (10, 2, 2), 1e5, 0.3, 1000.0, 9.81
FIRST = 1e-6  # of a step: a step before the first, which finds the accelerations at the start
TOLERANCE = 1e-6  # of the residual, relative; with 1e-9 its Newton iterations do not end


def swung(steps: int, end: float) -> tuple[float, np.ndarray]:
    """Processor seconds of all steps and the mean place of the free end at `end` [s]; total Lagrangian hex8, neo-Hookean."""
    import KratosMultiphysics as km
    import KratosMultiphysics.LinearSolversApplication as solvers

    part, free = _part()
    criterion = km.ResidualCriteria(TOLERANCE, 1e-12)
    builder = km.ResidualBasedBlockBuilderAndSolver(solvers.SparseLUSolver())
    scheme = km.ResidualBasedBossakDisplacementScheme(0.0)
    strategy = km.ResidualBasedNewtonRaphsonStrategy(part, scheme, criterion, builder, 20, False, False, True)
    strategy.SetEchoLevel(0)
    criterion.SetEchoLevel(0)
    strategy.Initialize()
    began = time.process_time()
    for k in range(steps + 1):
        # Without it accelerations are zero at the start, and the end is off at first order: by 2 mm with 400 steps.
        part.CloneTimeStep((k if k else FIRST) * end / steps)
        part.ProcessInfo[km.STEP] = k + 1
        strategy.InitializeSolutionStep()
        strategy.Predict()
        if not strategy.SolveSolutionStep():
            return math.inf, np.full(3, math.nan)
        strategy.FinalizeSolutionStep()
    seconds = time.process_time() - began
    return seconds, np.mean([(node.X, node.Y, node.Z) for node in free], axis=0)


def _part() -> tuple[Any, list[Any]]:
    """The block with its material, clamped at one end, and the nodes of the other."""
    import KratosMultiphysics as km
    import KratosMultiphysics.ConstitutiveLawsApplication as laws
    import KratosMultiphysics.StructuralMechanicsApplication

    _ = KratosMultiphysics.StructuralMechanicsApplication  # its elements are known by their names
    km.Logger.GetDefaultOutput().SetSeverity(km.Logger.Severity.WARNING)
    km.ParallelUtilities.SetNumThreads(1)
    _kept.append(km.Model())
    part = _kept[-1].CreateModelPart("block")
    part.SetBufferSize(2)
    part.ProcessInfo[km.DOMAIN_SIZE] = 3
    for variable in (km.DISPLACEMENT, km.VELOCITY, km.ACCELERATION, km.REACTION, km.VOLUME_ACCELERATION):
        part.AddNodalSolutionStepVariable(variable)
    material = part.CreateNewProperties(1)
    for variable, value in ((km.YOUNG_MODULUS, YOUNG), (km.POISSON_RATIO, POISSON), (km.DENSITY, DENSITY)):
        material.SetValue(variable, value)
    material.SetValue(km.CONSTITUTIVE_LAW, laws.HyperElastic3DLaw())
    nodes = np.arange(1, 1 + math.prod(c + 1 for c in CELLS)).reshape([c + 1 for c in CELLS[::-1]])
    for k, j, i in np.ndindex(nodes.shape):
        place = (size * at / cells for size, at, cells in zip(SIZES, (i, j, k), CELLS, strict=True))
        part.CreateNewNode(int(nodes[k, j, i]), *place)
    around = ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0))
    for cell, (k, j, i) in enumerate(np.ndindex(*CELLS[::-1])):
        corners = [int(nodes[k + c, j + b, i + a]) for c, b, a in around]
        part.CreateNewElement("TotalLagrangianElement3D8N", 1 + cell, corners, material)
    for axis in "XYZ":
        own, reaction = (getattr(km, f"{kind}_{axis}") for kind in ("DISPLACEMENT", "REACTION"))
        km.VariableUtils().AddDof(own, reaction, part)
    for node in part.Nodes:
        node.SetSolutionStepValue(km.VOLUME_ACCELERATION, [0.0, 0.0, -GRAVITY])
        if node.X0 < 1e-12:
            for axis in "XYZ":
                node.Fix(getattr(km, f"DISPLACEMENT_{axis}"))
    return part, [node for node in part.Nodes if abs(node.X0 - SIZES[0]) < 1e-12]


_kept: list[Any] = []  # a part does not live without its model
