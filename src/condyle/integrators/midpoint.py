"""The kinematics of energy–momentum steps as kernels; the equations are in `energy_momentum.py`."""

from condyle.integrators.step_tables import ACCELERATION, GUESS, MIDDLE, RATE, STEP
from condyle.laws.kernel import kernel

CARRIED = (("mean velocity",), ())  # of rows and of bodies, from step to step
MEAN_VELOCITY = 0


@kernel
def guess_midpoint(elastic, now, w):
    """Velocities to guess a step with: the acceleration of the last step goes on.

    But velocities of stiff parts alternate about their mean from step to step, so the mean predicts better there.
    """
    mean, guess = now.rows[MEAN_VELOCITY], w.rows[GUESS]
    for i in range(guess.shape[0]):
        for a in range(guess.shape[1]):
            guess[i, a] = mean[i, a] if elastic[i] > 0 else 2.0 * now.v[i, a] - mean[i, a]


@kernel
def move_midpoint(h, now, after, w):
    """Mid configuration, mean velocity and mean acceleration of a step."""
    pace, size = 1.0 / h, now.x.size
    x0, x1, v0, step = now.x.reshape(size), after.x.reshape(size), now.v.reshape(size), w.rows[STEP].reshape(size)
    middle, rate = w.rows[MIDDLE].reshape(size), w.rows[RATE].reshape(size)
    acceleration = w.rows[ACCELERATION].reshape(size)
    for i in range(size):
        mean = pace * step[i]
        middle[i] = 0.5 * (x0[i] + x1[i])
        rate[i] = mean
        acceleration[i] = 2.0 * pace * (mean - v0[i])


@kernel
def finish_midpoint(h, now, after, w):
    """Velocities at the end of a step: x1 = x0 + ½ h (v0 + v1)."""
    step, mean = w.rows[STEP], after.rows[MEAN_VELOCITY]
    for i in range(step.shape[0]):
        for a in range(step.shape[1]):
            mean[i, a] = step[i, a] / h
            after.v[i, a] = 2.0 / h * step[i, a] - now.v[i, a]
