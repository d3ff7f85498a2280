"""The one value that crosses the boundary: what a mechanism sends, what it cost, and which mechanism it was.

Format 2 is one JSON object, written without spaces and with its keys in this order; ``report.schema.json``
beside this file is its JSON Schema.

    format      "rlm-report/2"
    mechanism   the name of the card, or of the registry's entry
    digest      32 hexadecimal digits: of all that defines the release (:func:`rlm_core.digest.digest_of`)
    epsilon     what was spent: one release with all of ε; or, where the paper's λ divides it,
    epsilon_x, epsilon_y, label      what each part spent, and the label as k-RR sent it
    and one of
    numbers     finite numbers (Laplace and others)
    set         {"of": k, "members": base64 of k bits}: a set of symbols (subset selection, pairs)
    symbol      {"of": k, "value": v}: one symbol (k-RR)
    coordinate  with a set or a symbol: the public coordinate that it is about

Numbers are written as JavaScript writes them, so that a report has the same bytes on every device.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Set
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from rlm_core.report_checks import MOST_SYMBOLS, check_set, finite_numbers, spent, whole
from rlm_core.types import BoolArray, quote

FORMAT = "rlm-report/2"
FIRST_FORMAT = "rlm-report/1"
MOST_CHARACTERS = 2**21  # of a report's text: all that 65,536 numbers can take
UNPRINTABLE = r"[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff]"
_PAYLOAD = {"numbers", "set", "symbol", "coordinate"}
_FIRST_KEYS = {"mechanism", "z_private", "y_private", "epsilon_x", "epsilon_y"}


@dataclass(frozen=True, kw_only=True)
class Report:
    """What leaves the device, whole. Nothing in it is computed from x or y except through the noise.

    ``epsilon_y`` is 0 where nothing was divided: then ``epsilon_x`` is all of ε, and there is no ``label``.
    Exactly one of ``numbers``, ``members`` (the bits of a set, packed as ``numpy.packbits`` does) and
    ``symbol`` is there; ``of`` says how many symbols there are. ``digest`` is None in a report of format 1,
    which has none.

    Collectors take reports from strangers, so making one checks everything, and so does reading one:
    whatever comes in, there is a report or a ValueError or TypeError that quotes 80 characters at most.
    """

    mechanism: str
    digest: str | None
    epsilon_x: float
    epsilon_y: float = 0.0
    label: int | None = None
    numbers: tuple[float, ...] | None = None
    members: bytes | None = None
    symbol: int | None = None
    of: int | None = None
    coordinate: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, str) or not 0 < len(self.mechanism) <= 100:
            raise ValueError(f"Expected a mechanism name of 1 to 100 characters, got {quote(self.mechanism)}.")
        if re.search(UNPRINTABLE, self.mechanism):
            raise ValueError(f"Expected printable characters in the mechanism's name, got {quote(self.mechanism)}.")
        if self.digest is not None and not (
            isinstance(self.digest, str) and re.fullmatch("[0-9a-f]{32}", self.digest, re.ASCII)
        ):
            raise ValueError(f"Expected a digest of 32 hexadecimal digits, got {quote(self.digest)}.")
        object.__setattr__(self, "epsilon_x", spent("epsilon_x", self.epsilon_x))
        object.__setattr__(self, "epsilon_y", spent("epsilon_y", self.epsilon_y))
        if not self.epsilon_x > 0.0:
            raise ValueError(f"Expected epsilon_x > 0, got epsilon_x={self.epsilon_x:g}.")
        if self.label is None and self.epsilon_y != 0.0:
            raise ValueError(f"Expected a label with epsilon_y={self.epsilon_y:g}, got none.")
        if self.label is not None:
            whole("label", self.label, below=2**31)
        payloads = {"numbers": self.numbers, "set": self.members, "symbol": self.symbol}
        given = [name for name, value in payloads.items() if value is not None]
        if len(given) != 1:
            raise ValueError(f"Expected one of numbers, set and symbol, got {' and '.join(given) or 'none'}.")
        if self.numbers is not None:
            object.__setattr__(self, "numbers", finite_numbers(self.numbers))
            if self.of is not None or self.coordinate is not None:
                raise ValueError("Expected of and coordinate with a set or a symbol only, got one with numbers.")
            return
        if self.members is not None:
            check_set(whole("of", self.of, below=MOST_SYMBOLS + 1, least=2), self.members)
        else:
            whole("symbol", self.symbol, below=whole("of", self.of, below=2**31 + 1, least=2))
        if self.coordinate is not None:
            whole("coordinate", self.coordinate, below=2**31)

    @property
    def epsilon(self) -> float:
        """εx + εy: what one release has spent."""
        return self.epsilon_x + self.epsilon_y

    def in_set(self) -> BoolArray:
        """The set of a report, as (of,): true for its members."""
        if self.members is None:
            raise ValueError("Expected a report of a set, got one of another kind.")
        return np.unpackbits(np.frombuffer(self.members, np.uint8), count=self.of).astype(np.bool_)

    def to_json(self) -> str:
        """One line of JSON; ∞ is written as the string "inf"."""
        if self.digest is None:
            raise ValueError(f"Expected a digest to write, got a report that was read from {FIRST_FORMAT}.")
        fields = {"format": json.dumps(FORMAT), "mechanism": _string(self.mechanism), "digest": _string(self.digest)}
        if self.label is None:
            fields |= {"epsilon": number_text(self.epsilon_x)}
        else:
            fields |= {name: number_text(getattr(self, name)) for name in ("epsilon_x", "epsilon_y")}
            fields |= {"label": str(self.label)}
        if self.numbers is not None:
            fields["numbers"] = f"[{','.join(map(number_text, self.numbers))}]"
        elif self.members is not None:
            fields["set"] = f'{{"of":{self.of},"members":"{base64.b64encode(self.members).decode()}"}}'
        else:
            fields["symbol"] = f'{{"of":{self.of},"value":{self.symbol}}}'
        if self.coordinate is not None:
            fields["coordinate"] = str(self.coordinate)
        return "{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}"

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Read a report of format 2 or 1, with its keys in any order, checking all of it."""
        if not isinstance(text, str | bytes):
            raise TypeError(f"Expected a report as text, got {type(text).__name__}.")
        if len(text) > MOST_CHARACTERS:
            raise ValueError(f"Expected a report of at most {MOST_CHARACTERS} characters, got {len(text)}.")
        try:
            text = text.decode("utf-8") if isinstance(text, bytes) else text
            fields: Any = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"Expected a report in JSON, got text that is not: {str(error)[:80]}.") from None
        if not isinstance(fields, dict):
            raise ValueError(f"Expected a report as an object, got {type(fields).__name__}.")
        kind = fields.pop("format", None)
        if kind == FIRST_FORMAT:
            return cls(**_read_first(fields))
        if kind != FORMAT:
            raise ValueError(f"Expected a report of format {FORMAT} or {FIRST_FORMAT}, got {quote(kind)}.")
        return cls(**_read_second(fields))


