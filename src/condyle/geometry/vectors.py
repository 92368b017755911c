"""Small vectors as three numbers each: what the other kernels of this room are written with."""

from __future__ import annotations

from math import sqrt

from condyle.laws.kernel import kernel


@kernel
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@kernel
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def normalised(x, y, z):
    """The unit vector along (x, y, z), and e_z of a vector that vanishes."""
    size = sqrt(x * x + y * y + z * z)
    if size < 1e-300:
        return 0.0, 0.0, 1.0
    return x / size, y / size, z / size


@kernel
def square_to(x, y, z):
    """A unit vector at right angles to a unit vector."""
    if abs(x) < 0.6:
        return normalised(0.0, z, -y)
    return normalised(-z, 0.0, x)


@kernel
def to_body(pose, x, y, z):
    """Components of a world direction along the directors of a pose (4, 3): position, then three directors."""
    return (
        pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z,
        pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z,
        pose[3, 0] * x + pose[3, 1] * y + pose[3, 2] * z,
    )


@kernel
def to_world(pose, x, y, z):
    """A body direction in world axes."""
    return (
        pose[1, 0] * x + pose[2, 0] * y + pose[3, 0] * z,
        pose[1, 1] * x + pose[2, 1] * y + pose[3, 1] * z,
        pose[1, 2] * x + pose[2, 2] * y + pose[3, 2] * z,
    )


@kernel
def place(pose, x, y, z):
    """A body point in world axes [m]."""
    wx, wy, wz = to_world(pose, x, y, z)
    return wx + pose[0, 0], wy + pose[0, 1], wz + pose[0, 2]


@kernel
def point_in_body(pose, x, y, z):
    """A world point in the axes of a pose whose directors are orthonormal [m]."""
    return to_body(pose, x - pose[0, 0], y - pose[0, 1], z - pose[0, 2])
