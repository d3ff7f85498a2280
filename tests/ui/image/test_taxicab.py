"""z and z̃ from above."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from ui.image.taxicab import noise_diamond, taxicab


def test_taxicab_diamonds_hold_their_share_of_the_noise() -> None:
    # 200,000 draws: the standard deviation of a share is below 0.0012, the tolerance is more than 8 of them.
    scale = 1.7
    distance = np.abs(np.random.default_rng(11).laplace(0.0, scale, size=(200_000, 2))).sum(axis=1)
    for share in (0.9, 0.5):
        size = noise_diamond(share, scale)
        assert (distance <= size).mean() == pytest.approx(share, abs=0.01)
        assert (distance <= 0.9 * size).mean() < share - 0.01  # a wrong size would be seen


def test_taxicab_puts_points_where_they_are() -> None:
    z, z_private = np.array([1.0, -0.5, 9.0]), np.array([-2.0, 0.75, 9.0])
    svg, legend = taxicab(z, z_private, radius=3.0, scale=1.0, dims=(0, 1), earlier=[z])
    root = ElementTree.fromstring(svg)
    ball, outer, inner = (
        [tuple(map(float, p.split(","))) for p in each.get("points").split()] for each in root.iter("polygon")
    )
    unit = (ball[0][0] - ball[2][0]) / 6.0  # drawing units per unit of z: the ball is 2 · 3 wide
    earlier, at_z, at_z_private = ((float(c.get("cx")), float(c.get("cy"))) for c in root.iter("circle"))
    assert earlier == at_z
    assert at_z_private[0] - at_z[0] == pytest.approx(-3.0 * unit, abs=0.2)
    assert at_z_private[1] - at_z[1] == pytest.approx(-1.25 * unit, abs=0.2)  # upwards is less
    assert (outer[0][0] - outer[2][0]) / 2 == pytest.approx(noise_diamond(0.9, 1.0) * unit, abs=0.2)
    assert (inner[0][0] + inner[2][0]) / 2 == pytest.approx(at_z[0], abs=0.2)
    assert all(0 <= value <= 400 for point in (*outer, *ball) for value in point)
    assert "other reports" in legend
    assert len(list(ElementTree.fromstring(taxicab(z, z, radius=3.0, scale=0.0, dims=(0, 2))[0]).iter("polygon"))) == 1
