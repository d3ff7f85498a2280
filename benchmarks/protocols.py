"""The protocols that were fixed before their runs: which trials, with which seeds, in which order.

    PROTOCOLS[2]        docs/protocol.md: seeds 10 to 12, every dataset
    PROTOCOLS[3]        docs/protocol-3.md: seeds 13 to 15, the codes of CIFAR-10
    PROTOCOLS[4]        docs/protocol-4.md: seeds 16 to 18, a class that is new, a second table, less auxiliary data
    PROTOCOLS[5]        docs/protocol-5.md: seeds 19 to 21, the codes of loans

Protocol 1 is what was measured before there was one. A protocol is never changed once its runs have begun; what
is found later becomes the next one, with other seeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.code_settings import SEEDS
from benchmarks.experiments import auxiliary_size, new_class_bits, own_data
from benchmarks.experiments.protocol import EPSILONS, Trial
from rlm_core.catalogue import CODES

DRAWS = 5


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A mechanism in an experiment, with all seeds, ε and draws."""

    experiment: str
    dataset: str
    mechanism: str
    draws: int = DRAWS
    epsilons: tuple[float, ...] = EPSILONS

    def trials(self, protocol: int, seeds: tuple[int, ...]) -> Iterator[Trial]:
        """In the order in which they are run: seed by seed, from large ε to small."""
        for seed in seeds:
            for epsilon in self.epsilons:
                if math.isinf(epsilon) and (self.experiment == "private_inference" or "joint" in self.mechanism):
                    continue  # without LDP nothing is private, and nothing joint
                for draw in range(1 if math.isinf(epsilon) else self.draws):
                    yield Trial(
                        experiment=self.experiment,
                        dataset=self.dataset,
                        mechanism=self.mechanism,
                        epsilon=epsilon,
                        seed=seed,
                        draw=draw,
                        protocol=protocol,
                    )


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A page that says what is chosen how, and the trials that follow it.

    Args:
        number: of the column ``protocol`` of the results.
        page: where it is written down.
        seeds: dealt for nothing else.
        earlier: by dataset, the seeds whose test people had been looked at before it was frozen.
        stages: in the order in which they are run.
    """

    number: int
    page: str
    seeds: tuple[int, ...]
    earlier: dict[str, tuple[int, ...]]
    stages: tuple[Stage, ...]

    def trials(self, stage: Stage, seeds: tuple[int, ...] | None = None) -> list[Trial]:
        """The trials of one of its stages, with all of its seeds or some."""
        return list(stage.trials(self.number, self.seeds if seeds is None else seeds))


SECOND = Protocol(
    number=2,
    page="docs/protocol.md",
    seeds=SEEDS[2],
    earlier={"mnist": (0, 1, 2), "cifar10": (0, 1, 2), "lending_club": (0, 1, 2, 3, 4, 5)},
    stages=(
        Stage(experiment="data_collection", dataset="mnist", mechanism=CODES),
        Stage(experiment="private_inference", dataset="mnist", mechanism=CODES),
        Stage(experiment="data_collection", dataset="mnist", mechanism="joint V-RLM"),
        Stage(experiment="data_collection", dataset="lending_club", mechanism="joint V-RLM"),
        Stage(experiment="data_collection", dataset="lending_club", mechanism=CODES),
        Stage(experiment="data_join", dataset="lending_club", mechanism=CODES, draws=1),
        Stage(experiment="data_collection", dataset="cifar10", mechanism=CODES),
        Stage(experiment="private_inference", dataset="cifar10", mechanism=CODES),
        Stage(experiment="data_collection", dataset="cifar10", mechanism="joint C-RLM"),
        Stage(experiment="data_collection", dataset="mnist", mechanism="V-RLM", draws=1),
        Stage(experiment="data_collection", dataset="lending_club", mechanism="V-RLM", draws=1),
        Stage(experiment="data_collection", dataset="cifar10", mechanism="C-RLM", draws=1),
        Stage(experiment="private_inference", dataset="mnist", mechanism="V-RLM", draws=1),
        Stage(experiment="private_inference", dataset="cifar10", mechanism="C-RLM", draws=1),
    ),
)

THIRD = Protocol(
    number=3,
    page="docs/protocol-3.md",
    seeds=SEEDS[3],
    earlier={"cifar10": (0, 1, 2, 10, 11, 12)},
    stages=(
        Stage(experiment="data_collection", dataset="cifar10", mechanism=CODES),
        Stage(experiment="private_inference", dataset="cifar10", mechanism=CODES),
    ),
)

FOURTH = Protocol(
    number=4,
    page="docs/protocol-4.md",
    seeds=SEEDS[4],
    earlier={},  # no cell for people whom nobody had tested: the page says why
    stages=(
        Stage(experiment="novel_class", dataset="mnist", mechanism=new_class_bits.MECHANISM),
        *(
            Stage(experiment="own_data", dataset="adult", mechanism=mechanism, epsilons=epsilons, draws=draws)
            for mechanism, epsilons, draws in own_data.columns("adult")
        ),
        Stage(experiment="novel_class", dataset="cifar10", mechanism=new_class_bits.MECHANISM),
        *(
            Stage(experiment="auxiliary_size", dataset="mnist", mechanism=name, draws=1, epsilons=(10.0, 8.0, 6.0, 4.0))
            for name, share in auxiliary_size.SHARES.items()
            if share < 0.75
        ),
    ),
)

FIFTH = Protocol(
    number=5,
    page="docs/protocol-5.md",
    seeds=SEEDS[5],
    earlier={"lending_club": (0, 1, 2, 3, 4, 5, 10, 11, 12)},
    stages=(Stage(experiment="data_collection", dataset="lending_club", mechanism=CODES),),
)

PROTOCOLS = {protocol.number: protocol for protocol in (SECOND, THIRD, FOURTH, FIFTH)}
