"""Train mechanisms from the terminal, of whatever kind.

rlm train mnist-vrlm-l10-eps33 mnist-qrlm --seed 0
rlm train --list
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from rlm_core.learning.loop import Progress
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.training.presets import PRESETS
from rlm_core.training.train_mechanism import train_mechanism


class Bar:
    """A tqdm bar per run, that the loop moves."""

    def __init__(self, name: str) -> None:
        pause = 1.0 if sys.stderr.isatty() else 30.0  # seconds between updates; a log file wants few
        self.bar: tqdm[Any] = tqdm(desc=name, unit="step", dynamic_ncols=True, mininterval=pause)

    def __call__(self, progress: Progress) -> None:
        self.bar.total = progress.epochs * progress.steps
        self.bar.n = (progress.epoch - 1) * progress.steps + progress.step
        text = f"epoch {progress.epoch}/{progress.epochs} train {progress.train_loss:.4g}"
        if progress.valid_loss is not None:
            text += f" valid {progress.valid_loss:.4g}"
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update(0)

    def close(self) -> None:
        """Leave the last state on the terminal."""
        self.bar.refresh()
        self.bar.close()


@contextmanager
def without_denormals() -> Iterator[None]:
    """Numbers below 1e-38 count as 0, while a training lasts.

    Adam's means of the gradients of pixels that are nearly always black fade into such numbers, which
    cost a quarter of the time of a step and mean nothing. It is a state of the whole processor core:
    nothing exact, no release above all, may be computed within.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def list_presets() -> str:
    """One line per preset: its name and every hyper-parameter."""
    lines = []
    for name, preset in (PRESETS | QRLM_PRESETS).items():
        values = " ".join(f"{field}={value}" for field, value in asdict(preset).items())
        lines.append(f"{name:36} {values}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="rlm train", description="Train mechanisms by the name of their preset.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="presets to train, one after the other")
    parser.add_argument("--list", action="store_true", help="print all presets with their hyper-parameters")
    parser.add_argument("--seed", type=int, default=0, help="of the split, the first weights and the noise")
    parser.add_argument("--device", default="auto", help="auto (the default), cpu, cuda, cuda:1, mps, …")
    parser.add_argument("--epochs", type=int, help="instead of the preset's number")
    parser.add_argument("--encoder-only", action="store_true", help="no picture decoder: enough for the experiments")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="folder for the run folders")
    options = parser.parse_args(arguments)
    if options.list:
        print(list_presets())
        return 0
    if not options.names:
        parser.error("name a preset, or use --list")
    unknown = [name for name in options.names if name not in PRESETS | QRLM_PRESETS]
    if unknown:
        parser.error(f"unknown preset {', '.join(unknown)}; --list shows all")
    torch.set_num_threads(1)  # these networks are small: a second thread costs more than it brings
    for name in options.names:
        bar = Bar(name)
        with without_denormals():
            folder = train_mechanism(
                name,
                seed=options.seed,
                out=options.out,
                device=options.device,
                epochs=options.epochs,
                encoder_only=options.encoder_only,
                progress=bar,
            )
        bar.close()
        print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
