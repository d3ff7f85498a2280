"""The encoder of a fitted LocalPrivatiser as an ONNX model, for phones: from an encoded record to h. No noise.

    x     float32 (n, p)   rows as ``preprocessor.json`` says, or pixels from 0 to 1; n is free
    h     float64 (n, d)   the representation, or the scores of k codes
    code  int64   (n,)     of codes alone: the highest score, the first of equals

Sums are in float64 as in ``encoder.py``, so that h is the library's to rounding and a code the same. Neither h nor code
is private: whoever runs the model must release through an exact sampler (``rlm_core/owner``, ``static/device``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rlm_core.privatiser.encoder import Encoder, LinearEncoder
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.own_mechanism import _joint, device_preprocessor
from rlm_core.privatiser.plan import CODES
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.tables.preprocessor import CLIP_DEVIATIONS

if TYPE_CHECKING:  # which imports this file
    from rlm_core.privatiser.estimator import LocalPrivatiser

FORMAT = "rlm-encoder-onnx/1"
OPSET, IR_VERSION = 17, 8
"""Of 2022: runtimes on phones read it."""

INSTALL = "pip install -c constraints.txt '.[onnx]'"
NOISE = (
    "There is NO noise in this file, and nothing that it computes is private. Never send h or code: release them "
    "with an exact sampler of this mechanism (rlm_core/owner in Python, static/device in JavaScript)."
)


def write_onnx(privatiser: LocalPrivatiser, path: Path) -> Path:
    """Write the model; ModuleNotFoundError, with what to install, where the package onnx is missing."""
    try:
        import onnx
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        message = f"The package onnx is missing, which writes {path.name!r}. Install it, in a checkout: {INSTALL}"
        raise ModuleNotFoundError(message, name="onnx") from None
    path.write_bytes(encoder_model(onnx, privatiser).SerializeToString())
    return path


def encoder_model(onnx: Any, privatiser: LocalPrivatiser) -> Any:
    """The model as the package ``onnx`` has it, checked by its checker."""
    from rlm_core import __version__

    method, helper, double = privatiser._fitted().method_, onnx.helper, onnx.TensorProto.DOUBLE
    nodes, weights = _layers(onnx, method.encoder)
    outputs = [helper.make_tensor_value_info("h", double, ["n", method.size])]
    if method.plan.kind == CODES:
        nodes.append(helper.make_node("ArgMax", ["h"], ["code"], axis=1, keepdims=0, select_last_index=0))
        outputs.append(helper.make_tensor_value_info("code", onnx.TensorProto.INT64, ["n"]))
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", method.encoder.input_dim])
    graph = helper.make_graph(nodes, "encoder", [given], outputs, initializer=weights, doc_string=NOISE)
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="rlm_core",
        producer_version=__version__,
        doc_string=NOISE,
    )
    helper.set_model_props(model, {name: _text(value) for name, value in facts(privatiser).items()})
    onnx.checker.check_model(model, full_check=True)
    return model


def facts(privatiser: LocalPrivatiser) -> dict[str, Any]:
    """What a release must know besides h, but for ε: the model's metadata, each as text or JSON."""
    method = privatiser._fitted().method_
    result: dict[str, Any] = {
        "format": FORMAT,
        "name": method.mechanism(privatiser.epsilon).name,
        "kind": method.plan.kind,
        "size": method.size,
        "encoder": method.plan.encoder,
        "digest": method.digest,
        "classes": list(privatiser.class_names),
        "input": _input(privatiser),
        "noise": NOISE,
    }
    if isinstance(method, SplitMethod):
        result["lam"] = method.budget(privatiser.epsilon, privatiser.lam).lam
    if method.plan.kind != CODES:
        result["radius"] = method.radius  # a record without a label, or apart from it, leaves with Laplace noise
        if len(privatiser.classes_) and isinstance(method, Method):
            result["joint"] = _joint(method.together(privatiser.epsilon, len(privatiser.classes_)), method.digest)
    if privatiser.pictures_ is None:
        result["preprocessor"] = device_preprocessor(privatiser)
    else:
        result["pictures"] = json.loads(privatiser.pictures_.to_json())
    return result


def _input(privatiser: LocalPrivatiser) -> str:
    """What x is, in words."""
    form = privatiser.pictures_
    if form is None:
        return (
            "a row as the metadata 'preprocessor' says (rlm_core/tables/preprocessor.py, static/device/table_row.js): "
            f"standardised numbers, cut at {CLIP_DEVIATIONS:g} deviations, then each category one-hot"
        )
    if form.colour:
        return f"{form.output_dim} numbers of the frozen ResNet-18 trunk, which is not in this file"
    return f"{form.height} × {form.width} grey pixels from 0 to 1, row by row, white being {form.white:g}"


def _layers(onnx: Any, encoder: Encoder) -> tuple[list[Any], list[Any]]:
    """Nodes from x to h, and their weights: linear layers in float64 with ReLU between them, then merged codes."""
    if not isinstance(encoder, LinearEncoder | NetworkEncoder):
        raise ValueError(f"Expected linear layers for an ONNX file, got an encoder of type {type(encoder).__name__}.")
    node, tensor = onnx.helper.make_node, onnx.numpy_helper.from_array
    stored = encoder.tensors()
    numbers = sorted(int(name.split(".")[0]) for name in stored if name.endswith(".weight"))
    merge = encoder.merge if isinstance(encoder, NetworkEncoder) else ()
    nodes = [node("Cast", ["x"], ["x64"], to=onnx.TensorProto.DOUBLE)]
    weights, now = [], "x64"
    for number in numbers:
        is_last = number == numbers[-1]
        for part in (f"{number}.weight", f"{number}.bias"):  # float32 in the file, half the size
            weights.append(tensor(np.ascontiguousarray(stored[part], dtype=np.float32), part))
            nodes.append(node("Cast", [part], [f"{part}.64"], to=onnx.TensorProto.DOUBLE))
        out = ("fine" if merge else "h") if is_last else f"{number}.sum"
        nodes.append(node("Gemm", [now, f"{number}.weight.64", f"{number}.bias.64"], [out], transB=1))
        if not is_last:
            nodes.append(node("Relu", [out], [f"{number}.relu"]))
            out = f"{number}.relu"
        now = out
    if merge:  # of each group of fine codes its best: (n, fine) to (n, k, m) to (n, k)
        weights.append(tensor(_groups(merge), "groups"))
        nodes.append(node("Gather", ["fine", "groups"], ["grouped"], axis=1))
        nodes.append(node("ReduceMax", ["grouped"], ["h"], axes=[2], keepdims=0))
    return nodes, weights


def _groups(merge: Sequence[int]) -> NDArray[np.int64]:
    """The fine codes of every merged one, (k, m); shorter groups repeat their first, which changes no maximum.

    >>> _groups((0, 1, 0)).tolist()
    [[0, 2], [1, 1]]
    """
    members = [[fine for fine, code in enumerate(merge) if code == each] for each in range(max(merge) + 1)]
    longest = max(map(len, members))
    return np.array([each + each[:1] * (longest - len(each)) for each in members], dtype=np.int64)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
