"""Learn codes from the terminal: ``rlm train mnist-qrlm --seed 0``."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from rlm_core.learning.loop import Progress
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.training.codes.run_codes import run


def report(progress: Progress) -> None:
    """One line at the end of each epoch."""
    if progress.valid_loss is not None:
        print(
            f"epoch {progress.epoch}/{progress.epochs} train {progress.train_loss:.4f} "
            f"valid {progress.valid_loss:.4f} {progress.seconds:.0f} s",
            flush=True,
        )


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="rlm train", description="Learn codes of a Q-RLM.")
    parser.add_argument("names", nargs="+", choices=list(QRLM_PRESETS), metavar="NAME", help=", ".join(QRLM_PRESETS))
    parser.add_argument("--seed", type=int, default=0, help="of the split, the first weights and the views")
    parser.add_argument("--epochs", type=int, help="instead of the preset's number")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="folder for the run folders")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)  # these networks are small: a second thread costs more than it brings
    for name in options.names:
        print(run(name, seed=options.seed, out=options.out, epochs=options.epochs, progress=report))


if __name__ == "__main__":
    main()
