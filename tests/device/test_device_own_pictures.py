"""An own mechanism of pictures by client.js, as a server would offer it: what the Worker makes of a file."""

from __future__ import annotations

import io
import json
import warnings
from typing import Any

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from rlm_core import LocalPrivatiser
from rlm_core.privatiser import UtilityWarning
from rlm_core.privatiser.own_mechanism import encoder_file, own_description
from rlm_core.privatiser.received import receive

SCRIPT = """async (content) => {
    const { Owner } = await import("/device/client.js");
    const me = new Owner();
    const file = new Blob([Uint8Array.from(content)]);
    await me.load("faces");
    const { x, doubt } = await me.fit("faces", file);
    const prepared = await me.prepare("faces", { picture: file });
    const report = await me.release("faces", prepared, 3, { epsilon: 4 }, "face");
    const refused = await me.prepare("faces", { row: {} }).catch((error) => error.message);
    return [Array.from(x), doubt, Array.from(prepared), report, refused];
}"""


@pytest.mark.browser
def test_the_worker_reads_a_file_as_python_does_and_releases_it(page: Any) -> None:
    digits = load_digits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        privatiser = LocalPrivatiser(epsilon=4.0, reports=900).fit(np.uint8(digits.images * 15), digits.target.tolist())
    about, encoder = own_description(privatiser, url="weights/own-faces", pictures=True), encoder_file(privatiser)
    page.route("**/device/mechanisms/faces.json", lambda route: route.fulfill(body=json.dumps(about)))
    page.context.route("**/device/weights/own-faces", lambda route: route.fulfill(body=encoder))
    picture = np.random.default_rng(0).integers(0, 256, (37, 21)).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    x, doubt, prepared, report, refused = page.evaluate(SCRIPT, list(file.getvalue()))
    np.testing.assert_allclose(x, privatiser.encode_table(picture[None])[0], rtol=0, atol=1e-6)
    assert prepared == x and doubt == "" and "Expected a picture" in refused
    assert receive([report], privatiser.method_, 10).epsilon == 4.0  # type: ignore[arg-type]
