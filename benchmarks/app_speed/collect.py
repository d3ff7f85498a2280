"""What the collector's page costs: seconds to the first point and to the end, and what other visitors notice.

The fit is the page's own: MNIST, 13,500 people, denoising, in the worker process that the page uses. Its
seconds are processor time (on Linux), so they do not depend on what else the machine is doing.

Other visitors: the server's time from an ε move to the finished image page, in turn with nothing going on,
while the worker process fits, and while the same fit runs in a thread of the server instead. Wall time,
medians over all rounds; the three are taken in turn, so that a busy machine treats them alike.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import threading
import time
from pathlib import Path
from typing import Any

import torch
from streamlit.testing.v1 import AppTest

from rlm_core import zoo
from ui.collect.events import Event
from ui.collect.queue import RunQueue
from ui.collect.reports import Choice, collect, task_of
from ui.collect.runs import Run
from ui.collect.task import Task, learn

ENTRY = Path(__file__).resolve().parents[2] / "app.py"
BUDGETS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
LAMS = (0.4, 0.5, 0.6, 0.65, 0.75, 0.8)  # another for each round, so that every move is a new release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    parser.add_argument("--rounds", type=int, default=2, help="how often the three situations are measured")


def main(options: argparse.Namespace) -> int:
    """Measure and print."""
    torch.set_num_threads(1)
    choice, task = the_task()
    queue = RunQueue(limit=1)
    try:
        figures: dict[str, Any] = fit_seconds(queue, choice, task) | latencies(queue, choice, task, options.rounds)
    finally:
        queue.close()
    lines = (f"{name:46} {value:8.3g}" for name, value in figures.items())
    print(json.dumps(figures) if options.json else "\n".join(lines))
    return 0


def the_task(people: int = 13_500, epsilon: float = 10.0) -> tuple[Choice, Task]:
    """The fit of the page's first view."""
    model = zoo.load(zoo.choose("mnist", epsilon), device="cpu")
    choice = Choice(
        experiment="collection",
        dataset="mnist",
        mechanism=model.card.name,
        noise="Laplace",
        people=people,
        epsilon=epsilon,
        lam=0.7,
        objective="denoising",
    )
    return choice, task_of(choice, collect(choice, model), model)


def fit_seconds(queue: RunQueue, choice: Choice, task: Task) -> dict[str, float]:
    """Processor seconds of a warm worker from the task to the first point, and to the end."""
    wait_for(queue.submit("warm", choice, task), points=1)  # imports are done
    (run,) = queue.runs("warm")
    queue.stop(run)
    wait_for(run)
    start = worker_seconds(queue)
    run = queue.submit("measured", choice, task)
    wait_for(run, points=1)
    first = worker_seconds(queue) - start
    wait_for(run)
    assert run.result is not None
    return {
        "first point, s": first,
        "whole fit, s": worker_seconds(queue) - start,
        "accuracy on clean records, %": 100 * run.result.clean,
    }


def latencies(queue: RunQueue, choice: Choice, task: Task, rounds: int) -> dict[str, float]:
    """Median milliseconds of an ε move of another visitor in the three situations, and the ratios."""
    visitor = other_page()
    moves: dict[str, list[float]] = {"nothing": [], "process": [], "thread": []}
    for number in range(rounds):
        for position, situation in enumerate(moves):
            visitor.session_state["lam"] = LAMS[(number * len(moves) + position) % len(LAMS)]
            with_fit = FITS[situation](queue, choice, task)
            moves[situation] += [move(visitor, budget) for budget in BUDGETS]
            with_fit()
    middle = {situation: 1000 * statistics.median(seconds) for situation, seconds in moves.items()}
    return {
        "slider, nothing going on, ms": middle["nothing"],
        "slider, while the worker process fits, ms": middle["process"],
        "slider, while a thread of the server fits, ms": middle["thread"],
        "ratio, worker process": middle["process"] / middle["nothing"],
        "ratio, thread": middle["thread"] / middle["nothing"],
    }


def no_fit(queue: RunQueue, choice: Choice, task: Task) -> Any:
    """Nothing going on."""
    return lambda: None


def process_fit(queue: RunQueue, choice: Choice, task: Task) -> Any:
    """A fit as the page does it; the answer ends it."""
    run = queue.submit(f"visitor {time.monotonic_ns()}", choice, task)
    wait_for(run, points=1)

    def end() -> None:
        assert run.active, "the fit ended before the slider had been moved"
        queue.stop(run)
        wait_for(run)

    return end


def thread_fit(queue: RunQueue, choice: Choice, task: Task) -> Any:
    """The same fit in a thread of this process; the answer ends it."""
    stopped, began = threading.Event(), threading.Event()

    def on_event(event: Event) -> None:
        if not hasattr(event, "share"):
            began.set()

    thread = threading.Thread(target=learn, args=(task, on_event, stopped.is_set), daemon=True)
    thread.start()
    began.wait()

    def end() -> None:
        assert thread.is_alive(), "the fit ended before the slider had been moved"
        stopped.set()
        thread.join()

    return end


FITS = {"nothing": no_fit, "process": process_fit, "thread": thread_fit}


def other_page() -> AppTest:
    """Another visitor with a file of rows, with every mechanism loaded that the moves need."""
    app = AppTest.from_file(str(ENTRY), default_timeout=600)
    app.query_params["rows"] = "A CSV file"
    app.switch_page("pages/row.py").run()
    for budget in BUDGETS:
        app.select_slider(key="eps").set_value(budget).run()
    gc.collect()
    gc.freeze()  # as the server does once, after the imports
    return app


def move(app: AppTest, budget: float) -> float:
    """Seconds of one move."""
    start = time.perf_counter()
    app.select_slider(key="eps").set_value(budget).run()
    return time.perf_counter() - start


def wait_for(run: Run, points: int | None = None) -> None:
    """Until a run has so many points, or has ended."""
    while run.active and (points is None or len(run.points) < points):
        time.sleep(0.01)
    if run.state == "failed":
        raise RuntimeError("The fit failed; the log says why.")


def worker_seconds(queue: RunQueue) -> float:
    """Processor time of the worker process so far; wall time where the system does not tell."""
    (worker,) = queue.workers
    try:
        fields = Path(f"/proc/{worker.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
