"""Redundant constraints are named, and only those."""

from __future__ import annotations

import warnings

import pytest

import condyle as cd


def flat_top() -> cd.Model:
    """A flat disk (no inertia row across it) whose axis is held at one point."""
    model = cd.Model("top", dimension=3, gravity=(0.0, 0.0, -9.81))
    top = model.add(cd.RigidBody("top", 15.0, inertia=(0.2, 0.4, 0.2), position=(0, 1, 0), points={"tip": (0, -1, 0)}))
    model.add(cd.Spherical("tip", model.ground, top.point("tip"), at=(0, 0, 0)))
    return model


def test_a_flat_body_on_a_spherical_joint_is_not_called_redundant():
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.RedundancyWarning)
        cd.simulate(flat_top(), end=0.02, dt=0.01)


def test_a_second_joint_at_the_same_point_is_named():
    model = flat_top()
    model.add(cd.Spherical("again", model.ground, model["top"].point("tip"), at=(0, 0, 0)))
    with pytest.warns(cd.RedundancyWarning, match="'tip', 'again'") as caught:
        cd.simulate(model, end=0.02, dt=0.01)
    assert sum(int(str(warning.message).split()[0]) for warning in caught) == 3
