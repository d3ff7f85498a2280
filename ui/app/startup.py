"""Once per server process: make the garbage collector behave under many small requests."""

from __future__ import annotations

import functools
import gc


@functools.cache
def settle() -> None:
    """Take everything imported so far out of the garbage collector's sight.

    Streamlit collects all generations after every rerun. With torch imported that is about 120 ms
    each time, spent on objects that never die. Call it when the imports are done.
    """
    gc.collect()
    gc.freeze()
