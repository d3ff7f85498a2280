"""Once per server process: import ahead, and make the garbage collector behave under many small requests."""

from __future__ import annotations

import functools
import gc


def import_ahead() -> None:
    """What the pages of charts need and the start page does not: the first visitor to one should not wait for it."""
    import scipy.optimize  # noqa: F401

    import rlm_core.theory  # noqa: F401
    from benchmarks import summary
    from rlm_core.catalogue import EXPERIMENTS

    for name in EXPERIMENTS:
        summary.cells(name)


@functools.cache
def settle() -> None:
    """Take everything imported so far out of the garbage collector's sight.

    Streamlit collects all generations after every rerun. With torch imported that is about 120 ms
    each time, spent on objects that never die. Call it when the imports are done.
    """
    gc.collect()
    gc.freeze()
