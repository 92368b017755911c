"""A bouncing ball of 1 s and 5 s, as real-time factors, beside the published times of spicka-2013 (table 3.1).

python benchmarks/ball.py

The ball and its fitted non-linear law are those of the study `spicka-solvers`; steps by error control. The error is that of the
height at the end, against Runge–Kutta of order 8. The source's solver took 166 s and 1382 s on a processor of 2006 (ode15s).
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from goals import Goal

PUBLISHED = {1.0: 166.0, 5.0: 1382.0}  # simulated seconds -> processor seconds
REAL_TIME = 1.0  # processor seconds per simulated second, at most
ERROR = 1e-5  # local error of a step, relative to the size of the model


def measured(repeats: int) -> Iterator[Goal]:
    """Both lengths by Condyle's own method, with the error of each."""
    for end, published in PUBLISHED.items():
        spent = []
        for _ in range(repeats):
            began = time.process_time()
            height = bounced(end, step_error=ERROR)
            spent.append(time.process_time() - began)
        from condyle.methods import ScipyReference

        exact = bounced(end, integrator=ScipyReference("DOP853", rtol=1e-10, stabilisation="baumgarte"))
        factor = min(spent) / end
        note = f"{min(spent):.2f} s, error of the height {abs(height - exact):.1e} m; published {published:g} s"
        yield Goal(f"bouncing ball of {end:g} s: seconds per second", factor, REAL_TIME, note=note)


def bounced(end: float, **options: object) -> float:
    """Height of the ball at the end [m]."""
    import condyle as cd
    from condyle.studies import spicka_solvers as study

    p = study.STUDY.values()
    model = study.ball_model(p, study.law(p), p.height)
    result = cd.simulate(model, end=end, dt=p.frame, energy_tolerance=float("inf"), **options)  # type: ignore[arg-type]
    return float(result.position("ball")[-1, 1])


def main() -> None:
    """One line each."""
    for goal in measured(3):
        print(f"{goal.what}: {goal.measured:.3g} (wanted {goal.limit:g}); {goal.note}")


if __name__ == "__main__":
    main()
