"""What the protocols set for codes, as plain facts: which seeds, which training run, from which ε on a network.

    protocol_of(11)                                        2
    setting("data_collection", "cifar10", 3).run           'cifar10-qrlm-equal'

Experiments follow them, and pages look up to which protocol the shipped codes belong (``benchmarks.shipped``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SEEDS = {2: (10, 11, 12), 3: (13, 14, 15), 4: (16, 17, 18), 5: (19, 20, 21)}
"""By protocol, the seeds that were dealt for nothing else. Protocol 1 is what was measured before there was one."""

NETWORK_FROM = {"mnist": math.inf, "cifar10": 4.0, "lending_club": 4.0}
"""From this ε on a network over the encoder's features is a candidate beside the table of p(y | code). Below it
follows the noise of the reports; on MNIST the codes are so pure that nothing is left to gain."""

RUNS = {
    ("data_collection", "mnist"): "mnist-qrlm",
    ("data_collection", "cifar10"): "cifar10-qrlm",
    ("data_collection", "lending_club"): "lending-qrlm",
    ("private_inference", "mnist"): "mnist-qrlm",
    ("private_inference", "cifar10"): "cifar10-qrlm",
    ("novel_class", "mnist"): "mnist-qrlm-novel",
    ("novel_class", "cifar10"): "cifar10-qrlm-novel",
    ("data_join", "lending_club"): "lending-qrlm-join",
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Which run a trial takes its codes from, and from which ε on the network is a candidate (None: never)."""

    run: str
    network_from: float | None


SINCE = {
    (3, "cifar10"): Setting(run="cifar10-qrlm-equal", network_from=None),
    (5, "lending_club"): Setting(run="lending-qrlm-equal", network_from=4.0),
}
"""What a protocol changed, by its number and the dataset, in data collection and private inference."""


def setting(experiment: str, dataset: str, protocol: int = 1) -> Setting:
    """The setting of the newest protocol up to this one that has changed it.

    >>> setting("data_collection", "cifar10", 2).run, setting("data_collection", "cifar10", 3).run
    ('cifar10-qrlm', 'cifar10-qrlm-equal')
    """
    changed = [number for number, name in SINCE if name == dataset and number <= protocol]
    if changed and experiment in ("data_collection", "private_inference"):
        return SINCE[max(changed), dataset]
    return Setting(run=RUNS[experiment, dataset], network_from=NETWORK_FROM[dataset])


def protocol_of(seed: int) -> int:
    """The protocol whose seed it is; 1 for those before.

    >>> protocol_of(11), protocol_of(13), protocol_of(0)
    (2, 3, 1)
    """
    return next((number for number, seeds in SEEDS.items() if seed in seeds), 1)
