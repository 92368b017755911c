"""What a muscle is made of: forces of fibres and tendon over length and speed, computed from its law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.part import Part
from condyle.results.figure import COLOURS, finished, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from condyle.model.given import NumbersLike
    from condyle.muscles.hill import Muscle

Array = NDArray[np.float64]


def muscle_curves(
    muscle: Muscle,
    lengths: NumbersLike | None = None,
    speeds: NumbersLike | None = None,
    strains: NumbersLike | None = None,
) -> dict[str, tuple[Array, Array]]:
    """Forces [N] of a muscle: {'active': (lengths, force), 'passive': (lengths, force), 'velocity': …, 'tendon': …}.

    active: of the fibres at full activation and at rest, over their length divided by the optimal one (0.4 … 1 + passive_strain
    unless given); passive: without activation; velocity: at full activation and the optimal length, over the speed [optimal
    lengths/s], which is negative while they shorten (−max_speed … max_speed), without damping; tendon: over its strain
    (−0.02 … 1.2 tendon_strain); a rigid one has no curve. All are along the fibres, or along the tendon.
    """
    from condyle.laws import muscles as laws
    from condyle.muscles import Muscle

    if not isinstance(muscle, Muscle):
        raise InputError(f"muscle_curves: give a Muscle, not {muscle!r}")
    p = np.array(muscle.parameters())
    along = _places(lengths, np.linspace(0.4, 1.0 + muscle.passive_strain, 121), "lengths")
    if not (along > 0.0).all():
        raise InputError("muscle_curves: lengths must be positive; they are over the optimal length of the fibres")
    speed = _places(speeds, muscle.max_speed * np.linspace(-1.0, 1.0, 121), "speeds")
    strain = _places(strains, np.linspace(-0.02, 1.2 * muscle.tendon_strain, 121), "strains")
    at_rest = laws.active_at(1.0, p)[0]
    out = {
        "active": (along, [laws.active_at(s, p)[0] for s in along]),
        "passive": (along, [laws.passive_at(s, p)[0] for s in along]),
        "velocity": (speed, [at_rest * laws.velocity_at(v / muscle.max_speed, 1.0, p)[0] for v in speed]),
    }
    if muscle.tendon == "elastic":
        tendon = muscle.tendon_length * (1.0 + strain)
        out["tendon"] = (strain, [laws.tendon_at(length, 0.0, p)[0] for length in tendon])
    return {name: (at, muscle.max_force * np.array(force)) for name, (at, force) in out.items()}


def plot_muscle(
    muscles: Muscle | Sequence[Muscle], *, unit: str = "N", scale: float = 1.0, show: bool = False
) -> Figure:
    """Curves of a muscle, or of several (a list), in three panels: fibres at rest, fibres over speed, tendon.

    In the first, solid lines are active and passive force together at full activation, dashed ones the passive part. scale:
    multiplies the force, 1e-3 with unit='kN'.
    """
    several: list[Muscle] = [muscles] if isinstance(muscles, Part | str) else list(muscles)
    figure = new_figure((9.6, 3.4), show=show)
    fibres, velocity, tendon = axes = figure.subplots(1, 3)
    for k, muscle in enumerate(several):
        curves = {name: (at, scale * force) for name, (at, force) in muscle_curves(muscle).items()}
        colour = COLOURS[k % len(COLOURS)]
        at, passive = curves["passive"]
        fibres.plot(at, curves["active"][1] + passive, color=colour, label=muscle.name)
        fibres.plot(at, passive, color=colour, linestyle="--")
        velocity.plot(*curves["velocity"], color=colour, label=muscle.name)
        tendon.plot(
            *curves.get("tendon", ([], [])), color=colour, label=muscle.name
        )  # nothing of a rigid one but its name
    named = (("fibres at rest", "length / optimal length"), ("fibres at optimal length", "speed (optimal lengths / s)"),
             ("tendon", "strain"))  # fmt: skip
    for ax, (title, label) in zip(axes, named, strict=True):
        ax.set_title(title)
        finished(ax, label, f"force ({unit})" if ax is fibres else "", legend=ax is tendon)
    if show:
        figure.show()
    return figure


def _places(given: object, usual: Array, name: str) -> Array:
    places = usual if given is None else np.atleast_1d(np.asarray(given, dtype=float))
    if not np.isfinite(places).all():
        raise InputError(f"muscle_curves: {name} must be finite numbers")
    return places
