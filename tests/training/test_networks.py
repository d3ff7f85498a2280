"""Encoders and decoders: shapes, ranges, layouts, and what is trained."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from rlm_core.collector.decoder import ImageDecoder, MLPDecoder, TableDecoder
from rlm_core.owner.encoder import MLPEncoder, TrunkEncoder
from rlm_core.vision import FEATURES, resnet18_trunk


def test_mlp_shapes_and_linear_last_layer() -> None:
    encoder, decoder = MLPEncoder((784, 400, 150, 50, 8)), MLPDecoder((8, 50, 150, 400, 784))
    h = encoder(torch.rand(3, 784))
    assert h.shape == (3, 8) and (h < 0).any()  # no ReLU at the end
    assert decoder(h).shape == (3, 784)
    assert [type(layer) for layer in encoder] == [nn.Linear, nn.ReLU] * 3 + [nn.Linear]
    image = decoder.decode(100 * h)
    assert ((image >= 0) & (image <= 1)).all()


@pytest.mark.parametrize("network", [MLPEncoder, MLPDecoder])
@pytest.mark.parametrize("sizes", [(3,), (3, 0), ()])
def test_bad_sizes(network: type[nn.Module], sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="positive layer sizes"):
        network(sizes)


def test_trunk_encoder_from_pictures_to_h() -> None:
    torch.manual_seed(0)
    encoder = TrunkEncoder(resnet18_trunk(), MLPEncoder((FEATURES, 32)), side=64, frozen=True)
    images = torch.rand(2, 3, 32, 32)
    assert encoder.features(images).shape == (2, 512)
    h = encoder(images)
    assert h.shape == (2, 32)
    h.sum().backward()
    assert all(p.grad is None for p in encoder.trunk.parameters())
    assert all(p.grad is not None for p in encoder.adapter.parameters())


def test_a_mirrored_trunk_takes_the_mean_and_cannot_tell_left_from_right() -> None:
    torch.manual_seed(0)
    trunk, adapter = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, 512), nn.ReLU()), MLPEncoder((512, 4))
    mirrored, plain = (TrunkEncoder(trunk, adapter, side=8, mirrored=each) for each in (True, False))
    images = torch.rand(3, 3, 32, 32)
    turned = images.flip(-1)
    torch.testing.assert_close(mirrored.features(images), (plain.features(images) + plain.features(turned)) / 2)
    torch.testing.assert_close(mirrored(images), mirrored(turned))
    assert (plain(images) - plain(turned)).abs().max() > 1e-3


def test_trunk_can_be_trained() -> None:
    encoder = TrunkEncoder(
        nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, 512)), MLPEncoder((512, 4)), side=8, frozen=False
    )
    encoder(torch.rand(2, 3, 32, 32)).sum().backward()
    assert all(p.grad is not None for p in encoder.trunk.parameters())


def test_table_decoder_layout() -> None:
    decoder = TableDecoder((2, 16, 9), numeric=(0, 1, 2), categorical=((3, 7), (7, 9)))
    decoded = decoder.decode(torch.randn(5, 2))
    assert decoded.shape == (5, 9)
    torch.testing.assert_close(decoded[:, 3:7].sum(-1), torch.ones(5))
    torch.testing.assert_close(decoded[:, 7:9].sum(-1), torch.ones(5))
    assert (decoded[:, 3:] > 0).all()
    assert set(decoder.state_dict()) == {*(f"network.{name}" for name in decoder.network.state_dict()), "log_std"}


@pytest.mark.parametrize(
    ("numeric", "categorical"),
    [((0, 1), ((2, 4),)), ((0, 1), ((1, 5),)), ((0,), ((2, 5),))],
)
def test_table_decoder_refuses_gaps_and_overlaps(
    numeric: tuple[int, ...], categorical: tuple[tuple[int, int], ...]
) -> None:
    with pytest.raises(ValueError, match="exactly one block"):
        TableDecoder((2, 5), numeric=numeric, categorical=categorical)


def test_table_decoder_of_one_kind_only() -> None:
    z = torch.randn(4, 2)
    numbers = TableDecoder((2, 3), numeric=(0, 1, 2), categorical=())
    assert torch.isfinite(numbers.negative_log_likelihood(z, torch.randn(4, 3))).all()
    categories = TableDecoder((2, 3), numeric=(), categorical=((0, 3),))
    rows = torch.eye(3)[[0, 1, 2, 0]]
    expected = nn.functional.cross_entropy(categories(z), rows.argmax(-1), reduction="none")
    torch.testing.assert_close(categories.negative_log_likelihood(z, rows), expected)


def test_table_decoder_gradients_are_finite() -> None:
    decoder = TableDecoder((2, 5), numeric=(0,), categorical=((1, 3), (3, 5)))
    rows = torch.tensor([[0.0, 1, 0, 0, 1]])
    decoder.negative_log_likelihood(torch.randn(1, 2), rows).sum().backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in decoder.parameters())


def test_image_decoder_shape_and_range() -> None:
    decoder = ImageDecoder(32)
    picture = decoder.decode(50 * torch.randn(4, 32))
    assert picture.shape == (4, 3, 32, 32)
    assert ((picture >= 0) & (picture <= 1)).all()


def test_image_decoder_checks_its_sizes() -> None:
    with pytest.raises(ValueError, match="latent_dim=0"):
        ImageDecoder(0)
    with pytest.raises(ValueError, match="channels=6"):
        ImageDecoder(4, channels=6)
