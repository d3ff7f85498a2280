"""A decoded loan to take along: as CSV with every probability, and as words for the summary."""

from __future__ import annotations

import pandas as pd

from rlm_core.data.loan_preprocessor import DecodedLoans
from rlm_core.data.schema import FEATURES
from ui.kit.formats import percent
from ui.record.loan import GROUPS, format_value, level_name


def decoded_csv(decoded: DecodedLoans) -> str:
    """x̃ as CSV, one line a number or level: feature, level (of a word), value or probability."""
    lines = [
        {"feature": name, "level": "", "value": round(float(decoded.numbers[name].iloc[0]), 6)}
        for name in decoded.numbers
    ]
    for name, shares in decoded.probabilities.items():
        lines += [{"feature": name, "level": level, "value": round(float(p), 6)} for level, p in shares.iloc[0].items()]
    return str(pd.DataFrame(lines).to_csv(index=False))


def decoded_values(decoded: DecodedLoans) -> dict[str, str]:
    """x̃ for the summary: names to values in their units, words with their probability."""
    values = {}
    for name in (name for names in GROUPS.values() for name in names):
        feature = FEATURES[name]
        if name in decoded.numbers:
            values[feature.title] = format_value(feature, decoded.numbers[name].iloc[0], decoded=True)
        elif name in decoded.probabilities:
            shares = decoded.probabilities[name].iloc[0]
            values[feature.title] = f"{level_name(feature, str(shares.idxmax()))} ({percent(float(shares.max()))})"
    return values
