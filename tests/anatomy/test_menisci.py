"""Menisci as rings of solids between condyle and plateau."""

import numpy as np
import pytest

import condyle as cd

LAYER = cd.Foundation(4e-3, 10e6, 0.45)


def pressed(ring):
    """A knee on cartilage with 800 N on the femur, at extension."""
    condyles = {
        name: (
            cd.RevolvedSurface(
                femoral.profile, femoral.axis, femoral.side, centre=femoral.centre, half_width=0.009, angles=(-1.0, 1.0)
            ),
            tibial,
        )
        for name, (femoral, tibial) in cd.Knee().condyles.items()
    }
    model = cd.build_knee(cd.Knee(contact=LAYER, contact_points=(32, 14), ring=ring, condyles=condyles), flexion=0.0)
    model.add(cd.Load("weight", cd.Point("femur", (0, 0, 0)), (0, 0, -800.0)))
    return cd.solve_static(model, steps=4)


def test_a_soft_ring_takes_half_of_the_load_off_the_cartilage():
    bare, full = pressed(None), pressed(cd.MeniscusRing())
    for side in ("medial", "lateral"):
        cartilage, before = full.contact(side), bare.contact(side)
        ring = -full.contact(f"{side} ring top").resultant[-1, 2]
        both = cartilage.resultant[-1, 2] + ring
        assert both == pytest.approx(before.resultant[-1, 2], rel=0.15)  # the same weight and ligaments
        assert 0.3 < ring / both < 0.8
        assert cartilage.pressure[-1].max() < 0.8 * before.pressure[-1].max()
    outermost = int(np.argmax(np.array(full.model["medial ring"].nodes)[:, 1]))
    assert full.displacement(f"medial ring.{outermost}")[-1, 1] > 1e-5  # the condyle presses its ring outwards


def test_rings_follow_the_joint_surfaces_and_open_to_the_middle():
    model = cd.build_knee(cd.Knee(contact=LAYER, ring=cd.MeniscusRing()), flexion=0.0)
    for side, sign in (("medial", 1.0), ("lateral", -1.0)):
        X = np.array(model[f"{side} ring"].nodes)
        assert X[:, 2].min() == pytest.approx(1e-5, abs=1e-6)
        assert np.abs(X[:, 1]).min() > 0.01
        far = X[np.abs(X[:, 1] - sign * 0.022) > 6e-3]
        inward = far[(far[:, 1] - sign * 0.022) * sign < 0]
        assert len(inward) < 0.5 * len(far)  # most of it lies outwards
    assert "medial ring front horn" in model
    assert "lateral ring rear horn" in model


@pytest.mark.parametrize(("words", "more"), [
    ("below the outer ones", {"inner": (0.02, 0.02)}),
    ("opening must be", {"opening": 4.0}),
    ("edge must be", {"edge": 0.0}),
    ("no joint surface over", {"outer": (0.013, 0.02)}),
], ids=["inner", "opening", "edge", "wide"])  # fmt: skip
def test_rings_that_cannot_be_are_refused(words, more):
    with pytest.raises(cd.InputError, match=words):
        cd.build_knee(cd.Knee(contact=LAYER, ring=cd.MeniscusRing(**more)), flexion=0.0)
