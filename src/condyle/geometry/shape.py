"""Rigid shapes as the user declares them. Lengths in m, in the axes of the body that carries the shape.

`centre` and `rotation` (a matrix (3, 3) whose columns are the axes of the shape) place a shape in its body; those with an axis
have it along z.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.geometry import kinds

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Shape:
    """Base of all shapes: where it is in its body."""

    kind: ClassVar[int]
    positive: ClassVar[tuple[str, ...]] = ()  # its fields that are lengths above zero [m]
    centre: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    rotation: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._numbers("centre", (3,))
        if self.rotation is None:
            object.__setattr__(self, "rotation", np.eye(3))
        R = self._numbers("rotation", (3, 3))
        if not np.allclose(R.T @ R, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0.0:
            raise InputError(f"{self.label}: rotation must be a rotation matrix, RᵀR = 1 and det R = 1")
        self._positive(*self.positive)

    @property
    def label(self) -> str:
        """How messages name it."""
        return type(self).__name__

    @property
    def margin(self) -> float:
        """Radius of the sphere that is swept over the core [m]."""
        return 0.0

    def core(self) -> list[float]:
        """Sizes of the core, as the kernels want them."""
        return []

    def reach(self) -> float:
        """Radius of a sphere about the origin of the shape that holds it [m]."""
        raise NotImplementedError

    def _numbers(self, name: str, shape: tuple[int, ...], dtype: Any = float) -> Any:
        """Make a field an array of finite numbers; −1 in `shape` is any length."""
        try:
            value = np.array(getattr(self, name), dtype=dtype)
        except (TypeError, ValueError):
            raise InputError(f"{self.label}: {name} must be numbers, not {getattr(self, name)!r}") from None
        fits = value.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, value.shape, strict=True))
        if not fits or not np.isfinite(value).all():
            wanted = "×".join("n" if n < 0 else str(n) for n in shape) or "one"
            raise InputError(f"{self.label}: {name} must be {wanted} finite numbers, not of shape {value.shape}")
        value.setflags(write=False)
        object.__setattr__(self, name, value if value.ndim else float(value))
        return value

    def _positive(self, *names: str, zero: bool = False) -> None:
        for name in names:
            value = float(self._numbers(name, ()))
            if value < 0.0 or (value == 0.0 and not zero):
                raise InputError(
                    f"{self.label}: {name} must be {'at least 0' if zero else 'positive'} [m], not {value:g}"
                )


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """All points within `radius` [m] of the centre."""

    kind = kinds.SPHERE
    positive = ("radius",)
    radius: float

    @property
    def margin(self) -> float:
        return self.radius

    def reach(self) -> float:
        return self.radius


@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid of semi-axes `radii` [m], three numbers, along its axes."""

    kind = kinds.ELLIPSOID
    radii: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        radii = self._numbers("radii", (3,))
        if radii.min() <= 0.0:
            raise InputError(
                f"{self.label}: semi-axes must be positive [m], not {radii.tolist()}; for a disc use a small one"
            )

    def core(self) -> list[float]:
        return list(self.radii)

    def reach(self) -> float:
        return float(max(self.radii))


@dataclass(frozen=True, eq=False)
class Superellipsoid(Ellipsoid):
    """((|x/a|^(2/e₂) + |y/b|^(2/e₂))^(e₂/e₁) + |z/c|^(2/e₁) = 1 with semi-axes `radii` [m] and `exponents` (e₁, e₂).

    Exponents from 0.1, nearly a box, over 1, an ellipsoid, to 1.9, nearly an octahedron: all of these are convex.
    """

    kind = kinds.SUPERELLIPSOID
    exponents: Any

    def __post_init__(self) -> None:
        super().__post_init__()
        e = self._numbers("exponents", (2,))
        if e.min() < 0.1 or e.max() > 1.9:
            raise InputError(f"{self.label}: exponents must be between 0.1 and 1.9, not {e.tolist()}")

    def core(self) -> list[float]:
        return [*self.radii, *self.exponents]

    def reach(self) -> float:
        return float(np.linalg.norm(self.radii))


@dataclass(frozen=True, eq=False)
class _Bar(Shape):
    """Round, of `radius` and `length` [m] along z; the centre is its middle."""

    positive = ("radius", "length")
    radius: float
    length: float

    def core(self) -> list[float]:
        return [self.radius, 0.5 * self.length]


@dataclass(frozen=True, eq=False)
class Capsule(_Bar):
    """All points within `radius` [m] of a line of `length` [m] along z, whose middle is the centre."""

    kind = kinds.CAPSULE

    @property
    def margin(self) -> float:
        return self.radius

    def reach(self) -> float:
        return self.radius + 0.5 * self.length


@dataclass(frozen=True, eq=False)
class Cylinder(_Bar):
    """A cylinder of `radius` and `length` [m] along z, with flat ends; the centre is its middle."""

    kind = kinds.CYLINDER

    def reach(self) -> float:
        return float(np.hypot(self.radius, 0.5 * self.length))


@dataclass(frozen=True, eq=False)
class Cone(Shape):
    """A cone whose base, of `radius` [m], is at its centre, and whose top, of radius `top`, is `height` [m] along z."""

    kind = kinds.CONE
    positive = ("radius", "height")
    radius: float
    height: float
    top: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._positive("top", zero=True)

    def core(self) -> list[float]:
        return [self.radius, self.height, self.top]

    def reach(self) -> float:
        return max(self.radius, float(np.hypot(self.top, self.height)))


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box of sides `size` [m], three numbers; rounding: radius [m] of its edges."""

    kind = kinds.BOX
    size: Any
    rounding: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        size = self._numbers("size", (3,))
        self._positive("rounding", zero=True)
        if size.min() <= 0.0 or 2.0 * self.rounding > size.min():
            raise InputError(
                f"{self.label}: sides must be positive [m] and at least twice the rounding, not {size.tolist()}"
            )

    @property
    def margin(self) -> float:
        return self.rounding

    def core(self) -> list[float]:
        return list(0.5 * self.size - self.rounding)

    def reach(self) -> float:
        return float(np.linalg.norm(0.5 * self.size))


@dataclass(frozen=True, eq=False)
class HalfSpace(Shape):
    """All that is below the plane through the centre, at right angles to `normal`, which points out."""

    kind = kinds.HALF_SPACE
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        n = self._numbers("normal", (3,))
        if not n.any():
            raise InputError(f"{self.label}: normal must not be 0; give the direction out of the material")
        n = n / np.linalg.norm(n)
        across = np.eye(3)[np.argmin(np.abs(n))]
        u = np.cross(across, n)
        u /= np.linalg.norm(u)
        object.__setattr__(self, "rotation", self.rotation @ np.column_stack((u, np.cross(n, u), n)))

    def reach(self) -> float:
        return 0.0
