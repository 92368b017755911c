"""Laws against finite differences, and their discrete gradients against the change of their energy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.laws.forces import force_law
from condyle.laws.gram import discrete_gradient, gram_law
from condyle.laws.rates import rate_law
from condyle.laws.record import Law
from condyle.laws.user import compiled

Array = NDArray[np.float64]
# Fourth-order central differences.
STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))
STEPS = (1e-3, 1e-4, 1e-5)  # of the differences, relative to the size of what is changed


class CheckFailed(AssertionError):
    """What is wrong, in a sentence."""


# --- values -----------------------------------------------------------------------------------------------------------


def gram_value(code: int, ny: int, G: Array, p: Array) -> tuple[float, Array, Array]:
    """ψ, S, H of a law of the Gram matrix at G. The arrays come in as nan: the law has to fill them."""
    S, H = np.full((ny, ny), np.nan), np.full((ny,) * 4, np.nan)
    return gram_law(code, ny, np.ascontiguousarray(G), p, S, H), S, H


def discrete_value(code: int, ny: int, G0: Array, G1: Array, p: Array) -> tuple[Array, Array]:
    """S, H of the discrete gradient from G0 to G1."""
    S, H, Gw, Sw, Hw = (np.full((ny,) * k, np.nan) for k in (2, 4, 2, 2, 4))
    discrete_gradient(code, ny, np.ascontiguousarray(G0), np.ascontiguousarray(G1), p, S, H, Gw, Sw, Hw)
    return S, H


def force_value(code: int, d: int, y: Array, ydot: Array, p: Array, amplitude: float = 1.3) -> tuple[Array, ...]:
    """f, ∂f/∂y, ∂f/∂ẏ of a force law."""
    ny = len(y)
    f, Ky, Kv = np.zeros((ny, d)), np.zeros((ny, d, ny, d)), np.zeros((ny, d, ny, d))
    force_law(code, ny, d, np.ascontiguousarray(y), np.ascontiguousarray(ydot), amplitude, p, f, Ky, Kv)
    return f, Ky, Kv


def rate_value(code: int, d: int, y: Array, p: Array) -> tuple[Array, Array]:
    """a and ∂a/∂y of a constraint of velocities."""
    ny = len(y)
    a, K = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    rate_law(code, ny, d, np.ascontiguousarray(y), p, a, K)
    return a, K


# --- places to try ----------------------------------------------------------------------------------------------------


def some_gram(ny: int, rng: np.random.Generator, scale: float = 1.0) -> Array:
    """A Gram matrix of vectors that are deformed and turned, of length about `scale`."""
    n = max(ny, 3)
    y = scale * (np.eye(n) + 0.3 * rng.uniform(-1, 1, (n, n)))[:ny]
    if ny == 4:
        y[3] += y[2]  # about an axis, the hoop stretch is the product of these two, and not zero
    return np.asarray(y @ y.T)


def some_vectors(ny: int, d: int, rng: np.random.Generator, scale: float = 1.0) -> Array:
    """Vectors of length about `scale`: none is near zero, no angle between them is undefined."""
    return scale * (0.3 * rng.normal(size=(ny, d)) + np.eye(ny, d) + 0.8 * np.eye(ny, d, k=-1))


def symmetric_direction(ny: int, rng: np.random.Generator) -> Array:
    """A change of G of norm 1."""
    E = rng.normal(size=(ny, ny))
    E = E + E.T
    return np.asarray(E / np.linalg.norm(E))


def along(function: Callable[[float], Any], step: float) -> Any:
    """The derivative of function(s) at s = 0."""
    return sum(w * function(k * step) for k, w in STENCIL) / step


# --- checks -----------------------------------------------------------------------------------------------------------


def gram_derivatives(code: int, ny: int, p: Array, scale: float = 1.0) -> None:
    """S and H are the first and second derivatives of ψ, and symmetric. scale: length of the vectors [m]."""
    rng = np.random.default_rng(ny)
    for _ in range(5):
        G, E = some_gram(ny, rng, scale), symmetric_direction(ny, rng)
        psi, S, H = gram_value(code, ny, G, p)
        _finite(f"ψ, S or H at G = {_text(G)}", psi, S, H)
        top_s, top_h = float(np.abs(S).max()), float(np.abs(H).max())
        sizes = [scale**2 * step for step in STEPS]
        noise = 1e-14 * (abs(psi) + float(np.sum(np.abs(S * G))))
        slope, change = float(np.sum(S * E)), np.einsum("ijkl,kl->ij", H, E)

        def value(s: float, G: Array = G, E: Array = E) -> tuple[float, Array, Array]:
            return gram_value(code, ny, G + s * E, p)

        allowed = 1e-7 * abs(slope) + 1e-8 * top_s
        _matches("S is not ∂ψ/∂G", slope, lambda s, value=value: value(s)[0], sizes, noise, allowed)  # type: ignore[misc]
        noise = 1e-14 * (top_s + top_h * float(np.abs(G).max()))
        bound = 1e-6 * np.abs(change) + 1e-7 * top_h
        _matches("H is not ∂S/∂G", change, lambda s, value=value: value(s)[1], sizes, noise, bound)  # type: ignore[misc]
        agree("S is not symmetric", S, S.T, 1e-14 * top_s)
        agree("H is not symmetric in its pairs of indices", H, H.transpose(2, 3, 0, 1), 1e-12 * top_h)
        agree("H is not symmetric in its first two indices", H, H.transpose(1, 0, 2, 3), 1e-12 * top_h)


def discrete_energy(
    code: int, ny: int, p: Array, step: float, scale: float = 1.0, tolerance: float = 1e-12
) -> None:  # fmt: skip
    """The discrete gradient S of a step of relative size `step` gives S:(G1 − G0) = ψ1 − ψ0, both ways, and is symmetric."""
    rng = np.random.default_rng(7)
    for _ in range(5):
        G0 = some_gram(ny, rng, scale)
        G1 = G0 + step * np.linalg.norm(G0) * symmetric_direction(ny, rng)
        while np.linalg.eigvalsh(G1).min() <= 0.05 * scale**2:  # large steps must end at a possible G
            G1 = (1.0 + step) * some_gram(ny, rng, scale)
        S, _ = discrete_value(code, ny, G0, G1, p)
        psi0, psi1 = gram_value(code, ny, G0, p)[0], gram_value(code, ny, G1, p)[0]
        work = np.sum(S * (G1 - G0))
        size = max(abs(psi0), abs(psi1), float(np.sum(np.abs(S * (G1 - G0)))))
        agree("the discrete gradient does not give the change of ψ", work, psi1 - psi0, tolerance * size)
        back, _ = discrete_value(code, ny, G1, G0, p)
        agree("the discrete gradient differs back in time", back, S, 2.0 * tolerance * np.abs(S).max() + 1e-15)
        agree("the discrete gradient is not symmetric", S, S.T, 1e-14 * np.abs(S).max())


def force_derivatives(code: int, d: int, ny: int, p: Array, scale: float = 1.0) -> None:
    """Ky and Kv are the derivatives of f by y and ẏ. scale: length of the vectors [m], speed of their ends [m/s]."""
    rng = np.random.default_rng(d)
    for _ in range(5):
        y = some_vectors(ny, d, rng, scale)
        ydot, e = scale * rng.normal(size=(ny, d)), rng.normal(size=(ny, d))
        f, Ky, Kv = force_value(code, d, y, ydot, p)
        _finite(f"f, Ky or Kv at y = {_text(y)}", f, Ky, Kv)
        sizes = [scale * step for step in STEPS]
        top = max(float(np.abs(f).max()), scale * float(max(np.abs(Ky).max(), np.abs(Kv).max())))
        by_y, by_rate = np.einsum("iajb,jb->ia", Ky, e), np.einsum("iajb,jb->ia", Kv, e)
        for what, given, moved in (
            ("Ky is not ∂f/∂y", by_y, lambda s, y=y, v=ydot, e=e: force_value(code, d, y + s * e, v, p)[0]),
            ("Kv is not ∂f/∂ẏ", by_rate, lambda s, y=y, v=ydot, e=e: force_value(code, d, y, v + s * e, p)[0]),
        ):
            _matches(what, given, moved, sizes, 1e-14 * top, 1e-6 * np.abs(given) + 1e-8 * top / scale)


def rate_derivatives(code: int, d: int, ny: int, p: Array, scale: float = 1.0) -> None:
    """K is the derivative of a by y, of a constraint of velocities. scale: length of the vectors [m]."""
    rng = np.random.default_rng(d)
    for _ in range(5):
        y, e = some_vectors(ny, d, rng, scale), rng.normal(size=(ny, d))
        a, K = rate_value(code, d, y, p)
        _finite(f"a or K at y = {_text(y)}", a, K)
        top = max(float(np.abs(a).max()), scale * float(np.abs(K).max()))
        given, sizes = np.einsum("iajb,jb->ia", K, e), [scale * step for step in STEPS]

        def moved(s: float, y: Array = y, e: Array = e) -> Array:
            return rate_value(code, d, y + s * e, p)[0]

        _matches("K is not ∂a/∂y", given, moved, sizes, 1e-14 * top, 1e-6 * np.abs(given) + 1e-8 * top / scale)


def law_derivatives(law: Law) -> None:
    """A law of the user's own: its derivatives, its discrete gradient, and that it is the same in Python and compiled."""
    number, p = compiled(law), np.array(complete(law))
    for ny in law.sizes:
        for d in law.dimensions if law.kind in ("force", "rate") else (3,):
            if law.kind != "solid":
                as_in_python(law, ny, d)
            if law.kind == "force":
                force_derivatives(number, d, ny, p, law.length)
            elif law.kind == "rate":
                rate_derivatives(number, d, ny, p, law.length)
        if law.kind not in ("force", "rate"):
            gram_derivatives(number, ny, p, law.length)
            for step in (1e-6, 1e-2, 0.3):
                discrete_energy(number, ny, p, step, law.length, 1e-9)


