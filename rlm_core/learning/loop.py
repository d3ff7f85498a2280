"""The one training loop. It knows nothing of the model.

An *objective* is a function (model, batch, generator) to one loss per example. The
loop shuffles, averages, descends, validates, reports and saves; what is learnt is the
objective's business. One loss per example, rather than their mean, is also what
DP-Adam needs to clip gradients example by example: give ``step`` another function.

All randomness (order of rows, noise in the objective) comes from one generator, whose
state is saved with each checkpoint: on the CPU a resumed run ends with the same bits
as one that was never interrupted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import torch
from torch import Tensor, nn

from rlm_core.learning.batches import Batches
from rlm_core.learning.checkpoint import origin, restore, save

__all__ = ["Batches", "Objective", "OnProgress", "Progress", "Schedule", "Step", "adam", "descend", "evaluate", "train"]

Model = TypeVar("Model", bound=nn.Module)
Objective = Callable[[Model, Any, torch.Generator], Tensor]
Step = Callable[[torch.optim.Optimizer, Tensor], None]
Schedule = Literal["constant", "cosine"]

TELL_EVERY = 50  # steps between two calls of ``progress`` within an epoch


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a training stands. ``valid_loss`` is known at the end of an epoch only."""

    epoch: int
    epochs: int
    step: int
    steps: int
    train_loss: float
    valid_loss: float | None
    seconds: float


OnProgress = Callable[[Progress], None]
"""Who is told how far a training is: a bar, a page, a test."""


def descend(optimiser: torch.optim.Optimizer, losses: Tensor) -> None:
    """The plain step: follow the gradient of the mean loss."""
    optimiser.zero_grad(set_to_none=True)
    torch.autograd.backward(losses.mean())
    optimiser.step()


def adam(model: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
    """Adam (Kingma and Ba, 2015) over the parameters that want a gradient, in one fused kernel."""
    wanted = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return torch.optim.Adam(wanted, lr=learning_rate, fused=True)


def train(
    model: Model,
    objective: Objective[Model],
    batches: Batches,
    *,
    epochs: int,
    learning_rate: float,
    generator: torch.Generator,
    schedule: Schedule = "constant",
    step: Step = descend,
    progress: OnProgress | None = None,
    checkpoint: Path | None = None,
    stems_from: Mapping[str, Any] | None = None,
    device: torch.device | str = "cpu",
) -> list[Progress]:
    """Minimise the mean of the objective; return the state at the end of every epoch.

    Args:
        model: trained in place, moved to ``device``.
        objective: (model, batch, generator) to losses (n,).
        batches: the data.
        epochs: passes over the training rows.
        learning_rate: of Adam; with ``schedule="cosine"`` it falls to 0 along half a cosine.
        generator: the source of all randomness; must live on ``device``.
        schedule: "constant" or "cosine".
        step: (optimiser, losses) to one update.
        progress: called every few steps and at the end of every epoch.
        checkpoint: file written at the end of every epoch; if it exists, training resumes
            from it (it must stem from the same settings).
        stems_from: what else decides what is learnt, such as preset, seed and rows: a checkpoint must agree with
            it, of tensors with their SHA-256. None compares settings and the number of rows alone.
        device: where to train.

    Raises:
        FloatingPointError: the loss is no longer finite.
    """
    if not epochs > 0:
        raise ValueError(f"Expected epochs > 0, got epochs={epochs}.")
    if not learning_rate > 0:
        raise ValueError(f"Expected learning_rate > 0, got learning_rate={learning_rate}.")
    if schedule not in ("constant", "cosine"):
        raise ValueError(f"Expected schedule to be 'constant' or 'cosine', got schedule={schedule!r}.")
    device = torch.device(device)
    model.to(device)
    batches = batches.to(device)
    optimiser = adam(model, learning_rate)
    history: list[Progress] = []
    settings: dict[str, Any] = {}
    if checkpoint is not None:
        added = origin(stems_from or {})
        of_loop = {"epochs": epochs, "learning_rate": learning_rate, "schedule": schedule}
        settings = {**added, **of_loop, **batches.settings}
        if checkpoint.exists():
            before = restore(checkpoint, settings, model, optimiser, generator, added=added)
            history = [Progress(**each) for each in before]
    spent = history[-1].seconds if history else 0.0
    start = time.perf_counter() - spent
    steps = batches.steps
    for epoch in range(len(history) + 1, epochs + 1):
        model.train()
        total = torch.zeros((), device=device)
        for number, batch in enumerate(batches.shuffled(generator), start=1):
            if schedule == "cosine":
                done = ((epoch - 1) * steps + number - 1) / (epochs * steps)
                for group in optimiser.param_groups:
                    group["lr"] = learning_rate * 0.5 * (1 + math.cos(math.pi * done))
            losses = objective(model, batch, generator)  # (n,)
            step(optimiser, losses)
            total += losses.detach().sum() / max(1, len(losses))  # a Poisson-sampled batch may be empty
            if progress is not None and number % TELL_EVERY == 0 and number < steps:
                progress(
                    Progress(
                        epoch=epoch,
                        epochs=epochs,
                        step=number,
                        steps=steps,
                        train_loss=total.item() / number,
                        valid_loss=None,
                        seconds=time.perf_counter() - start,
                    )
                )
        record = Progress(
            epoch=epoch,
            epochs=epochs,
            step=steps,
            steps=steps,
            train_loss=total.item() / steps,
            valid_loss=evaluate(model, objective, batches, device=device),
            seconds=time.perf_counter() - start,
        )
        if not math.isfinite(record.train_loss):
            raise FloatingPointError(f"Expected a finite loss, got {record.train_loss} in epoch {epoch}.")
        history.append(record)
        if checkpoint is not None:
            save(checkpoint, settings, model, optimiser, generator, [asdict(each) for each in history])
        if progress is not None:
            progress(record)
    return history


def evaluate(
    model: Model, objective: Objective[Model], batches: Batches, *, device: torch.device | str = "cpu"
) -> float:
    """Mean validation loss, with the same noise every time, so that epochs can be compared."""
    fixed = torch.Generator(device=device).manual_seed(0)
    model.eval()
    with torch.no_grad():
        losses = [objective(model, batch, fixed) for batch in batches.validation()]
    return torch.cat(losses).mean().item()
