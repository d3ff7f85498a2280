"""Every mechanism, once: what audits, benchmarks, pages and tests ask without naming any of them.

Each entry builds its mechanism on plain vectors (the RLMs with the identity as encoder:
their guarantee does not depend on it) and knows which two records are hardest to hide
from each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.duchi import Duchi
from rlm_core.baselines.krr import LabelMechanism
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.baselines.pca import PCADecoder, fit_pca_mechanism
from rlm_core.baselines.privunit import PrivUnit
from rlm_core.baselines.table import DuchiTable, LaplaceTable, TableMechanism
from rlm_core.joint_rows import JointBitsRows, JointLaplaceRows, JointSelectionRows
from rlm_core.mechanism import RLM, Mechanism
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.types import FloatArray

RADIUS = 5.0
LEVELS = 3  # of every categorical in the tables
Pair = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One mechanism of the registry.

    Args:
        name: as in every result table.
        title: for a heading.
        summary: one sentence for a reader who has never heard of it.
        source: where it comes from.
        dimension: what ``make`` gets in an audit: for k-RR the number of classes, for a table
            the number of features, else the numbers that are released.
        make: (epsilon, dimension) to the mechanism.
        worst_pair: a mechanism made by ``make`` to two records, (input_dim,) each, whose
            reports are told apart with the full ε.
        other_pairs: further pairs to audit, where one does not show everything that could go wrong.
    """

    name: str
    title: str
    summary: str
    source: str
    dimension: int
    make: Callable[[float, int], Mechanism] = field(repr=False)
    worst_pair: Callable[[Any], Pair] = field(repr=False)
    other_pairs: Callable[[Any], tuple[Pair, ...]] = field(repr=False, default=lambda mechanism: ())


def names() -> tuple[str, ...]:
    """All registered names.

    >>> names()[:3]
    ('V-RLM', 'C-RLM', 'Q-RLM')
    """
    return tuple(REGISTRY)


def get(name: str) -> Entry:
    """The entry of that name."""
    if name not in REGISTRY:
        raise ValueError(f"Expected one of {', '.join(REGISTRY)}; got {name!r}.")
    return REGISTRY[name]


def identity(x: FloatArray) -> ArrayLike:
    """An encoder that changes nothing."""
    return x


def _rlm(name: str) -> Callable[[float, int], Mechanism]:
    def make(epsilon: float, dimension: int) -> RLM:
        noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=RADIUS))
        return RLM(name=name, encoder=identity, noise=noise, input_dim=dimension, output_dim=dimension)

    return make


def _qrlm(epsilon: float, dimension: int) -> RLM:
    noise = SubsetSelection(epsilon=epsilon, symbols=dimension)
    return RLM(name="Q-RLM", encoder=identity, noise=noise, input_dim=dimension, output_dim=dimension)


def _pca(epsilon: float, dimension: int) -> RLM:
    """Fitted on fixed, made-up public records, twice as wide as the representation."""
    generator = np.random.default_rng(0)
    public = generator.standard_normal((8 * dimension, 2 * dimension)) * np.linspace(2.0, 0.5, 2 * dimension)
    return fit_pca_mechanism(public, dimension=dimension, radius=RADIUS, epsilon=epsilon)