def complete(law: Law) -> tuple[float, ...]:
    """The parameters of its example, of a solid's law with those of the volume and with fibres in two directions in turn."""
    if law.kind != "solid":
        return law.example
    fibres = tuple(c for k in range(law.families) for c in ((0.6, 0.8, 0.0), (0.8, -0.6, 0.0))[k % 2])
    return (*((9.0, 0.0, 0.0) if "split" in law.traits else ()), *law.example, *fibres)


def as_in_python(law: Law, ny: int, d: int) -> None:
    """The Python function gives what its machine code gives, with no index out of range, which compiled code does not see."""
    rng = np.random.default_rng(5)
    function, number, p = law.python(), compiled(law), np.array(law.example)
    if law.kind == "force":
        y, ydot = some_vectors(ny, d, rng, law.length), law.length * rng.normal(size=(ny, d))
        result: Sequence[Any] = force_value(number, d, y, ydot, p)
        plain = [np.zeros((ny, d)), np.zeros((ny, d, ny, d)), np.zeros((ny, d, ny, d))]
        arguments: tuple[Any, ...] = (ny, d, y, ydot, 1.3, p, *plain)
    elif law.kind == "rate":
        y = some_vectors(ny, d, rng, law.length)
        result, plain = rate_value(number, d, y, p), [np.zeros((ny, d)), np.zeros((ny, d, ny, d))]
        arguments = (ny, d, y, p, *plain)
    else:
        G = some_gram(ny, rng, law.length)
        result = gram_value(number, ny, G, p)
        plain = [np.zeros((ny, ny)), np.zeros((ny,) * 4)]
        arguments = (ny, G, p, *plain)
    try:
        value = function(*arguments)
    except Exception as error:
        raise CheckFailed(f"as a Python function of {ny} vectors it fails: {type(error).__name__}: {error}") from error
    names = {"force": ("f", "Ky", "Kv"), "rate": ("a", "K")}.get(law.kind, ("ψ", "S", "H"))
    if law.kind not in ("force", "rate"):
        plain = [value, *plain]
    for name, one, other in zip(names, plain, result, strict=True):
        agree(f"{name} differs between Python and compiled code", one, other, 1e-9 * np.abs(other).max(initial=1e-300))


