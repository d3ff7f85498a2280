"""Codes that label themselves: groups that views hold together are found again, better than the codes that began.

Everything is seeded, so these tests give the same answer every time.
"""

from __future__ import annotations

import copy
import inspect
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from rlm_core.training.codes import self_labels, self_votes
from rlm_core.training.codes.code_presets import QRLM_PRESETS, QRLMPreset
from rlm_core.training.codes.hierarchy import merge_order, merged_codes
from rlm_core.training.codes.network import EmbeddingNetwork
from rlm_core.training.codes.self_labels import codes_within_groups, self_labelled
from rlm_core.training.codes.self_votes import balanced, best_names, feature_teacher, name_anew, picture_teacher, vote
from rlm_core.training.codes.train_codes import train_codes

GROUPS = 3


def records(count: int = 8000) -> tuple[Tensor, np.ndarray]:
    """Three groups in six dimensions."""
    rng = np.random.default_rng(0)
    group = rng.integers(GROUPS, size=count)
    centres = 2.0 * np.eye(6)[:GROUPS]
    return torch.from_numpy(centres[group] + 0.3 * rng.normal(size=(count, 6))).float(), group


def noisy_views(inputs: Tensor):  # type: ignore[no-untyped-def]
    def pairs(rows: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        return tuple(
            inputs[rows] + 0.3 * torch.randn(len(rows), inputs.shape[1], generator=generator) for _ in range(2)
        )  # type: ignore[return-value]

    return pairs


def agreement(codes: np.ndarray, group: np.ndarray) -> float:
    """The share of records in the most frequent group of their code."""
    return sum(np.bincount(group[codes == code]).max() for code in np.unique(codes)) / len(group)


def network() -> EmbeddingNetwork:
    torch.manual_seed(0)
    return EmbeddingNetwork((6, 16, 8))


def test_wrong_codes_are_put_right_without_a_label() -> None:
    """Codes that are wrong about a fifth of the records, at random, teach codes that are right about nearly all."""
    inputs, group = records()
    rng = np.random.default_rng(1)
    wrong = {tuple(row.tolist()): int(rng.integers(GROUPS)) for row in inputs[rng.random(len(inputs)) < 0.2]}

    def codes(block: Tensor) -> Tensor:
        nearest = block[:, :GROUPS].argmax(1).tolist()
        named = [wrong.get(tuple(row.tolist()), at) for row, at in zip(block, nearest, strict=True)]
        return torch.nn.functional.one_hot(torch.tensor(named), GROUPS).float()

    before = agreement(codes(inputs).argmax(1).numpy(), group)
    found = self_labelled(
        network(), [codes], noisy_views(inputs), inputs,
        groups=GROUPS, rounds=3, fine_codes=9, temperature=0.2, seed=0,
    )  # fmt: skip
    fine = found.encoder(inputs).argmax(1).numpy()
    assert before < 0.9 and agreement(found.groups[fine], group) > 0.97
    assert len(found.groups) == 9 and sorted(set(found.groups.tolist())) == [0, 1, 2]


def test_votes_doubt_what_views_are_not_agreed_about() -> None:
    inputs = torch.tensor([[1.0, 0.0], [0.02, 0.0]])

    def far_views(rows: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        return inputs[rows] - 0.5, inputs[rows] + 0.5

    def sides(block: Tensor) -> Tensor:
        return torch.nn.functional.one_hot((block[:, 0] > 0).long(), 2).float()

    votes = vote(sides, far_views, inputs, torch.Generator().manual_seed(0))
    assert votes[0].tolist() == [0.0, 1.0] and votes[1].tolist() == [0.25, 0.75]
    assert votes[0].max() >= self_votes.TRUST > votes[1].max()


def test_balanced_votes_give_every_group_its_share_and_keep_the_order_within_a_group() -> None:
    votes = torch.rand(600, 3, generator=torch.Generator().manual_seed(0)) ** 4 * torch.tensor([6.0, 1.0, 0.5])
    votes = votes / votes.sum(dim=1, keepdim=True)
    found = balanced(votes)
    assert votes.sum(dim=0).max() > 1.5 * 200
    assert torch.allclose(found.sum(dim=0), torch.full((3,), 200.0), rtol=0.01)
    assert torch.allclose(found.sum(dim=1), torch.ones(600), atol=1e-5)
    before, after = (votes[:, 0] / votes[:, 1]), (found[:, 0] / found[:, 1])  # all odds move by one factor
    kept = votes.min(dim=1).values > 1e-3
    assert (after / before)[kept].std() < 0.01 * (after / before)[kept].mean()


def test_of_two_starts_the_one_that_views_agree_about_is_kept() -> None:
    """One start names the groups, one names slices that views move records between."""
    inputs, group = records(3000)

    def groups(block: Tensor) -> Tensor:
        return torch.nn.functional.one_hot(block[:, :GROUPS].argmax(1), GROUPS).float()

    def slices(block: Tensor) -> Tensor:
        return torch.nn.functional.one_hot((block[:, 5] > -0.1).long() + (block[:, 5] > 0.1).long(), GROUPS).float()

    pairs, generator = noisy_views(inputs), torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    teacher = feature_teacher(6, GROUPS)
    alone = name_anew(copy.deepcopy(teacher), slices, pairs, inputs, generator, rounds=1)
    found = best_names(teacher, [slices, groups], pairs, inputs, generator, rounds=1, equal=True)
    assert found.agreement > alone.agreement + 0.5
    assert agreement(found.votes.argmax(1).numpy(), group) > 0.97
    with pytest.raises(ValueError, match="at least one start"):
        best_names(teacher, [], pairs, inputs, generator, rounds=1)


@torch.no_grad()
def test_a_fine_code_lies_in_the_group_that_the_student_names() -> None:
    inputs, _ = records(300)
    student = self_labels.Student(network(), GROUPS).eval()
    encoder, groups = codes_within_groups(student, inputs, 8, seed=0)
    named = student(inputs).argmax(1).numpy()
    assert (groups[encoder(inputs).argmax(1).numpy()] == named).mean() > 0.99


def test_codes_of_a_group_are_merged_first() -> None:
    rng = np.random.default_rng(0)
    joint = rng.random((6, 6))
    joint = (joint + joint.T) / (2 * joint.sum())
    groups = np.array([0, 1, 2, 0, 1, 2])
    merged = merged_codes(merge_order(joint, groups), 3)
    assert [set(groups[merged == code]) for code in range(3)] == [{0}, {1}, {2}]
    with pytest.raises(ValueError, match="a group for each of 6 codes"):
        merge_order(joint, groups[:4])


@pytest.mark.slow
def test_training_with_rounds_gives_nested_codes_and_repeats_itself() -> None:
    inputs, group = records()
    preset = QRLMPreset(dataset="lending_club", hidden=(16,), embedding=8, codes=9, epochs=8, batch_size=200)
    preset = replace(preset, groups=GROUPS, rounds=1)
    first, again = (train_codes(preset, noisy_views(inputs), inputs, seed=0) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first.encoder.parameters(), again.encoder.parameters(), strict=True))
    assert first.order == again.order and len(first.order) == len(first.encoder(inputs[:1])[0]) - 1
    codes = merged_codes(first.order, GROUPS)[first.encoder(inputs).argmax(1).numpy()]
    assert agreement(codes, group) > 0.9


def test_the_digits_teacher_takes_pixels_and_no_function_takes_labels() -> None:
    assert picture_teacher(10)(torch.rand(4, 784)).shape == (4, 10)
    assert "labels" not in inspect.signature(self_labelled).parameters
    assert QRLM_PRESETS["mnist-qrlm"].rounds > 0 and QRLM_PRESETS["lending-qrlm"].rounds == 0
