"""How many reports a campaign takes in a second: a bucket that refills, one a campaign.

Not one an address: a lecture hall is one address, and no address is kept.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable

RATE, BURST = 100.0, 1000.0
VARIABLE = "RLM_REPORTS_PER_SECOND"
MOST_CAMPAIGNS = 10_000


class RateLimit:
    """``rate`` reports a second for every campaign, and ``burst`` at once after a pause.

    >>> limit = RateLimit(rate=1.0, burst=2.0, clock=lambda: 0.0)
    >>> [limit.wait("a") for _ in range(3)], limit.wait("b")
    ([0.0, 0.0, 1.0], 0.0)
    """

    def __init__(
        self, *, rate: float = RATE, burst: float = BURST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if not rate > 0 or not burst >= 1:
            raise ValueError(f"Expected rate > 0 and burst >= 1, got rate={rate!r}, burst={burst!r}.")
        self.rate, self.burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    @classmethod
    def from_environment(cls) -> RateLimit:
        """The default, or what ``RLM_REPORTS_PER_SECOND`` says, with ten seconds' worth at once."""
        named = os.environ.get(VARIABLE)
        return cls(rate=float(named), burst=10 * float(named)) if named else cls()

    def wait(self, campaign_id: str) -> float:
        """0 if one may come now (and is counted), else the seconds until one may."""
        now = self._clock()
        left, since = self._buckets.pop(campaign_id, (self.burst, now))
        left = min(self.burst, left + (now - since) * self.rate)
        self._buckets[campaign_id] = (left - 1.0 if left >= 1.0 else left, now)
        if len(self._buckets) > MOST_CAMPAIGNS:
            self._buckets.popitem(last=False)
        return 0.0 if left >= 1.0 else (1.0 - left) / self.rate
