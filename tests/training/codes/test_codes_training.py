"""Learning codes: views, information, merging, the rule for k, and a training on made-up groups."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from rlm_core.owner.merged_encoder import MergedEncoder
from rlm_core.training.codes.choice import codes_for
from rlm_core.training.codes.code_presets import QRLM_PRESETS, QRLMPreset
from rlm_core.training.codes.hierarchy import merge_order, merged_codes
from rlm_core.training.codes.network import EmbeddingNetwork
from rlm_core.training.codes.pairs_of_views import corrupted_rows, distorted, moved_pictures
from rlm_core.training.codes.train_codes import train_codes
from rlm_core.training.crlm.neighbours import neighbouring_views


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def information(p: np.ndarray) -> float:
    marginal = p.sum(1)
    return float((p * (np.log(p) - np.log(marginal)[:, None] - np.log(marginal))).sum())


def random_joint(k: int, seed: int) -> np.ndarray:
    p = np.random.default_rng(seed).dirichlet(np.ones(k * k)).reshape(k, k)
    return (p + p.T) / 2


@pytest.mark.parametrize("seed", range(5))
def test_every_merge_is_the_one_that_costs_least(seed: int) -> None:
    """Against merging every pair and computing the information anew."""
    p = random_joint(7, seed)
    groups = {i: [i] for i in range(7)}
    for kept, gone in merge_order(p):
        names = sorted(groups)

        def after(i: int, j: int, groups: dict[int, list[int]] = groups) -> float:
            merged = [m for name, m in groups.items() if name not in (i, j)] + [groups[i] + groups[j]]
            return information(np.array([[p[np.ix_(a, b)].sum() for b in merged] for a in merged]))

        values = {(i, j): after(i, j) for i in names for j in names if i < j}
        assert values[kept, gone] == pytest.approx(max(values.values()), abs=1e-12)
        groups[kept] += groups.pop(gone)


def test_merged_codes_are_nested_and_numbered_from_zero() -> None:
    order = merge_order(random_joint(9, 3))
    finer = merged_codes(order, 9)
    np.testing.assert_array_equal(finer, np.arange(9))
    for k in range(8, 0, -1):
        coarser = merged_codes(order, k)
        assert set(coarser) == set(range(k))
        assert all(len(set(coarser[finer == code])) == 1 for code in set(finer))  # a merge never splits
        finer = coarser
    with pytest.raises(ValueError, match="codes"):
        merged_codes(order, 10)


def test_the_merged_encoder_picks_the_group_of_the_best_fine_code() -> None:
    merge = [0, 2, 1, 1, 2]
    scores = torch.randn(50, 5, generator=generator())
    merged = MergedEncoder(torch.nn.Identity(), merge)(scores)
    assert merged.shape == (50, 3)
    assert torch.equal(merged.argmax(1), torch.tensor(merge)[scores.argmax(1)])


def test_the_plain_network_names_the_nearest_centre() -> None:
    """Batch normalisation and centres folded into the weights change no code."""
    network = EmbeddingNetwork((6, 8, 4, 3))
    for _ in range(20):  # so that the running statistics are not those of the start
        network(torch.randn(32, 6) * 3 + 1)
    network.eval()
    inputs, centres = torch.randn(200, 6), torch.randn(5, 3)
    with torch.no_grad():
        distance = torch.cdist(network(inputs), torch.nn.functional.normalize(centres, dim=1))
        assert torch.equal(network.with_centres(centres)(inputs).argmax(1), distance.argmin(1))
    with pytest.raises(ValueError, match="hidden"):
        EmbeddingNetwork((6, 3))


def test_views_of_digits_differ_but_keep_their_ink() -> None:
    pixels = torch.zeros(4, 28, 28, dtype=torch.uint8)
    pixels[:, 8:20, 10:18] = 255
    pairs = moved_pictures(pixels.view(4, -1), 3, generator())
    first, second = pairs(torch.tensor([0, 1, 2, 3]), generator())
    assert first.shape == (4, 784) and (first != second).any(dim=1).all()
    assert ((first.sum(1) > 20) & (first.sum(1) < 400)).all() and 0 <= first.min() and first.max() <= 1
    again = distorted(torch.ones(2, 1, 28, 28), generator(3))
    assert torch.equal(again, distorted(torch.ones(2, 1, 28, 28), generator(3)))  # deterministic
    with pytest.raises(ValueError, match="count"):
        moved_pictures(pixels.view(4, -1), 1, generator())


def test_views_of_features_are_neighbours_and_views_of_rows_keep_whole_columns() -> None:
    views = torch.arange(12.0).view(3, 2, 2)
    first, second = neighbouring_views(views, torch.tensor([[0, 1], [1, 2], [2, 1]]))(torch.tensor([0]), generator())
    assert any(torch.equal(first[0], view) for view in views[0])
    assert any(torch.equal(second[0], view) for view in views[:2].reshape(-1, 2))
    table = torch.eye(4)[torch.arange(40) % 4]
    changed, _ = corrupted_rows(table, [(0, 4)], 1.0)(torch.arange(40), generator())
    assert torch.equal(changed.sum(1), torch.ones(40))  # one category, still one-hot


def test_the_rule_for_k_grows_with_epsilon_and_reports_within_its_bounds() -> None:
    values = [codes_for(epsilon, 13_500) for epsilon in (0.1, 1.0, 2.0, 3.0, 4.0, 1e6)]
    assert values == sorted(values) and values[0] == 10 and values[-1] == 96
    assert codes_for(1.0, 100_000) > codes_for(1.0, 10_000)
    assert codes_for(2.0, 13_500) == int(math.sqrt(13_500) * math.sinh(1.0) / 10)
    for epsilon, reports in ((0.0, 10), (math.nan, 10), (1.0, 0)):
        with pytest.raises(ValueError, match="Expected"):
            codes_for(epsilon, reports)


def test_codes_find_made_up_groups_and_training_is_deterministic(tmp_path: Path) -> None:
    """Six groups far apart: merged to six codes, each group gets a code of its own."""
    centres = torch.randn(6, 10, generator=generator(1)) * 4
    group = torch.arange(1200) % 6
    table = centres[group] + torch.randn(1200, 10, generator=generator(2)) * 0.3
    preset = QRLMPreset(
        dataset="mnist", hidden=(32,), embedding=4, codes=12, epochs=12, batch_size=200, learning_rate=1e-2
    )

    def pairs(rows: torch.Tensor, source: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        first, second = (table[rows] + torch.randn(len(rows), 10, generator=source) * 0.5 for _ in range(2))
        return first, second

    found, again = (train_codes(preset, pairs, table, seed=3) for _ in range(2))
    with torch.no_grad():
        scores = found.encoder(table)
        assert torch.equal(scores, again.encoder(table)) and found.order == again.order
    codes = merged_codes(found.order, 6)[scores.argmax(1).numpy()]
    counts = np.zeros((6, 6))
    np.add.at(counts, (codes, group.numpy()), 1)
    assert counts.max(axis=1).sum() / 1200 > 0.95


def test_presets_name_their_split() -> None:
    for name, preset in QRLM_PRESETS.items():
        named = {"novel": "novel_class", "join": "data_join"}.get(name.split("-")[-1], "data_collection")
        assert preset.split == named and name.split("-")[1] == "qrlm"
