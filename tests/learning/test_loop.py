"""The loop: it learns, reports, resumes bit by bit, and refuses what it cannot do."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from rlm_core.learning.batches import Batches
from rlm_core.learning.loop import Progress, Schedule, descend, train


class Interrupted(Exception):
    pass


def problem() -> tuple[nn.Module, Batches]:
    """Linear regression with noise in the objective, so that the generator's state matters."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(130, 5, generator=generator)
    y = x @ torch.randn(5, 1, generator=generator)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
    return model, Batches(train=(x[:100], y[:100]), valid=(x[100:], y[100:]), batch_size=16)


def noisy_error(model: nn.Module, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
    x, y = batch
    noise = 0.1 * torch.randn(x.shape, generator=generator)
    error: Tensor = model(x + noise) - y
    return error.square().squeeze(-1)


def weights(model: nn.Module) -> list[Tensor]:
    return [p.detach().clone() for p in model.parameters()]


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(7)


def test_lowers_the_loss() -> None:
    model, batches = problem()
    history = train(model, noisy_error, batches, epochs=60, learning_rate=0.01, generator=seeded())
    assert [record.epoch for record in history] == list(range(1, 61))
    first, last = history[0].valid_loss, history[-1].valid_loss
    assert first is not None and last is not None and last < 0.2 * first


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_resumed_run_ends_with_the_same_bits(schedule: Schedule, tmp_path: Path) -> None:
    whole, batches = problem()
    history = train(whole, noisy_error, batches, epochs=5, learning_rate=0.01, schedule=schedule, generator=seeded())

    def stop_after_two(progress: Progress) -> None:
        if progress.epoch == 3:  # in the third epoch, after the checkpoint of the second
            raise Interrupted

    def resumable(model: nn.Module, progress: object = None) -> list[Progress]:
        return train(
            model,
            noisy_error,
            batches,
            epochs=5,
            learning_rate=0.01,
            schedule=schedule,
            generator=seeded(),
            checkpoint=tmp_path / "checkpoint",
            progress=stop_after_two if progress else None,
        )

    broken, _ = problem()
    with pytest.raises(Interrupted):
        resumable(broken, progress=True)
    torch.manual_seed(99)
    resumed = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))  # other first weights: all come from the file
    resumed_history = resumable(resumed)
    assert all(torch.equal(a, b) for a, b in zip(weights(whole), weights(resumed), strict=True))
    assert [(r.train_loss, r.valid_loss) for r in history] == [(r.train_loss, r.valid_loss) for r in resumed_history]
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]  # no partial file is left


def test_checkpoint_holds_no_code(tmp_path: Path) -> None:
    model, batches = problem()
    train(model, noisy_error, batches, epochs=1, learning_rate=0.01, generator=seeded(), checkpoint=tmp_path / "c")
    state = torch.load(tmp_path / "c", weights_only=True)
    assert set(state) == {"settings", "model", "optimiser", "generator", "history"}


def test_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    model, batches = problem()
    train(model, noisy_error, batches, epochs=1, learning_rate=0.01, generator=seeded(), checkpoint=tmp_path / "c")
    with pytest.raises(ValueError, match="'epochs': 2"):
        train(model, noisy_error, batches, epochs=2, learning_rate=0.01, generator=seeded(), checkpoint=tmp_path / "c")


def test_checkpoint_of_other_origin_is_refused_and_left(tmp_path: Path) -> None:
    model, batches = problem()
    path, rows = tmp_path / "c", torch.arange(6.0).reshape(2, 3)

    def go(epochs: int, **stems_from: object) -> int:
        given = {"epochs": epochs, "learning_rate": 0.01, "generator": seeded(), "checkpoint": path}
        return len(train(model, noisy_error, batches, stems_from=stems_from, **given))  # type: ignore[arg-type]

    go(1, seed=0, data=rows)
    before = path.read_bytes()
    for other in (rows + 1, rows.double(), rows.reshape(3, 2), rows.flip(0)):
        with pytest.raises(ValueError, match=r"settings {'data': 'SHA-256 .*'}, got {'data': 'SHA-256 .*Delete it"):
            go(1, seed=0, data=other)
    with pytest.raises(ValueError, match=r"settings {'seed': 1}, got {'seed': 0}"):
        go(1, seed=1, data=rows)
    with pytest.raises(ValueError, match=r"settings {}, got {'data'"):
        go(1)
    assert path.read_bytes() == before
    assert go(1, seed=0, data=rows.clone()) == 1
    path.unlink()
    go(1)  # as version 1.0.0 wrote it: what it does not say is not compared
    assert go(1, seed=1, data=rows) == 1


