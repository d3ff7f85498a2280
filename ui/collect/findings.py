"""What results mean, in sentences: beside what was measured before, and after a sweep over λ."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from benchmarks import gain, shipped, table
from rlm_core import PrivateAccuracy
from rlm_core.catalogue import CODES, DATASETS
from ui.kit.formats import number


def measured_before(dataset: str, epsilon: float, people: int, seed: int) -> str:
    """What committed experiments say about a collection of codes like this one; "" where none is.

    Codes are those of the protocol that the shipped encoder belongs to: codes learnt otherwise are not like these.

    Args:
        dataset, epsilon, people: of the collection.
        seed: of the encoder that made the codes.
    """
    cells = {cell.mechanism: cell for cell in gain.collected(dataset) if cell.epsilon == epsilon}
    if CODES not in cells or people != gain.people_measured(dataset):
        return ""
    found = cells[CODES]
    words = f"<b>Measured before:</b> codes {found.mean:.1f} %"
    if found.seeds > 1:
        words += f" ({found.seeds} trained encoders, ± {found.std:.1f} between them)"
    if (same := same_encoder(dataset, epsilon, seed)) is not None:
        words += f"; the encoder of this page {same:.1f} %"
    others = [
        f"{name} {cells[mechanism].mean:.1f} %"
        for mechanism, name in (
            (DATASETS[dataset].kind, "numbers with noise"),
            ("Laplace", "noise on every pixel" if DATASETS[dataset].record == "picture" else "noise on every column"),
        )
        if mechanism in cells
    ]
    return (
        f"{words}. Other ways to send, with as many people at the same ε: {', '.join(others)}."
        if others
        else f"{words}."
    )


def measured_numbers(dataset: str, epsilon: float) -> str:
    """What committed experiments say about numbers with noise at this ε; "" where none was."""
    kind = DATASETS[dataset].kind
    found = next((each for each in gain.collected(dataset) if (each.mechanism, each.epsilon) == (kind, epsilon)), None)
    if found is None:
        return ""
    return (
        f" Numbers with noise ({kind}) on {DATASETS[dataset].title} were measured before: {found.mean:.1f} % right on "
        f"clean records, from {gain.people_measured(dataset):,} people at ε = {number(epsilon)}."
    )


def same_encoder(dataset: str, epsilon: float, seed: int) -> float | None:
    """The accuracy, in percent, of one encoder's codes: the mean of the committed draws. Where the experiments have a
    network beside the table of codes, what the table alone has reached."""
    network_from = shipped.network_from(dataset)
    if network_from is not None and epsilon >= network_from:
        alone = [each for each in gain.tried(dataset) if each.factor == 1.0 and each.epsilon == epsilon]
        return alone[0].measured if alone else None
    rows = [table.parse(each) for each in table.read(gain.EXPERIMENT)]
    cell = [
        row for row in rows if (row.dataset, row.mechanism, row.epsilon, row.seed) == (dataset, CODES, epsilon, seed)
    ]
    return mean(row.accuracy for row in cell) if cell else None


def best_lambda(results: Sequence[tuple[float, float, PrivateAccuracy | None]]) -> str:
    """What a sweep says, as far as the collector can tell and as it is: (λ, clean accuracy, validation).

    >>> best_lambda([(0.3, 0.5, None), (0.7, 0.8, None)])
    'On test people <b>λ = 0.7</b> is best, with 80.0 % right.'
    """
    best, accuracy, _ = max(results, key=lambda each: each[1])
    truth = f"n test people <b>λ = {number(best)}</b> is best, with {100 * accuracy:.1f} % right."
    answered = [(lam, answer) for lam, _, answer in results if answer is not None]
    if not answered:
        return "O" + truth
    best, estimate = max(answered, key=lambda each: each[1].estimate)
    as_good = [number(lam) for lam, answer in answered if lam != best and answer.high >= estimate.low]
    words = f"As far as you can tell, <b>λ = {number(best)}</b> is best: the validation group says {_share(estimate)}."
    if as_good:
        words += f" λ = {' or '.join(as_good)} may be as good: the intervals overlap."
    return f"{words} What only a demonstration can know: o{truth}"


def _share(answer: PrivateAccuracy) -> str:
    return f"{100 * answer.displayed:.1f} %"
