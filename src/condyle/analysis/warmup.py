"""What `condyle warmup` compiles ahead of use: the kernels of a small run, and those that it does not call."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from condyle.laws.kernel import compile_ahead, separate_kernels, warmup_task

# Files with kernels that are compiled on their own, and those of them that the small run compiles.
MODULES = (
    "condyle.system.assembly", "condyle.system.assembly.compliant", "condyle.system.assembly.geometric",
    "condyle.integrators.events", "condyle.integrators.loop", "condyle.laws.muscles", "condyle.laws.paths",
)  # fmt: skip
IN_THE_RUN = (
    "_add_energies", "_add_forces", "_add_others", "_constraint_values", "_finish", "_start", "_stored_energy", "add_general",
    "scatter_element",
)  # fmt: skip


@warmup_task
def compile_engine() -> None:
    """Two steps of every integrator on a model with a law of each family, statics, and starts from a state."""
    from condyle.analysis.dynamics import simulate
    from condyle.analysis.statics import solve_static
    from condyle.integrators.compliant import Compliant
    from condyle.integrators.registry import known_integrators
    from condyle.integrators.simulation import Simulation

    model, loose = small_model(), loose_model()
    for make in known_integrators().values():
        method = make()
        if getattr(method, "takes_loads", True):
            result = simulate(model, end=0.002, dt=0.001, integrator=method, every=2)
        else:
            simulate(loose, end=0.002, dt=0.001, integrator=method, every=2)
    simulate(model, end=0.002, dt=0.001, integrator=Compliant(form="force"))
    Simulation(model, dt=0.001, state=result).set_velocity("bar", (0.0, 0.0, 0.0))
    solve_static(model, steps=1)


def small_model() -> Any:
    """A bar on a hinge with a spring and a load."""
    from condyle.bodies import RigidBody
    from condyle.forces import Load
    from condyle.joints import CoordinateSpring, Revolute
    from condyle.parts import Model

    model = Model("warm-up", dimension=3, gravity=(0.0, 0.0, -9.81))
    bar = model.add(RigidBody.box("bar", (1.0, 0.1, 0.1), 1000.0, position=(0.5, 0.0, 0.0)))
    model.add(Revolute("hinge", model.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(CoordinateSpring("spring", "hinge.angle", 10.0))
    model.add(Load("load", bar.at(0.5, 0.0, 0.0), (0.0, 0.0, 1.0)))
    return model


def loose_model() -> Any:
    """A mass on a spring, for methods that take no joints."""
    from condyle.bodies import PointMass
    from condyle.forces import Spring
    from condyle.parts import Model

    model = Model("warm-up", dimension=3, gravity=(0.0, 0.0, -9.81))
    mass = model.add(PointMass("mass", 1.0, (0.0, 0.0, 0.0)))
    model.add(Spring("cord", model.ground.at(0.0, 0.0, 1.0), mass, 100.0))
    return model


@warmup_task
def compile_rarer_kernels() -> None:
    """Cables and plates, muscles and their paths, all laws: kernels that only some models call."""
    import condyle.bodies  # noqa: F401 the laws of materials
    from condyle.laws.table import compile_all

    compile_all()
    for module in MODULES:
        import_module(module)
    for name in separate_kernels():
        if name not in IN_THE_RUN:
            compile_ahead(name)
