"""Large meshes are assembled in two threads: the same numbers, bit for bit."""

import numpy as np
import pytest

import condyle as cd
from condyle.system import assembly, thread_groups
from condyle.system.compile import running

SOFT = cd.Robust(100.0, 0.3, 1.0, viscosity=0.1)


def block(d, divisions, **options):
    m = cd.Model("block", dimension=d, gravity=(0.0, 0.0, -9.81)[-d:])
    mesh = m.add(cd.Solid.block("mesh", (1.0,) * d, divisions, SOFT, **options))
    m.add(cd.Tie("base", mesh, "bottom", m.ground))
    return m


def assembled(system, where, threads, monkeypatch):
    """Residual and matrix of a state that is deformed and moves."""
    monkeypatch.setenv("CONDYLE_THREADS", str(threads))
    rng = np.random.default_rng(4)
    x = system.x_start + np.where(system.moving[:, None], 0.002 * rng.uniform(-1, 1, system.x_start.shape), 0.0)
    still = np.zeros_like(x)
    loads = (still + 0.1, system.amplitudes(0.0), system.targets(0.0, 0.0))
    held = (np.zeros(len(system.multipliers)), *system.stiffness(1.0))
    motion = (system.x_start, x, 0.5 * (x + system.x_start), x - system.x_start, still, system.x_start)
    maps = (assembly.NO_MAP, assembly.NO_MAP)
    factors = (4.0, 0.5, 2.0) if where == assembly.CONSERVING else (4.0, 1.0, 2.0)
    assembly.assemble(system.whole, motion, loads, held, where, where, factors, maps, True, system.scratch)
    return [system.scratch.r.copy(), system.scratch.r_noise.copy(), system.scratch.A.copy()]


MODELS = {
    "hexahedra": lambda: block(3, (8, 9, 7)),
    "triangles": lambda: block(2, (30, 30), element="tri6", quasi_static=True),
}


@pytest.mark.parametrize("where", [assembly.END, assembly.CONSERVING])
@pytest.mark.parametrize("name", MODELS)
def test_two_threads_sum_what_one_does_bit_for_bit(name, where, monkeypatch):
    system = running(MODELS[name]())
    one, two = (assembled(system, where, k, monkeypatch) for k in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    monkeypatch.setattr(thread_groups, "LEAST", np.inf)
    plain = running(MODELS[name]())
    assert plain.spans.size == 6
    for a, b in zip(one, assembled(plain, where, 2, monkeypatch), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12 * np.abs(b).max())


def test_the_shares_of_two_threads_have_no_row_in_common():
    system = running(block(3, (8, 9, 7)))
    first, second = system.spans[6:]
    rows = [set(np.concatenate([i.rows for i in part]).tolist()) for part in
            (system.instances[0][:first], system.instances[0][first:second])]  # fmt: skip
    assert not rows[0] & rows[1]
    assert min(first, second - first) > 0.4 * system.spans[1]


def test_small_models_and_those_tied_to_one_body_throughout_are_not_split():
    assert cd.compile(block(3, (4, 4, 4))).spans.size == 6
    m = cd.Model("coated", dimension=3)
    hub = m.add(cd.RigidBody("hub", 1.0, inertia=(1, 1, 1)))
    mesh = m.add(cd.Solid.block("mesh", (1.0, 1.0, 0.1), (20, 30, 1), SOFT))
    m.add(cd.Tie("glue", mesh, "back", hub))
    assert cd.compile(m).spans.size == 6
