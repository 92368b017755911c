"""Joints by rotations about given axes and translations, each a number, a coordinate or a function of coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.cardan import triad_of
from condyle.joints.joint import Joint, triad
from condyle.laws.codes import DOT_PRODUCT, TILT
from condyle.model.fields import numbers
from condyle.model.given import Given, Json, NumbersOrNone, VectorOrNone
from condyle.model.part import did_you_mean, plain
from condyle.model.quantities import declared, given, in_mirror, quantity
from condyle.model.rotations import rotation
from condyle.system.coordinate import Coordinate, Term, angle, find, slide, spline_table, split

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points
    from condyle.system.weights import Weights

Array = NDArray[np.float64]
SQUARE = 1e-9  # cosine of axes that count as square to each other


@declared
class TransformJoint(Joint):
    """Body b against body a by rotations one after the other, about axes that turn along, and translations in axes of a.

    rotations, translations: lists of {'axis': (x, y, z), 'by': …} in the order in which they act, the axes in the joint's own
    axes. 'by' is a number [rad or m]; the name of a coordinate, which the joint then has; or a function of coordinates:
    {'of': coordinate, 'x': […], 'y': […]} (a natural cubic spline, or with 'slopes': […] one with these slopes, straight beyond
    its ends), {'of': {coordinate: factor, …}, 'constant': …}. Coordinates of other joints are 'joint.coordinate'. At most three
    rotations are not numbers; of three, the second is square to the first and the third, and stays within ±90°, if it is a
    coordinate. A coordinate has the length of its translation's axis as its unit.

    radii: b's point also moves over an ellipsoid with these semi-axes [m]: the third of its axes is the normal there.
    axes, axes_b: rotations of the joint's axes on a and on b against the world at the start (as for RigidBody.rotation; axes_b:
    the same unless given). Where all rotations are zero, both coincide.
    """

    rotations: Given[Sequence[Mapping[str, Json]], list[dict[str, Json]]] = given(default_factory=list)
    translations: Given[Sequence[Mapping[str, Json]], list[dict[str, Json]]] = given(default_factory=list)
    radii: VectorOrNone = quantity("m", default=None, vector=True, kw_only=True)
    mirror = in_mirror(rotations="none", translations="none", radii="same")
    axes: NumbersOrNone = quantity("rad", default=None, kw_only=True)
    axes_b: NumbersOrNone = quantity("rad", default=None, kw_only=True)
    dimensions = (3,)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rotations = [_motion(plain(m), f"{self.label}, rotation {k + 1}") for k, m in enumerate(self.rotations)]
        self.translations = [
            _motion(plain(m), f"{self.label}, translation {k + 1}") for k, m in enumerate(self.translations)
        ]
        self.axes, self.axes_b = plain(self.axes), plain(self.axes_b)

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return tuple(m["by"] for m in (*self.rotations, *self.translations) if isinstance(m["by"], str))

    def components(self) -> tuple[str, ...]:
        """Names of all that it holds: with `released` set to them it holds nothing, and its coordinates are still there."""
        turned, sliding = self._turning(), self._sliding()
        held_axes: tuple[str, ...] = {0: ("axis 1", "axis 2", "axis 3"), 1: ("axis 1", "axis 2"), 2: ("axes",), 3: ()}[
            len(turned.axes)
        ]
        places = tuple(f"across {k + 1}" for k in range(3 - len(sliding.by)))
        if self.radii is not None or not sliding.by:
            places = ("x", "y", "z")
        turns = tuple(f"rotation {k + 1}" for k, by in enumerate(turned.by) if isinstance(by, dict))
        slides = tuple(f"translation {k + 1}" for k, by in enumerate(sliding.by) if isinstance(by, dict))
        return (*places, *slides, *held_axes, *turns)

    def validate(self, model: Model) -> None:
        super().validate(model)
        for axes in (self.axes, self.axes_b):
            triad_of(axes, 3, self.label)
        own = self.coordinate_names(3)
        if len(set(own)) < len(own):
            raise InputError(f"{self.label}: each of its coordinates stands for one motion; there are {', '.join(own)}")
        for motion in (*self.rotations, *self.translations):
            for name in _references(motion["by"]):
                if "." in name:
                    split(model, name, self)
                elif name not in own:
                    raise InputError(f"{self.label}: it has no coordinate '{name}'{did_you_mean(name, own)}")
        self._turning()
        if self._sliding().by and self.radii is not None:
            raise InputError(
                f"{self.label}: the place on an ellipsoid (radii) follows from the rotations; of its translations only numbers "
                "can be added, so leave the others out"
            )

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        turns, slides = self._angles(builder), self._slides(builder)
        pairs = [*zip(self._turning().by, turns, strict=True), *zip(self._sliding().by, slides, strict=True)]
        return {by: coordinate for by, coordinate in pairs if isinstance(by, str)}

    def compile(self, builder: Builder) -> None:
        """What is no coordinate is held: as dot products where nothing depends on coordinates."""
        own, hold = self.coordinates(builder), held(self.enforcement, self)
        self._hold_translations(builder)
        self._hold_rotations(builder)
        turned = self._turning()
        shift = (0.0, -turned.tilt if len(turned.axes) == 3 else 0.0, 0.0)
        moving = [
            *zip(turned.by, self._angles(builder), shift, (f"rotation {k + 1}" for k in range(3)), strict=False),
            *(
                (by, q, 0.0, f"translation {k + 1}")
                for k, (by, q) in enumerate(zip(self._sliding().by, self._slides(builder), strict=True))
            ),
        ]
        for by, coordinate, less, component in moving:
            if isinstance(by, dict):
                terms = [Term(coordinate), *self._terms(builder, by, own)]
                constant = float(by.get("constant", 0.0)) - less
                builder.add_coordinate_constraint(self.name, terms, constant, *hold, component)

    # --- rotations ----------------------------------------------------------------------------------------------------

    def _turning(self) -> _Turning:
        return turning(self.rotations, self.label)

    def _carried(self, builder: Points) -> tuple[list[Weights], list[Weights]]:
        """The triad of the rotations as a and as b carry it: both coincide where the angles, and the tilt, are zero."""
        turned = self._turning()
        a = triad_of(self.axes, 3, self.label)
        b = a if self.axes_b is None else triad_of(self.axes_b, 3, self.label)
        on_b = turned.triad @ turned.last @ b  # rows: the triad, seen along the axes of b's end of the rotations
        on_a = turned.triad @ a
        return [self.on(builder, self.a, v) for v in on_a], [self.on(builder, self.b, v) for v in on_b]

    def _angles(self, builder: Points) -> list[Coordinate]:
        """One for each rotation that is no number."""
        turned = self._turning()
        a, b = self._carried(builder)
        if not turned.axes:
            return []
        if len(turned.axes) == 1:
            return [angle(b[0], a[0], a[1])]
        first = angle(b[2], a[2], -1.0 * a[1])
        last = angle(a[0], b[0], -turned.sense * b[1])
        return [first, last] if len(turned.axes) == 2 else [first, Coordinate(TILT, [a[0], b[2]]), last]

    def _hold_rotations(self, builder: Builder) -> None:
        a, b = self._carried(builder)
        turned = self._turning()
        if not turned.axes:
            for k in range(3):
                self._hold(builder, a[k], b[(k + 1) % 3], 0.0, f"axis {k + 1}")
        elif len(turned.axes) == 1:
            for k in (0, 1):
                self._hold(builder, a[k], b[2], 0.0, f"axis {k + 1}")
        elif len(turned.axes) == 2:
            self._hold(builder, a[0], b[2], float(np.sin(turned.tilt)), "axes")

    # --- translations -------------------------------------------------------------------------------------------------

    def _sliding(self) -> _Sliding:
        return _sliding(self.translations, self.label)

    def _gap(self, builder: Points) -> Weights:
        """From a's point, moved by translations that are numbers, to b's."""
        along = self._sliding().constant @ triad_of(self.axes, 3, self.label)
        gap = builder.position(self.b, self) - builder.position(self.a, self)
        return gap - self.on(builder, self.a, along) if along.any() else gap

    def _slides(self, builder: Points) -> list[Coordinate]:
        sliding = self._sliding()
        axes = sliding.dual @ triad_of(self.axes, 3, self.label)
        gap = self._gap(builder)
        return [slide(self.on(builder, self.a, axes[k]), gap) for k in range(len(sliding.by))]

    def _hold_translations(self, builder: Builder) -> None:
        sliding, gap = self._sliding(), self._gap(builder)
        a = triad_of(self.axes, 3, self.label)
        if self.radii is not None:
            normal = self.on(builder, self.b, (a if self.axes_b is None else triad_of(self.axes_b, 3, self.label))[2])
            for k, radius in enumerate(self.radii):
                self._hold(builder, self.on(builder, self.a, a[k]), gap - radius * normal, 0.0, "xyz"[k])
        elif not sliding.by:
            builder.add_link(self.name, -1.0 * gap, *held(self.enforcement, self))
        else:
            for k in range(len(sliding.by), 3):
                across = self.on(builder, self.a, sliding.dual[k] @ a)
                self._hold(builder, across, gap, 0.0, f"across {k + 1 - len(sliding.by)}")

    def _hold(self, builder: Builder, one: Weights, two: Weights, value: float, component: str) -> None:
        hold = held(self.enforcement, self)
        builder.add_constraint(self.name, DOT_PRODUCT, [one, two], [value], *hold, component)

    def _terms(self, builder: Points, by: dict[str, Any], own: dict[str, Coordinate]) -> list[Term]:
        """Minus a function of coordinates."""

        def known(name: str) -> Coordinate:
            return own[name] if name in own else find(builder, name, self)

        if isinstance(by["of"], dict):
            return [Term(known(name), -float(factor)) for name, factor in by["of"].items()]
        knots, coefficients = spline_table(by["x"], by["y"], self.label, by.get("slopes"))
        return [Term(known(by["of"]), knots=knots, coefficients=-coefficients)]


class _Turning(NamedTuple):
    """Rotations that are no numbers: their axes and what they are by; a triad (rows) that leads to them, and what is left.

    R = R(e1, θ1) R(e2, tilt) R(e3, θ2) last for two of them, with R(e2, θ2 + tilt) in the middle for three; for one about e3.
    """

    axes: list[Array]
    by: list[Any]
    triad: Array
    last: Array
    tilt: float
    sense: float


class _Sliding(NamedTuple):
    """Translations that are no numbers, rows of the inverse of their axes, and the sum of the others [m]."""

    by: list[Any]
    dual: Array
    constant: Array


def turning(rotations: list[Any], label: str) -> _Turning:
    """The rotations of a `TransformJoint`, sorted; an error if one joint cannot have them."""
    fixed, axes, by = np.eye(3), [], []
    for motion in rotations:
        axis = np.array(motion["axis"]) / np.linalg.norm(motion["axis"])
        if isinstance(motion["by"], int | float):
            fixed = fixed @ rotation(axis=axis.tolist(), angle=float(motion["by"]))
        else:  # C R(n) = R(C n) C
            axes.append(fixed @ axis)
            by.append(motion["by"])
    if len(axes) > 3:
        raise InputError(f"{label}: at most three of its rotations may be coordinates or functions, not {len(axes)}")
    if not axes:
        return _Turning(axes, by, np.eye(3), fixed, 0.0, 1.0)
    if len(axes) == 1:
        return _Turning(axes, by, triad(axes[0]), fixed, 0.0, 1.0)
    first, last = axes[0], axes[-1]
    sense = 1.0
    if len(axes) == 2:
        third = last - (last @ first) * first
        if np.linalg.norm(third) < 1e-6:
            raise InputError(f"{label}: two rotations about the same axis cannot be told apart; join them")
        third /= np.linalg.norm(third)
        second = np.cross(third, first)
    else:
        second = axes[1]
        if max(abs(second @ first), abs(second @ last)) > SQUARE:
            raise InputError(
                f"{label}: the second axis of three rotations must be perpendicular to the first and the third; put a light "
                "body between two joints instead"
            )
        third = np.cross(first, second)
        sense = 1.0 if last @ third > 0.0 else -1.0
        last = sense * last
    tilt = float(np.arcsin(np.clip(last @ first, -1.0, 1.0)))
    if len(axes) == 3 and abs(tilt) > SQUARE and isinstance(by[1], str):
        raise InputError(
            f"{label}: if the second of three rotations is a coordinate, the first and the third axis must be square"
        )
    back = rotation(axis=second.tolist(), angle=-tilt) if abs(tilt) > SQUARE else np.eye(3)
    return _Turning(axes, by, np.array([first, second, third]), back @ fixed, tilt, sense)


def _sliding(translations: list[Any], label: str) -> _Sliding:
    constant, axes, by = np.zeros(3), [], []
    for motion in translations:
        if isinstance(motion["by"], int | float):
            constant = constant + float(motion["by"]) * np.array(motion["axis"])
        else:
            axes.append(np.array(motion["axis"]))
            by.append(motion["by"])
    if len(axes) > 3 or np.linalg.matrix_rank(np.reshape(axes or np.zeros(3), (-1, 3)), tol=1e-9) < len(axes):
        raise InputError(f"{label}: its translations must be along at most three independent axes")
    own = np.array(axes).reshape(-1, 3)
    rest = np.linalg.svd(own)[2][len(axes) :]  # square to all of them
    return _Sliding(by, np.linalg.inv(np.vstack((own, rest)).T), constant)


def _motion(given: object, label: str) -> dict[str, Any]:
    """A rotation or translation as plain data, checked."""
    if not isinstance(given, dict) or set(given) != {"axis", "by"}:
        raise InputError(f"{label}: give {{'axis': (x, y, z), 'by': …}}, not {given!r}")
    axis = numbers(given["axis"], f"{label}: axis", shape=(3,))
    if not axis.any():
        raise InputError(f"{label}: its axis must not be zero")
    by = given["by"]
    if isinstance(by, dict):
        if isinstance(by.get("of"), str):
            spline_table(by.get("x", ()), by.get("y", ()), label, by.get("slopes"))
        elif not isinstance(by.get("of"), dict) or not by["of"]:
            raise InputError(
                f"{label}: a function says of which coordinates it is: 'of' is a name, or names with factors"
            )
    elif (
        isinstance(by, bool)
        or not isinstance(by, int | float | str)
        or (not isinstance(by, str) and not np.isfinite(by))
    ):
        raise InputError(f"{label}: 'by' is a finite number, the name of a coordinate or a function, not {by!r}")
    return {"axis": tuple(axis.tolist()), "by": by}


def _references(by: object) -> tuple[str, ...]:
    """Coordinates that a function is of."""
    if not isinstance(by, dict):
        return ()
    return (by["of"],) if isinstance(by["of"], str) else tuple(by["of"])
