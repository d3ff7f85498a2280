"""torchvision, imported in one place, and the frozen ResNet-18 trunk.

``import torchvision`` fails beside a CPU build of torch when its own binary was
built for CUDA: the operators ``nms`` and ``qnms`` are then missing. We never call
them, so we define them as stubs and import again. Healthy installations take the
first branch and are left alone. Everything in this project imports torchvision
from here, on first use: it takes seconds and 90 MB, and most mechanisms do not need it.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

__all__ = ["FEATURES", "IMAGENET_MEAN", "IMAGENET_STD", "resize", "resnet18_trunk"]

FEATURES = 512
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
_STUBS: list[Any] = []  # owns the operators


@cache
def import_torchvision() -> Any:
    """The package, whatever its binary was built for."""
    try:
        return import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
    for name in [m for m in sys.modules if m.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    _STUBS.append(torch.library.Library("torchvision", "DEF"))  # type: ignore[no-untyped-call]
    for operator in ("nms", "qnms"):
        _STUBS[0].define(f"{operator}(Tensor boxes, Tensor scores, float threshold) -> Tensor")
    return import_module("torchvision")


def __getattr__(name: str) -> Any:
    if name == "torchvision":
        return import_torchvision()
    if name == "transforms":
        import_torchvision()
        return import_module("torchvision.transforms.v2")
    raise AttributeError(f"module 'rlm_core.vision' has no attribute {name!r}")


def fold_batch_norm(network: nn.Module) -> nn.Module:
    """Merge every BatchNorm of a torchvision ResNet into the convolution before it.

    In evaluation mode a BatchNorm is an affine map, so the network computes the same
    function with a fifth fewer operations, and the file holds half as many tensors.
    """
    for module in network.modules():
        children: dict[str, Any] = dict(module.named_children())
        for name, child in children.items():
            if name.startswith("bn"):
                conv = "conv" + name[2:]
                setattr(module, conv, fuse_conv_bn_eval(children[conv], child))
                setattr(module, name, nn.Identity())
        if isinstance(module, nn.Sequential) and isinstance(children.get("1"), nn.BatchNorm2d):
            module[0] = fuse_conv_bn_eval(children["0"], children["1"])  # the shortcut's 1x1 convolution
            module[1] = nn.Identity()
    return network


def resnet18_trunk(weights: str | Path | None = None) -> nn.Module:
    """ResNet-18 without its last layer, BatchNorm folded in: images (n, 3, s, s) to (n, 512)."""
    network = import_torchvision().models.resnet18(weights=None).eval()
    network.fc = nn.Identity()
    network = fold_batch_norm(network)
    if weights is not None:
        state = {name: tensor.float() for name, tensor in load_file(weights).items()}
        network.load_state_dict(state)
    return network.to(memory_format=torch.channels_last)  # type: ignore[call-overload, no-any-return]


def resize(images: Tensor, side: int) -> Tensor:
    """Bicubic upsampling and ImageNet normalisation: RGB in [0, 1] to the trunk's input."""
    images = nn.functional.interpolate(images, size=(side, side), mode="bicubic", antialias=True).clamp(0, 1)
    mean = images.new_tensor(IMAGENET_MEAN).view(3, 1, 1)
    std = images.new_tensor(IMAGENET_STD).view(3, 1, 1)
    return ((images - mean) / std).contiguous(memory_format=torch.channels_last)
