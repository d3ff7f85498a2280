"""Features of the frozen trunk for every CIFAR-10 picture and for augmented views of it.

Fine-tuning a ResNet at 224 px wants a GPU. Without one we run the frozen trunk once
over each picture and over a few random views of it, keep the 512 numbers, and train
what follows on those. View 0 is the picture itself, as the encoder will see it: the mean
over the picture and its mirror image (``TrunkEncoder``). Views 1, 2, ... are SimCLR views
(crop-resize, flip, colour jitter, grayscale: the paper's appendix "Mechanism
Architectures and Transformations").

    rlm data features --views 2 --jobs 2
    rlm train cifar10-crlm-none

Resumable: one file for every 1,000 pictures of every view; a view's randomness comes
from its number and the picture block, so a re-run gives the same features.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rlm_core.data.cache import data_dir
from rlm_core.owner.encoder import mirrored_features
from rlm_core.places import shipped_models
from rlm_core.vision import resize, resnet18_trunk, transforms

BLOCK = 1000  # pictures per file
SIDE = 160  # px; the accuracy of a linear classifier still rises from 128 to 160
FOLDER = "mirrored_features"

TRUNK_WEIGHTS = shipped_models() / "resnet18-imagenet" / "trunk.safetensors"

_jitter = transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8)
_gray = transforms.RandomGrayscale(p=0.2)


def simclr_view(image: Tensor, side: int = SIDE) -> Tensor:
    """One random SimCLR view of an RGB image in [0, 1]: (3, 32, 32) to (3, side, side).

    Jitter and grayscale act on the crop before it is enlarged: they work pixel by pixel,
    and 400 pixels are cheaper than 25,600.
    """
    top, left, height, width = transforms.RandomResizedCrop.get_params(image, [0.2, 1.0], [3 / 4, 4 / 3])
    crop = image[:, top : top + height, left : left + width]
    if torch.rand(()) < 0.5:
        crop = crop.flip(-1)
    return resize(_gray(_jitter(crop))[None], side)[0]


def block_features(trunk: torch.nn.Module, images: NDArray[np.uint8], view: int, seed: int) -> NDArray[np.float16]:
    """Trunk features of a block of images (n, 32, 32, 3): (n, 512) in float16."""
    pixels = torch.from_numpy(images).permute(0, 3, 1, 2).float() / 255  # (n, 3, 32, 32)
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(seed)
        outputs = []
        for batch in torch.split(pixels, 50):
            if view == 0:
                outputs.append(mirrored_features(trunk, batch, SIDE))
            else:
                views = torch.stack([simclr_view(image) for image in batch])
                outputs.append(trunk(views.contiguous(memory_format=torch.channels_last)))
    return torch.cat(outputs).half().numpy()


def _run(job: tuple[Path, str, int, int, Path]) -> None:
    source, split, view, block, weights = job
    target = source / FOLDER / f"{split}-view{view}-{block:03d}.npy"
    if target.exists():
        return
    torch.set_num_threads(1)
    images = np.load(source / f"{split}_images.npy", mmap_mode="r")[block * BLOCK : (block + 1) * BLOCK]
    seed = 1_000_003 * view + 1_009 * block + (0 if split == "train" else 500)
    result = block_features(resnet18_trunk(weights), np.array(images), view, seed)
    partial = target.with_suffix(f".{os.getpid()}.tmp")
    with partial.open("wb") as file:
        np.save(file, result)
    partial.rename(target)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="rlm data features",
        description="Run the frozen ResNet-18 over CIFAR-10 and over random views of it; keep the features.",
    )
    parser.add_argument(
        "--source",
        type=Path,
        default=data_dir() / "cifar10",
        help="folder with train_images.npy and test_images.npy (default: %(default)s)",
    )
    parser.add_argument("--weights", type=Path, default=TRUNK_WEIGHTS, help="of the trunk (default: the shipped ones)")
    parser.add_argument("--views", type=int, default=2, help="the picture itself and this many less one views of it")
    parser.add_argument("--jobs", type=int, default=2, help="processes, each with one thread")
    options = parser.parse_args(arguments)
    if not (options.source / "train_images.npy").is_file():
        parser.error(f"Expected the pictures of CIFAR-10 in {options.source}. Get them with: rlm data get cifar10")
    (options.source / FOLDER).mkdir(exist_ok=True)
    jobs = [
        (options.source, split, view, block, options.weights)
        for view in range(options.views)
        for split, blocks in (("train", 50), ("test", 10))
        for block in range(blocks)
        if view == 0 or split == "train"
    ]
    from tqdm import tqdm

    with get_context("spawn").Pool(options.jobs) as pool:
        for _ in tqdm(pool.imap_unordered(_run, jobs), total=len(jobs), unit="block"):
            pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