def agree(what: str, value: object, wanted: object, allowed: object) -> None:
    """Both are the same within what is allowed; else the worst entry is named."""
    first, second = np.asarray(value, dtype=float), np.asarray(wanted, dtype=float)
    excess = np.nan_to_num(np.abs(first - second) - allowed, nan=np.inf)
    if (excess > 0.0).any():
        k = np.unravel_index(int(np.argmax(excess)), excess.shape)
        place = f" at [{', '.join(map(str, k))}]" if k else ""
        raise CheckFailed(f"{what}{place}: {float(first[k]):.6g} against {float(second[k]):.6g}")


def _matches(
    what: str, given: Any, function: Callable[[float], Any], steps: Sequence[float], noise: float, allowed: Any
) -> None:
    """A derivative agrees with differences of the function for one of the steps; noise: round-off of the function."""
    for last, step in enumerate(steps, 1):
        try:
            agree(f"{what} (by finite differences)", given, along(function, step), allowed + noise / step)
            return
        except CheckFailed:
            if last == len(steps):
                raise


def _finite(what: str, *values: Any) -> None:
    if not all(np.isfinite(value).all() for value in values):
        raise CheckFailed(f"{what} is not finite; give an example and a length at which the law is defined")


def _text(array: Array) -> str:
    return np.array2string(array, precision=4, separator=", ").replace("\n", "")