def test_finished_checkpoint_is_not_trained_further(tmp_path: Path) -> None:
    model, batches = problem()
    path = tmp_path / "c"
    train(model, noisy_error, batches, epochs=2, learning_rate=0.01, generator=seeded(), checkpoint=path)
    before = weights(model)
    history = train(model, noisy_error, batches, epochs=2, learning_rate=0.01, generator=seeded(), checkpoint=path)
    assert len(history) == 2
    assert all(torch.equal(a, b) for a, b in zip(before, weights(model), strict=True))


def test_progress_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlm_core.learning.loop.TELL_EVERY", 2)
    model, batches = problem()
    reports: list[Progress] = []
    history = train(
        model, noisy_error, batches, epochs=2, learning_rate=0.01, generator=seeded(), progress=reports.append
    )
    assert [(r.epoch, r.step) for r in reports] == [(1, 2), (1, 4), (1, 6), (2, 2), (2, 4), (2, 6)]  # 100 // 16 = 6
    assert [r.valid_loss is None for r in reports] == [True, True, False] * 2
    assert all(r.epochs == 2 and r.steps == 6 for r in reports)
    assert [r.seconds for r in reports] == sorted(r.seconds for r in reports)
    assert [r for r in reports if r.valid_loss is not None] == history


def test_reports_do_not_change_the_result() -> None:
    quiet, batches = problem()
    train(quiet, noisy_error, batches, epochs=2, learning_rate=0.01, generator=seeded())
    loud, _ = problem()
    train(loud, noisy_error, batches, epochs=2, learning_rate=0.01, generator=seeded(), progress=lambda _: None)
    assert all(torch.equal(a, b) for a, b in zip(weights(quiet), weights(loud), strict=True))


def test_cosine_schedule_falls_along_half_a_cosine() -> None:
    model, batches = problem()
    rates: list[float] = []

    def record(optimiser: torch.optim.Optimizer, losses: Tensor) -> None:
        rates.append(optimiser.param_groups[0]["lr"])
        descend(optimiser, losses)

    train(
        model,
        noisy_error,
        batches,
        epochs=3,
        learning_rate=0.01,
        schedule="cosine",
        generator=seeded(),
        step=record,
    )
    assert rates == pytest.approx([0.01 * 0.5 * (1 + math.cos(math.pi * i / 18)) for i in range(18)])


def test_each_epoch_sees_rows_once_and_leaves_out_the_ragged_batch() -> None:
    rows = torch.arange(10)
    batches = Batches(train=rows, valid=rows, batch_size=4)
    generator = seeded()
    epochs = [torch.cat(list(batches.shuffled(generator))) for _ in range(20)]
    assert all(len(epoch) == 8 == len(epoch.unique()) for epoch in epochs)
    assert len(torch.cat(epochs).unique()) == 10  # other rows are left out in other epochs
    assert [len(b) for b in batches.validation()] == [4, 4]
    few = Batches(train=rows[:3], valid=rows[:2], batch_size=4)
    assert [len(b) for b in few.shuffled(generator)] == [3]
    assert [len(b) for b in few.validation()] == [2]


def test_frozen_parameters_stay() -> None:
    model, batches = problem()
    model[0].requires_grad_(False)
    before = weights(model)
    train(model, noisy_error, batches, epochs=1, learning_rate=0.01, generator=seeded())
    after = weights(model)
    assert torch.equal(before[0], after[0]) and not torch.equal(before[2], after[2])


def test_diverging_loss_is_an_error() -> None:
    model, batches = problem()

    def broken(model: nn.Module, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
        return noisy_error(model, batch, generator) * math.inf

    with pytest.raises(FloatingPointError, match="epoch 1"):
        train(model, broken, batches, epochs=1, learning_rate=0.01, generator=seeded())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 0}, "Expected epochs > 0, got epochs=0"),
        ({"learning_rate": math.nan}, "Expected learning_rate > 0, got learning_rate=nan"),
        ({"schedule": "linear"}, "got schedule='linear'"),
    ],
)
def test_bad_settings(changes: dict[str, object], message: str) -> None:
    model, batches = problem()
    settings: dict[str, object] = {"epochs": 1, "learning_rate": 0.01, "generator": seeded()}
    with pytest.raises(ValueError, match=message):
        train(model, noisy_error, batches, **(settings | changes))  # type: ignore[arg-type]


def test_bad_batches() -> None:
    with pytest.raises(ValueError, match="batch_size=0"):
        Batches(train=torch.ones(2), valid=torch.ones(2), batch_size=0)
    with pytest.raises(ValueError, match="equally many rows"):
        Batches(train=(torch.ones(2), torch.ones(3)), valid=torch.ones(2), batch_size=1)
    with pytest.raises(ValueError, match="valid"):
        Batches(train=torch.ones(2), valid=torch.ones(0), batch_size=1)
