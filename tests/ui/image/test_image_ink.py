"""A digit photographed in uneven light is fitted as in even light; clean pictures come out as with one ground."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rlm_core import zoo
from rlm_core.data.samples import mnist_samples
from ui.image.files import fit_digit

LIGHTS: dict[str, Callable[[Any, Any], Any]] = {
    "a gradient": lambda x, y: 1 - 0.4 * x,
    "a steep gradient": lambda x, y: 1 - 0.65 * (0.7 * x + 0.3 * y),
    "a vignette": lambda x, y: 1 - 1.2 * ((x - 0.5) ** 2 + (y - 0.5) ** 2),
    "half a shadow": lambda x, y: np.where(x < 0.5, 1.0, 0.5),
    "a shadow across": lambda x, y: np.where(x + 0.5 * y < 0.8, 1.0, 0.45),
}
DIGITS = range(3, 400, 20)


def photographed(number: int, light: str = "", *, dark: bool = True, noise: float = 0.0) -> Any:
    """A shipped digit on a page of 240 × 300, as RGB in [0, 1] of 8 bits."""
    ink = np.zeros((300, 240))
    digit = Image.fromarray(mnist_samples().images[number])
    ink[60:220, 40:200] = np.asarray(digit.resize((160, 160), Image.Resampling.BICUBIC)) / 255
    y, x = np.mgrid[0:1:300j, 0:1:240j]
    grey = (0.9 - 0.75 * ink if dark else 0.1 + 0.8 * ink) * (LIGHTS[light](x, y) if light else 1.0)
    grey += np.random.default_rng(number).normal(0, noise, grey.shape) if noise else 0.0
    return np.repeat(np.round(255 * np.clip(grey, 0, 1))[..., None] / 255, 3, axis=-1)


def recognised(pictures: Any) -> int:
    """How many have a code that most public records of their class have."""
    model = zoo.load("mnist-qrlm-k96", "cpu")
    votes = np.zeros((96, 10))
    np.add.at(votes, (model.bundle.prior_z.argmax(axis=1), model.bundle.prior_y), 1)
    codes = model.encode(np.reshape(pictures, (len(pictures), -1))).argmax(axis=1)
    return int((votes.argmax(axis=1)[codes] == mnist_samples().labels[list(DIGITS)]).sum())


@pytest.mark.parametrize("noise", [0.0, pytest.param(0.04, marks=pytest.mark.slow)])
@pytest.mark.parametrize("light", LIGHTS)
def test_uneven_light_gives_the_digit_of_even_light(light: str, noise: float) -> None:
    fitted = np.stack([fit_digit(photographed(number, light, noise=noise)) for number in DIGITS])
    even = np.stack([fit_digit(photographed(number)) for number in DIGITS])
    assert np.abs(fitted - even).mean() < 0.05  # a grey block is 0.12 off
    assert recognised(fitted) >= len(DIGITS) - 2


@pytest.mark.slow
@pytest.mark.parametrize("light", LIGHTS)
def test_light_ink_stays_readable(light: str) -> None:
    fitted = np.stack([fit_digit(photographed(number, light, dark=False, noise=0.04)) for number in DIGITS])
    assert recognised(fitted) >= len(DIGITS) - 3


def test_specks_and_what_comes_in_from_the_border_are_not_the_digit() -> None:
    clean = photographed(130)
    dirty = clean.copy()
    dirty[5:9, 20:24] = dirty[280:283, 200:204] = 0.1  # dust
    dirty[:, 236:] = 0.1  # the table beside the page
    assert np.abs(fit_digit(dirty) - fit_digit(clean)).mean() < 0.03
