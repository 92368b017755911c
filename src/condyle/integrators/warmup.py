"""A small run that touches every kernel of the engine, so that `condyle warmup` can compile them ahead of use."""

from __future__ import annotations

from condyle.laws.kernel import warmup_task


@warmup_task
def compile_engine() -> None:
    """One step of each kind of integrator on a model with a law of each family."""
    import condyle as cd

    model = cd.Model("warm-up", dimension=3, gravity=(0.0, 0.0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", (1.0, 0.1, 0.1), 1000.0, position=(0.5, 0.0, 0.0)))
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(cd.CoordinateSpring("spring", "hinge.angle", 10.0))
    model.add(cd.Load("load", bar.at(0.5, 0.0, 0.0), (0.0, 0.0, 1.0)))
    cd.simulate(model, end=0.01, dt=0.01)
    cd.simulate(model, end=0.01, dt=0.01, integrator=cd.GeneralizedAlpha())
