"""Drive the page for one's own table: a queue that trains in this process, and the fields of its form."""

from __future__ import annotations

from typing import Any

from page_driver import Open, healthy
from streamlit.testing.v1 import AppTest

from ui.own.queue import TrainingQueue
from ui.own.task import train

CSV = b"age;job;ill\n" + b"".join(
    f"{20 + at % 60};{('cook', 'nurse')[at % 2]};{('no', 'yes')[at % 60 > 30]}\n".encode() for at in range(120)
)


class Here:
    """Trains at once, in this process, when the test says so."""

    def __init__(self, on_message: Any, on_exit: Any) -> None:
        self.on_message, self.on_exit, self.tasks, self.stopped = on_message, on_exit, [], set()
        self.idle_since = 0

    def send(self, message: Any) -> None:
        kind, number, *rest = message
        self.stopped.add(number) if kind == "stop" else self.tasks.append((number, rest[0]))

    def end(self) -> None:
        self.on_exit(self)

    def work(self, *, until: type | None = None) -> None:
        """All that it was given; ``until`` an event of this kind has been published, and then it is left alone."""
        number, task = self.tasks.pop(0)

        class Enough(Exception):
            pass

        def publish(event: Any) -> None:
            self.on_message(self, (number, event))
            if until is not None and isinstance(event, until):
                raise Enough

        try:
            self.on_message(self, (number, train(task, publish)))
        except Enough:
            pass


def press(app: AppTest, key: str) -> AppTest:
    return healthy(app.button(key=key).click().run())


def worker(queue: TrainingQueue) -> Here:
    return next(each for each in queue.workers if each.tasks)


def field(app: AppTest, label: str) -> Any:
    """A field of the form for one column, by what stands above it."""
    (found,) = [each for each in [*app.selectbox, *app.text_input, *app.text_area] if each.label == label]
    return found


def choose(app: AppTest, column: str, kind: str | None = None) -> AppTest:
    """The column to change, and another kind for it."""
    field(app, "Column to change").set_value(column).run()
    return app if kind is None else field(app, "Kind").set_value(kind).run()


def schema_edit_of(app: AppTest) -> tuple[str, Any]:
    """The newest table's schema, and the key of its fields."""
    return list(app.session_state["own_schemas"].items())[-1]


def apply(app: AppTest) -> AppTest:
    (button,) = [each for each in app.button if each.label == "Apply"]
    return button.click().run()


def opened(open_page: Open) -> AppTest:
    app = open_page("own", table="Your file")
    app.file_uploader(key="own_upload").set_value(("mine.csv", CSV, "text/csv"))
    return healthy(app.run())


def trained(app: AppTest, queue: TrainingQueue) -> AppTest:
    """A mechanism and advice for what the controls say."""
    press(app, "own_train")
    worker(queue).work()
    return healthy(app.run())
