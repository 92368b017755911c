"""Newton's method on the velocities of one large part, against the matrix between its contacts."""

from typing import Any

import numpy as np
import pytest

import condyle as cd
from condyle.integrators import nonsmooth_models


def lying(points: int, mu: float) -> cd.Model:
    """A cable that is dropped along the top of a cylinder, with a pull along it, and one contact point in each element."""
    model = cd.Model("cylinder", dimension=3, gravity=(2.0, 0.1, -9.81))
    section = cd.RoundSection(0.02, cd.StVenantKirchhoff(1e8, 0.0, 1000.0))
    height = 1e-3 * np.sin(np.arange(points + 1))
    line = [(0.5 * k, 0.0, 2e-3 + height[k]) for k in range(points + 1)]
    cable = model.add(cd.Cable("cable", line, 1, section, damping=0.01))
    shape = cd.Cylinder(1.0, (1.0, 0.0, 0.0), centre=(0.0, 0.0, -1.0))
    model.add(cd.Contact("top", cable, None, model.ground, shape, friction=mu, points="integration", per_element=1))
    return model


@pytest.mark.parametrize("mu", [0.0, 0.15, 0.5])
def test_many_points_of_a_cable_have_the_impulses_of_the_full_matrix(mu: float, monkeypatch: Any) -> None:
    runs, counts = [], []
    for rows in (0, 10_000):
        monkeypatch.setattr(nonsmooth_models, "FEW_ROWS", rows)
        sim = cd.Simulation(lying(25, mu), dt=0.004, integrator=cd.Nonsmooth(tolerance=1e-10))
        infos = [sim.step() for _ in range(12)]
        assert not any(info.unsolved for info in infos)
        runs.append(sim.state)
        counts.append(sum(info.iterations for info in infos))
    one, two = runs
    size = np.abs(two.v).max()
    assert np.allclose(one.v, two.v, atol=1e-7 * size) and np.allclose(one.x, two.x, atol=1e-9)
    force = np.abs(two.memory["contact force"]).max()
    assert force > 1.0
    assert np.allclose(one.memory["contact force"], two.memory["contact force"], atol=1e-6 * force)
    assert counts[0] < 12 * 12


def test_contacts_that_the_matrix_does_not_connect_get_room_in_it() -> None:
    from condyle.solvers.body_sweeps import SparseRows
    from condyle.solvers.velocity_newton import Matrix, fits, newton_on_velocities, solver_of, with_room

    diagonal = Matrix(np.arange(5), np.arange(4), np.ones(4))
    alone = SparseRows(np.arange(5), np.array([1, 1, 2, 2]), np.ones(4))
    between = SparseRows(np.array([0, 2, 4]), np.array([0, 3, 0, 3]), np.ones(4))
    assert fits(2, alone, diagonal) and not fits(2, between, diagonal)
    wider = with_room(2, between, diagonal)
    assert fits(2, between, wider)
    # Two masses of 1 kg that come together at 2 m/s, without friction: both stop.
    free = np.array([1.0, 0.0, 0.0, -1.0])
    across = SparseRows(np.array([0, 2, 4]), np.array([0, 3, 0, 3]), np.array([-1.0, 1.0, 0.0, 0.0]))
    none = np.zeros(2)
    found = newton_on_velocities(2, across, wider, solver_of(wider), none, none, np.zeros(1), free, none, 1e-12)
    assert np.allclose(found.p, (1.0, 0.0)) and np.allclose(found.v, 0.0) and found.residual < 1e-12
