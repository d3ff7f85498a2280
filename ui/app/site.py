"""Every page of the app, in one list: menu, start page and tests all read it.

To add a page, add its entry to PAGES, under one of the four GROUPS of the menu, and write its file, which starts
with ``require_app()``. A line whose file does not exist (yet) is left out. The address of a page is its file's
name: Streamlit then finds it on a cold start too. Icons are from the font that Streamlit serves itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

GROUPS = TRY, UNDERSTAND, DECIDE, COLLECT = ("Try it", "Understand", "Decide", "Collect")
"""The menu's four groups, from left to right. The start page is in none: its entry is the name of the app."""


@dataclass(frozen=True, kw_only=True)
class PageSpec:
    """A page by its file in ``pages/``: name, icon, group in the menu, and the visitor's wish that it answers."""

    file: str
    title: str
    icon: str
    group: str = ""
    wish: str = ""
    answer: str = ""

    @property
    def path(self) -> Path:
        """The page's script."""
        return ROOT / "pages" / f"{self.file}.py"


PAGES: tuple[PageSpec, ...] = (
    PageSpec(file="start", title="Private by design", icon=":material/contrast:"),
    PageSpec(
        file="image",
        title="Privatise a picture",
        icon=":material/image:",
        group=TRY,
        wish="Show me on a picture",
        answer="Draw, upload or pick one, follow it through the mechanism, and see what the collector can infer.",
    ),
    PageSpec(
        file="row",
        title="Privatise a row",
        icon=":material/table_rows:",
        group=TRY,
        wish="Show me on a table",
        answer="One loan or a whole CSV file: what leaves the device, and how far each column moved.",
    ),
    PageSpec(
        file="own",
        title="Your own table",
        icon=":material/upload_file:",
        group=TRY,
        wish="Try it on my data",
        answer="Bring a public sample: a mechanism is fitted to it, and you see which ε it takes.",
    ),
    PageSpec(
        file="concepts",
        title="What is LDP?",
        icon=":material/school:",
        group=UNDERSTAND,
        wish="Teach me",
        answer="Short chapters, each with one idea and one thing to play with.",
    ),
    PageSpec(
        file="glossary",
        title="Glossary",
        icon=":material/menu_book:",
        group=UNDERSTAND,
    ),
    PageSpec(
        file="advise",
        title="Choose an ε",
        icon=":material/tune:",
        group=DECIDE,
        wish="Tell me which ε I need",
        answer="Say which accuracy you need; read the smallest ε, and what it means for each person.",
    ),
    PageSpec(
        file="bound",
        title="How good can it get?",
        icon=":material/straighten:",
        group=DECIDE,
        wish="Know the limits",
        answer="The best accuracy that a budget allows, in theory and as measured.",
    ),
    PageSpec(
        file="benchmarks",
        title="Compare mechanisms",
        icon=":material/bar_chart:",
        group=DECIDE,
        wish="Show me the evidence",
        answer="Every mechanism on every dataset, ours beside the published numbers.",
    ),
    PageSpec(
        file="collect",
        title="Collect and learn",
        icon=":material/inbox:",
        group=COLLECT,
        wish="Let me collect",
        answer="Be the collector: gather private reports, learn from them, and see how good it gets.",
    ),
    PageSpec(
        file="room",
        title="Collect from a room",
        icon=":material/qr_code_2:",
        group=COLLECT,
        wish="Ask real people",
        answer="A code on the wall, a private report from every phone, and an estimate that appears from them.",
    ),
    PageSpec(
        file="audit",
        title="Is it really private?",
        icon=":material/policy:",
        group=UNDERSTAND,
        wish="Prove it to me",
        answer="Attack every mechanism and compare the measured ε with the claimed one.",
    ),
)


def pages() -> tuple[PageSpec, ...]:
    """The pages whose file exists, in menu order."""
    return tuple(page for page in PAGES if page.path.is_file())


def cards() -> tuple[PageSpec, ...]:
    """What the start page offers, by the visitor's wish: a picture to see, then the answer that most come for."""
    wishes = [page for page in pages() if page.wish]
    order = {"image": 0, "advise": 1}
    return tuple(sorted(wishes, key=lambda page: order.get(page.file, 2)))


def by_group() -> dict[str, list[PageSpec]]:
    """The menu: the start page under no heading, then each group that has pages."""
    return {group: found for group in ("", *GROUPS) if (found := [page for page in pages() if page.group == group])}
