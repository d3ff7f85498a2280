"""Is a column of whole numbers an identifier? A sample of a table has gaps in it, so its name has to tell."""

from __future__ import annotations

import re

import numpy as np

from rlm_core.types import FloatArray

FEWEST_ROWS = 20

_WORDS = r"id|uuid|guid|ssn|key|index|row_?(id|no|number|names?)|social_?security(_?(no|number))?"
_OF_WHOM = "account|case|client|customer|employee|member|order|patient|person|record|session|student|subject|user"
_NAME = re.compile(
    "|".join(
        (
            rf"(?i:(^|[_\W])({_WORDS}))$",  # a word by itself: user_id, not paid or grid
            rf"(?i:({_OF_WHOM})[_ ]?(id|no|num|number))$",  # or written together with what it names: userid
            r"[a-z0-9](Id|ID|Uuid|UUID|Guid|GUID|Ssn|SSN)$",  # or in camel case: PassengerId, not Covid
            r"^(Unnamed: \d+(\.\d+)?)?$",  # pandas writes its index without a name, and reads that as "Unnamed: 0"
        )
    )
)


def is_identifier(name: str, values: FloatArray) -> bool:
    """Whether whole numbers, none of them missing, are all different, and called so or counted up without a gap.

    >>> distinct = np.arange(40.0) ** 2
    >>> [is_identifier(name, distinct) for name in ("PassengerId", "Unnamed: 0", "paid", "income")]
    [True, True, False, False]
    """
    if values.size < FEWEST_ROWS or len(np.unique(values)) < values.size:
        return False
    return bool(_NAME.search(name) or values.max() - values.min() == values.size - 1)
