"""Decoding sets of codes: Bayes' rule, its limits, and the mean records of D₁."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from rlm_core.collector.code_decoder import CodeDecoder
from rlm_core.collector.codes import code_posterior
from rlm_core.owner.subset_selection import SubsetSelection

K = 7


@pytest.fixture
def decoder() -> CodeDecoder:
    generator = torch.Generator().manual_seed(0)
    codes = torch.multinomial(torch.tensor([0.3, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1]), 500, True, generator=generator)
    return CodeDecoder.fit(codes, torch.randn(500, 4, generator=generator) + codes[:, None], K)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0, 10.0])
def test_a_report_is_decoded_with_bayes_rule(decoder: CodeDecoder, epsilon: float) -> None:
    channel = SubsetSelection(epsilon=epsilon, symbols=K)
    z_private = channel.simulate(np.eye(K), generator=np.random.default_rng(1))
    frequencies = decoder.frequencies.double().numpy()
    expected = code_posterior(channel.log_density_pairs(z_private, np.eye(K)), frequencies)
    reports = torch.from_numpy(z_private)
    np.testing.assert_allclose(decoder.posterior(reports).numpy(), expected, rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(
        decoder.posterior(reports.float()).numpy(), expected, rtol=1e-2, atol=1e-4
    )  # as the zoo calls it
    np.testing.assert_allclose(decoder.decode(reports).numpy(), expected @ decoder.prototypes.numpy(), rtol=1e-3)
    best = decoder.prototypes[torch.from_numpy(expected).argmax(1)]
    torch.testing.assert_close(decoder.most_likely(reports), best)


def test_a_clean_code_is_decoded_to_its_mean_record(decoder: CodeDecoder) -> None:
    torch.testing.assert_close(decoder.decode(torch.eye(K)), decoder.prototypes)
    report = SubsetSelection(epsilon=math.inf, symbols=K).privatise(np.eye(K))
    torch.testing.assert_close(decoder.decode(torch.from_numpy(report)), decoder.prototypes)


def test_an_average_of_many_reports_comes_close_to_the_code(decoder: CodeDecoder) -> None:
    channel = SubsetSelection(epsilon=1.0, symbols=K)
    reports = channel.simulate(np.tile(np.eye(K)[3], (20_000, 1)), generator=np.random.default_rng(2))
    weights = decoder.posterior(torch.from_numpy(reports.mean(axis=0, keepdims=True)))[0]
    assert weights[3] > 0.9 and weights.sum().item() == pytest.approx(1.0)


def test_mean_records_are_means_and_an_empty_code_gets_the_overall_mean() -> None:
    records = torch.tensor([[1.0], [3.0], [10.0]])
    decoder = CodeDecoder.fit(torch.tensor([0, 0, 2]), records, 3)
    torch.testing.assert_close(decoder.prototypes, torch.tensor([[2.0], [14 / 3], [10.0]]))
    torch.testing.assert_close(decoder.frequencies, torch.tensor([2 / 3, 0.0, 1 / 3]))
    with pytest.raises(ValueError, match="codes"):
        CodeDecoder(1, (2,))
