"""The lines of docs/own-data.md for phones: h from the ONNX model, the report from our samplers, read by ``learn``."""

from __future__ import annotations

import json
import re
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from device_server import DEVICE

from rlm_core import LocalPrivatiser
from rlm_core.data import adult_sample
from rlm_core.privatiser import KINDS

ROOT = Path(__file__).resolve().parents[2]
ADULT, LABEL = adult_sample()[:1_000], "income-per-year"


def documented() -> str:
    """The program of the page, its modules where they are here."""
    page = (ROOT / "docs" / "own-data.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```js\n(.*?)```", page, re.DOTALL)
    return str(program).replace("./device/", f"{DEVICE.as_uri()}/")


@pytest.mark.parametrize("kind", KINDS)
def test_the_documented_lines_make_reports_that_are_learnt_from(kind: str, node: str, tmp_path: Path) -> None:
    privatiser = LocalPrivatiser(epsilon=4.0, reports=1_000, kind=kind).fit(ADULT, LABEL)
    file = privatiser.export(tmp_path / "encoder.onnx")
    facts: dict[str, Any] = {each.key: each.value for each in onnx.load(file).metadata_props}
    facts |= {name: json.loads(facts[name]) for name in ("size", "classes", "joint", "preprocessor") if name in facts}
    row = json.loads(privatiser.schema_.read(ADULT[:1]).to_json(orient="records"))[0]
    x = privatiser.encode_table(ADULT[:1])
    (h,) = onnxruntime.InferenceSession(file).run(["h"], {"x": x})
    stand_in = f"""
      const ort = {{ Tensor: class {{ constructor(type, data) {{ this.data = data; }} }} }};
      let seen;
      const h64 = {h[0].tolist()};
      const session = {{ run: async ({{ x }}) => {{ seen = [...x.data]; return {{ h: {{ data: h64 }} }}; }} }};
      const [facts, row, label] = [{json.dumps(facts)}, {json.dumps(row)}, 1];
    """
    script = f"{stand_in}{documented()}console.log(JSON.stringify([seen, report]));"
    done = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    seen, report = json.loads(done.stdout)
    assert np.allclose(seen, x[0], atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one report teaches little
        assert privatiser.learn([report]).reports_ == 1
    with pytest.raises(ValueError, match="by this mechanism"):
        privatiser.learn([report.replace(json.loads(report)["digest"], "0" * 32)])
