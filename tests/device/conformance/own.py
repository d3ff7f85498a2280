"""Vectors of own data: joint reports as bits, and whole releases of fitted tables, from cells to bytes."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.owner.joint_bits import JointBits
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.encoder import LinearEncoder
from rlm_core.privatiser.folder import named, reading_of_table
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.own_mechanism import encoder_file, own_description
from rlm_core.privatiser.plan import CODES, KINDS, LINEAR, NETWORK, VRLM, Plan
from rlm_core.privatiser.sending import Sending
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.release import release
from rlm_core.tables import TablePreprocessor, TableSchema

from .channels import written
from .tape import forged

PUBLIC = pd.DataFrame(
    {
        "age": [20, 30, 40, 50] * 25,
        "score": [0.5, -1.5, 2.0, 1.0, 3.0] * 20,
        "since": ["2020-01-01", "2021-07-02"] * 50,
        "job": ["cook", "nurse", "nurse", "judge"] * 25,
        "member": ["yes", "no"] * 50,
    }
)
ROWS: list[dict[str, Any]] = [
    {"age": 33, "score": 0.25, "since": 2020.5, "job": "cook", "member": "no"},
    {"age": 1e6, "score": -1e6, "since": 2021.0, "job": "pilot", "member": "yes"},  # cut, and a word nobody knew
    {"age": "", "score": None, "since": "", "job": "", "member": ""},  # nothing is said
]
SIZE = 3
LAM = 0.7
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0, math.inf)


def vectors() -> dict[str, Any]:
    """Joint bits for themselves, then all kinds of own mechanisms."""
    tables = [*(_table(kind) for kind in KINDS), _table(CODES, NETWORK), _table(VRLM, NETWORK)]
    return {"joint_bits": _joint_bits(), "tables": tables}


def _joint_bits() -> list[dict[str, Any]]:
    generator, cases = np.random.default_rng(11), []
    low, high = [-1.0, 0.0, 0.25, -1e308], [1.0, 3.0, 0.5, 0.0]
    rows = [*generator.normal(0, 2, (10, 4)).tolist(), low, high]
    for epsilon in EPSILONS:
        joint, label = JointBits(epsilon=epsilon, low=tuple(low), high=tuple(high)), f"joint bits {epsilon}"
        with forged(label):
            drawn = [joint.send(np.array([h]), np.array([i % 2])).row(0) for i, h in enumerate(rows)]
        sent = [[each["coordinate"], each["symbol"], each["of"]] for each in drawn]
        cases.append({"label": label, "epsilon": written(epsilon), "low": low, "high": high, "h": rows, "sent": sent})
    return cases


def _linear(width: int) -> LinearEncoder:
    return LinearEncoder(weight=_round(SIZE, width), bias=np.array([0.25, -0.5, 0.0], dtype=np.float32))


def _plain_network(width: int) -> NetworkEncoder:
    """A hidden layer, then three numbers."""
    hidden = (_round(6, width), np.array([0.5, -0.25, 0.0, 1.0, -1.0, 0.25], dtype=np.float32))
    return NetworkEncoder(layers=(hidden, (_round(SIZE, 6), np.array([0.25, -0.5, 0.0], dtype=np.float32))))


def _network(width: int) -> NetworkEncoder:
    """A hidden layer, then five codes that are merged to three."""
    hidden = (_round(6, width), np.array([0.5, -0.25, 0.0, 1.0, -1.0, 0.25], dtype=np.float32))
    last = (_round(5, 6), np.array([0.0, 0.125, -0.75, 0.5, 0.25], dtype=np.float32))
    return NetworkEncoder(layers=(hidden, last), merge=(0, 1, 0, 2, 1))


def _round(rows: int, columns: int) -> NDArray[np.float32]:
    return (np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) % 7 - 3) / 4


def _table(kind: str, by: str = LINEAR) -> dict[str, Any]:
    """A mechanism with round weights: what a fit finds differs in its last bits from processor to processor."""
    privatiser = LocalPrivatiser(epsilon=2.0, classes=["no", "yes"])
    privatiser.schema_ = TableSchema.infer(PUBLIC)
    tidy = privatiser.schema_.read(PUBLIC)
    privatiser.preprocessor_ = TablePreprocessor.fit(tidy, privatiser.schema_.features, unknown="ignore")
    privatiser.classes_ = np.array(["no", "yes"])
    privatiser.label_ = None
    width = privatiser.preprocessor_.output_dim
    privatiser.pictures_ = None
    method = method_of(kind, by, width)
    privatiser.method_ = named(method, reading_of_table(privatiser.schema_, privatiser.preprocessor_), ("no", "yes"))
    cells = [{name: None if value == "" else value for name, value in row.items()} for row in ROWS]
    x = [privatiser._matrix(pd.DataFrame([row], dtype=object))[0].tolist() for row in cells]
    reports = reports_of(privatiser, x, f"own {kind}" if by == LINEAR else f"own {kind} by a network")
    return described(own_description(privatiser), privatiser) | {"rows": ROWS, "x": x, "reports": reports}


def reports_of(
    privatiser: LocalPrivatiser, x: list[list[float]], tape: str, epsilons: tuple[float, ...] = EPSILONS
) -> list[dict[str, Any]]:
    """A report of every record at every ε, with the tape that it was drawn from."""
    count, reports = len(privatiser.classes_), []
    lam = LAM if privatiser.method_.plan.kind == VRLM else None
    for epsilon in epsilons:
        for at in range(len(x)):
            sending = privatiser.method_.sending(epsilon, count, lam=lam)
            with forged(f"{tape} {epsilon} {at}"):
                text = _released(x[at], at % count, sending)
            case = {"epsilon": written(epsilon), "label": at % count, "record": at, "tape": f"{tape} {epsilon} {at}"}
            reports.append(case | {"report": text} | ({"lam": lam} if lam is not None else {}))
    return reports


def described(description: dict[str, Any], privatiser: LocalPrivatiser) -> dict[str, Any]:
    """A description as JSON has it, and the encoder's file."""
    encoder = base64.b64encode(encoder_file(privatiser)).decode()
    return {"description": json.loads(json.dumps(description)), "encoder": encoder}


def method_of(kind: str, by: str, width: int) -> Method | SplitMethod:
    """A kind with round weights, for records of so many numbers."""
    plan = Plan(kind=kind, size=SIZE, encoder=by)
    if kind == VRLM:
        return SplitMethod(plan=plan, encoder=_plain_network(width), prior=np.eye(SIZE), radius=2.5)
    encoder = _network(width) if by == NETWORK else _linear(width)
    return Method(plan=plan, encoder=encoder, prior=np.eye(SIZE), radius=2.5, constant=0.5)


def _released(x: list[float], label: int, sending: Sending) -> str:
    return release(x, label, mechanism=sending.mechanism, pairs=sending.pairs, labels=sending.labels).to_json()