def number_text(value: float) -> str:
    """A number as JavaScript writes it (ECMAScript, Number::toString), ∞ as the string "inf".

    >>> [number_text(value) for value in (4.0, -0.1, 1e-7, 2.5e-5, 1e22, float("inf"))]
    ['4', '-0.1', '1e-7', '0.000025', '1e+22', '"inf"']
    """
    if math.isinf(value):
        return '"inf"'
    short = repr(value)  # the fewest digits that give the value back: JavaScript takes the same
    if "e" not in short:
        return "0" if value == 0.0 else short.removesuffix(".0")
    sign, digits, exponent = Decimal(short).normalize().as_tuple()
    text = "".join(map(str, digits))
    point = len(text) + int(exponent)
    if -6 < point <= 0:
        text = "0." + "0" * -point + text
    elif len(text) <= point <= 21:
        text += "0" * (point - len(text))
    else:
        text = text[0] + ("." + text[1:] if text[1:] else "") + f"e{point - 1:+d}"
    return "-" * sign + text


def _read_first(fields: dict[str, Any]) -> dict[str, Any]:
    _only(_FIRST_KEYS, fields)
    return {
        "mechanism": fields["mechanism"],
        "digest": None,
        "epsilon_x": _read_spent("epsilon_x", fields["epsilon_x"]),
        "epsilon_y": _read_spent("epsilon_y", fields["epsilon_y"]),
        "label": fields["y_private"],
        "numbers": _listed("z_private", fields["z_private"]),
    }


def _read_second(fields: dict[str, Any]) -> dict[str, Any]:
    divided = "label" in fields
    _only({"mechanism", "digest"} | ({"epsilon_x", "epsilon_y", "label"} if divided else {"epsilon"}), fields, _PAYLOAD)
    for name, value in fields.items():
        if value is None:
            raise ValueError(f"Expected a value for {name}, got null.")
    result: dict[str, Any] = {name: fields[name] for name in ("mechanism", "digest")}
    if divided:
        result |= {name: _read_spent(name, fields[name]) for name in ("epsilon_x", "epsilon_y")}
        result["label"] = fields["label"]
    else:
        result["epsilon_x"] = _read_spent("epsilon", fields["epsilon"])
    if "numbers" in fields:
        result["numbers"] = _listed("numbers", fields["numbers"])
    if "set" in fields:
        result["of"], members = _pair("set", fields["set"], "members")
        result["members"] = _unpacked(members)
    if "symbol" in fields:
        of, result["symbol"] = _pair("symbol", fields["symbol"], "value")
        result.setdefault("of", of)
    if "coordinate" in fields:
        result["coordinate"] = fields["coordinate"]
    return result


def _only(wanted: Set[str], fields: dict[str, Any], optional: Set[str] = frozenset()) -> None:
    if set(fields) - optional != wanted:
        raise ValueError(f"Expected a report with the fields {sorted(wanted)}, got {quote(sorted(fields))}.")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field stands there twice")
    return fields


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _listed(name: str, values: object) -> tuple[Any, ...]:
    if not isinstance(values, list):
        raise TypeError(f"Expected a list of numbers for {name}, got {type(values).__name__}.")
    return tuple(values)


def _pair(name: str, value: object, second: str) -> tuple[Any, Any]:
    if not isinstance(value, dict) or set(value) != {"of", second}:
        raise ValueError(f"Expected {name} as an object of of and {second}, got {quote(value)}.")
    if value["of"] is None or value[second] is None:
        raise ValueError(f"Expected values in {name}, got null.")
    return value["of"], value[second]


def _unpacked(text: object) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"Expected members in base64, got {type(text).__name__}.")
    try:
        members = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        members = b""
    if base64.b64encode(members).decode() != text or not members:
        raise ValueError(f"Expected members in base64 with padding, got {quote(text)}.")
    return members


def _read_spent(name: str, value: object) -> Any:
    if isinstance(value, float) and math.isinf(value):  # 1e999
        raise ValueError(f'Expected a number or "inf" for {name}, got a number above every float64.')
    return math.inf if value == "inf" else value


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