def _table(kind: type[LaplaceTable] | type[DuchiTable]) -> Callable[[float, int], Mechanism]:
    def make(epsilon: float, dimension: int) -> TableMechanism:
        numbers = -(-dimension // 2)  # and the other half are categoricals
        starts = range(numbers, numbers + LEVELS * (dimension - numbers), LEVELS)
        blocks = tuple((start, start + LEVELS) for start in starts)
        return kind(epsilon=epsilon, low=(0.0,) * numbers, high=(1.0,) * numbers, categories=blocks)

    return make


def _joint_laplace(epsilon: float, dimension: int) -> JointLaplaceRows:
    """A centre that is not 0, so that a clip before the subtraction would be found out."""
    centre = (0.5 * RADIUS,) + (0.0,) * (dimension - 2)
    return JointLaplaceRows(joint=JointLaplace(epsilon=epsilon, radius=RADIUS, centre=centre, constant=0.1 * RADIUS))


def _joint_selection(epsilon: float, dimension: int) -> JointSelectionRows:
    low, high = (-1.0,) * dimension, (1.0,) * dimension
    return JointSelectionRows(joint=JointSelection(epsilon=epsilon, classes=LEVELS, low=low, high=high))


def _joint_bits(epsilon: float, dimension: int) -> JointBitsRows:
    low, high = (-1.0,) * dimension, (1.0,) * dimension
    return JointBitsRows(joint=JointBits(epsilon=epsilon, low=low, high=high))


def _first_axis(mechanism: Mechanism) -> FloatArray:
    axis: FloatArray = np.eye(1, mechanism.input_dim)[0]
    return axis


def _opposite_vertices(mechanism: RLM) -> Pair:
    """Two opposite corners of the ℓ1 ball: 2l apart, the sensitivity."""
    vertex = mechanism.noise.clip.radius * _first_axis(mechanism)
    return vertex, -vertex


def _two_codes(mechanism: RLM) -> Pair:
    """Scores that pick the first and the last code."""
    codes = np.eye(mechanism.input_dim)
    return codes[0], codes[-1]


def _one_vector_and_its_opposite(mechanism: JointLaplaceRows) -> Pair:
    """v and −v, each on the sphere: the same record far from the centre, with the one label and the other."""
    far = np.asarray(mechanism.joint.centre) - 100.0 * mechanism.joint.radius * np.eye(1, mechanism.input_dim - 1)[0]
    return np.append(far, 1.0), np.append(far, 0.0)


def _other_joint_numbers(mechanism: JointLaplaceRows) -> tuple[Pair, ...]:
    """Opposite records with one label; and the record at the centre, where only the constant tells the label."""
    joint, axis = mechanism.joint, np.eye(1, mechanism.input_dim - 1)[0]
    centre, far = np.asarray(joint.centre), 100.0 * joint.radius * axis
    return (
        (np.append(centre + far, 1.0), np.append(centre - far, 1.0)),
        (np.append(centre, 1.0), np.append(centre, 0.0)),
    )


def _every_bit_and_the_label(mechanism: JointSelectionRows | JointBitsRows) -> Pair:
    """Every coordinate at the other end of its range, and another label."""
    joint = mechanism.joint
    return np.append(joint.low, 0.0), np.append(joint.high, 1.0)


def _other_label(mechanism: JointBitsRows) -> Pair:
    """One record with either label: every bit that agreed does not any more."""
    high = mechanism.joint.high
    return np.append(high, 0.0), np.append(high, 1.0)


def _other_joint_bits(mechanism: JointBitsRows) -> tuple[Pair, ...]:
    """Another record with the other label, so that all bits but the constant's agree as before; and with one label."""
    joint = mechanism.joint
    return _every_bit_and_the_label(mechanism), (np.append(joint.low, 1.0), np.append(joint.high, 1.0))


def _other_joint_symbols(mechanism: JointSelectionRows) -> tuple[Pair, ...]:
    """The same record with another label; another record with the same label."""
    joint = mechanism.joint
    same_record = np.append(joint.high, 0.0), np.append(joint.high, 1.0)
    return same_record, (np.append(joint.low, 0.0), np.append(joint.high, 0.0))


def _opposite_components(mechanism: RLM) -> Pair:
    """The records that PCA maps to two opposite corners of the ℓ1 ball."""
    vertex = mechanism.noise.clip.radius * np.eye(1, mechanism.output_dim)
    decoder = PCADecoder.of(mechanism)
    return decoder.decode(vertex)[0], decoder.decode(-vertex)[0]


def _opposite_bounds(mechanism: PerFeatureLaplace) -> Pair:
    return np.array(mechanism.low), np.array(mechanism.high)


def _opposite_corners(mechanism: Duchi) -> Pair:
    corner = np.ones(mechanism.input_dim)
    return corner, -corner


def _opposite_and_short(mechanism: PrivUnit) -> Pair:
    """The longest record and one in the opposite direction, next to zero: direction and length both differ."""
    longest = mechanism.radius * _first_axis(mechanism)
    return longest, -1e-9 * longest


def _opposite_rows(mechanism: TableMechanism) -> Pair:
    """Numbers at opposite bounds, and another level in every categorical."""
    first, second = np.zeros((2, mechanism.input_dim))
    first[mechanism.number_columns], second[mechanism.number_columns] = mechanism.low, mechanism.high
    for start, _ in mechanism.categories:
        first[start], second[start + 1] = 1.0, 1.0
    return first, second


_ENTRIES = (
    Entry(
        name="V-RLM",
        title="Variational RLM",
        summary="A learnt encoder, clipped into an l1 ball, with Laplace noise; trained as a variational autoencoder.",
        source="Mansbridge et al., section 'Learning a Laplace Mechanism'",
        dimension=8,
        make=_rlm("V-RLM"),
        worst_pair=_opposite_vertices,
    ),
    Entry(
        name="C-RLM",
        title="Contrastive RLM",
        summary="The same release; its encoder is trained to give two views of a picture the same representation.",
        source="Mansbridge et al., section 'Learning a Laplace Mechanism'; SimCLR, Chen et al. 2020",
        dimension=32,
        make=_rlm("C-RLM"),
        worst_pair=_opposite_vertices,
    ),
    Entry(
        name="Q-RLM",
        title="Quantised RLM",
        summary="A learnt encoder names one of k codes; a random set of codes that leans towards it is sent.",
        source="docs/q-rlm.md; subset selection: Ye and Barg 2018, Wang et al. 2016",
        dimension=16,
        make=_qrlm,
        worst_pair=_two_codes,
    ),
    Entry(
        name="joint Laplace",
        title="Joint report of two classes",
        summary="Representation times the sign of the label, clipped, with Laplace noise: one release for both.",
        source="rlm_core.owner.joint; docs/protocol.md",
        dimension=8,
        make=_joint_laplace,
        worst_pair=_one_vector_and_its_opposite,
        other_pairs=_other_joint_numbers,
    ),
    Entry(
        name="joint selection",
        title="Joint report of many classes",
        summary="A random bit of one random coordinate and the label as one symbol, sent as a random set of symbols.",
        source="rlm_core.owner.joint; docs/protocol.md; subset selection: Ye and Barg 2018",
        dimension=2 * LEVELS,
        make=_joint_selection,
        worst_pair=_every_bit_and_the_label,
        other_pairs=_other_joint_symbols,
    ),
    Entry(
        name="joint bits",
        title="Joint report of two classes, as bits",
        summary="Random bits of the record, told to agree with the label or not, as one symbol by randomised response.",
        source="rlm_core.owner.joint_bits; docs/own-data.md",
        dimension=8,
        make=_joint_bits,
        worst_pair=_other_label,
        other_pairs=_other_joint_bits,
    ),
    Entry(
        name="Laplace",
        title="Laplace, feature by feature",
        summary="Laplace noise on every feature, each with an equal share of epsilon.",
        source="Dwork et al. 2006",
        dimension=1,
        make=lambda epsilon, d: PerFeatureLaplace(epsilon=epsilon, low=(0.0,) * d, high=(1.0,) * d),
        worst_pair=_opposite_bounds,
    ),
    Entry(
        name="Duchi",
        title="Duchi et al., all features at once",
        summary="A random corner of a cube that leans towards the record.",
        source="Duchi et al. 2018; Wang et al. 2019, Algorithm 3, corrected for an even number of features",
        dimension=10,
        make=lambda epsilon, d: Duchi(epsilon=epsilon, dimension=d),
        worst_pair=_opposite_corners,
    ),
    Entry(
        name="PrivUnit",
        title="PrivUnit with exact calibration",
        summary="A random direction that leans towards the record's, times a private length.",
        source="Bhowmick et al. 2019 (PrivUnit2 and ScalarDP)",
        dimension=16,
        make=lambda epsilon, d: PrivUnit(epsilon=epsilon, dimension=d),
        worst_pair=_opposite_and_short,
    ),
    Entry(
        name="PCA",
        title="PCA with Laplace noise",
        summary="An RLM whose encoder is linear: principal components, clipped, with Laplace noise.",
        source="Mansbridge et al., appendix on simpler dimensionality reduction",
        dimension=8,
        make=_pca,
        worst_pair=_opposite_components,
    ),
    Entry(
        name="Laplace table",
        title="Laplace and randomised response, for tables",
        summary="Laplace noise on every number, randomised response on every category, equal shares of epsilon.",
        source="Mansbridge et al., appendix 'Benchmarks'",
        dimension=4,
        make=_table(LaplaceTable),
        worst_pair=_opposite_rows,
    ),
    Entry(
        name="Duchi table",
        title="Duchi et al. and randomised response, for tables",
        summary="Duchi's mechanism for all numbers together, randomised response on every category.",
        source="Mansbridge et al., appendix 'Benchmarks'; Wang et al. 2019",
        dimension=4,
        make=_table(DuchiTable),
        worst_pair=_opposite_rows,
    ),
    Entry(
        name="k-RR",
        title="Randomised response",
        summary="The true label with a known probability, any other one otherwise.",
        source="Warner 1965; Kairouz, Bonawitz and Ramage 2016",
        dimension=10,
        make=lambda epsilon, classes: LabelMechanism(epsilon=epsilon, classes=classes),
        worst_pair=lambda mechanism: (np.zeros(1), np.ones(1)),
    ),
)
REGISTRY: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
