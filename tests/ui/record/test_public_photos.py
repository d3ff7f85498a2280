"""Public photos beside a report: the shipped features are the trunk's, and the nearest photos are near."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core import release, zoo
from rlm_core.data.samples import cifar10_samples
from rlm_core.device.description import PIXELS, description
from rlm_core.types import FloatArray
from ui.record import observer, public_photos

NUMBERS = "cifar10-crlm-eps70"


def photo(row: int) -> FloatArray:
    return np.asarray(cifar10_samples().images[row].reshape(-1) / 255.0)


def test_the_shipped_features_are_what_the_trunk_computes() -> None:
    rows = public_photos.public_rows()
    assert len(rows) == len(public_photos.features()) == 90
    found = public_photos.compute(zoo.load(NUMBERS, "cpu"), rows[[3, 70]])
    np.testing.assert_allclose(public_photos.features()[[3, 70]], found, rtol=2e-3, atol=2e-3)  # stored as float16


def test_no_photo_of_the_gallery_is_among_them() -> None:
    labels = cifar10_samples().labels
    for label in range(10):
        gallery = np.flatnonzero(labels == label)[: public_photos.IN_GALLERY]
        assert not np.isin(gallery, public_photos.public_rows()).any()


@pytest.mark.parametrize("name", [NUMBERS, "cifar10" + PIXELS])
def test_without_much_noise_a_public_photo_is_nearest_to_its_own_report(name: str) -> None:
    """At ε = 10⁶ the noise is far below the distance between photos."""
    at = 41
    row = int(public_photos.public_rows()[at])
    if name.endswith(PIXELS):
        from rlm_core.baselines.laplace import PerFeatureLaplace

        about = description(name)
        mechanism = PerFeatureLaplace(epsilon=1e6, low=tuple(about["low"]), high=tuple(about["high"]))
        text = release(photo(row), None, mechanism=mechanism).to_json()
    else:
        text = release(photo(row), None, mechanism=zoo.load(name, "cpu").mechanism(1e6)).to_json()
    each = observer.read(text, ("cifar10",))
    assert public_photos.nearest_photos(each, observer.belief([each]), 4)[0] == at


def test_photos_of_a_code_that_is_certain_have_that_code() -> None:
    name = zoo.choose_codes("cifar10", 4.0, 13_500)
    at = 41
    row = int(public_photos.public_rows()[at])
    text = release(photo(row), None, mechanism=zoo.load(name, "cpu").mechanism(40.0)).to_json()
    each = observer.read(text, ("cifar10",))
    codes = public_photos.representations(name).argmax(axis=1)
    found = public_photos.nearest_photos(each, observer.belief([each]), 1)
    assert codes[found[0]] == codes[at]
