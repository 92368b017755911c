"""What `condyle warmup` does to compile kernels ahead of use: a small run, and all that it does not call."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from condyle.laws.kernel import compile_ahead, separate_kernels, warmup_task

# Files with kernels that are compiled on their own, and those of them that the small run compiles.
MODULES = ("condyle.system.assembly", "condyle.laws.muscles", "condyle.laws.paths")
IN_THE_RUN = (
    "_add_energies", "_add_forces", "_add_others", "_constraint_values", "_finish", "_force_law", "_gram_law",
    "_law_of_coordinates", "_start", "_stored_energy",
)  # fmt: skip


@warmup_task
def compile_engine() -> None:
    """Two steps of every integrator on a model with a law of each family, statics, and starts from a state."""
    import condyle as cd
    from condyle.integrators.registry import known_integrators

    model = small_model()
    for make in known_integrators().values():
        result = cd.simulate(model, end=0.002, dt=0.001, integrator=make(), every=2)
    cd.Simulation(model, dt=0.001, state=result).set_velocity("bar", (0.0, 0.0, 0.0))
    cd.solve_static(model, steps=1)


def small_model() -> Any:
    """A bar on a hinge with a spring and a load."""
    import condyle as cd

    model = cd.Model("warm-up", dimension=3, gravity=(0.0, 0.0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", (1.0, 0.1, 0.1), 1000.0, position=(0.5, 0.0, 0.0)))
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(cd.CoordinateSpring("spring", "hinge.angle", 10.0))
    model.add(cd.Load("load", bar.at(0.5, 0.0, 0.0), (0.0, 0.0, 1.0)))
    return model


@warmup_task
def compile_rarer_kernels() -> None:
    """Cables and plates, muscles and their paths, laws of solids: what models call only if they have them."""
    for module in MODULES:
        import_module(module)
    for name in separate_kernels():
        if name not in IN_THE_RUN:
            compile_ahead(name)
