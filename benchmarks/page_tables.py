"""Tables in pages, from committed results and cards.

python -m benchmarks.page_tables        writes them into their pages, each between its marks
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks import codes_tables, own_tables
from rlm_core.zoo.__main__ import markdown_table

ROOT = Path(__file__).resolve().parent.parent
START, END = "<!-- measured: python -m benchmarks.page_tables -->", "<!-- end of what is measured -->"

PAGES: dict[Path, tuple[Callable[[], list[str]], ...]] = {
    ROOT / "docs" / "q-rlm.md": (codes_tables.result_lines,),
    ROOT / "models" / "README.md": (markdown_table, codes_tables.shipped_lines),
    ROOT / "docs" / "own-data-results.md": (own_tables.tables, own_tables.beside_the_experiments),
}
"""Pages with pairs of marks, and what stands between each pair, in their order."""


def page(path: Path) -> str:
    """A page with the tables of today."""
    done, rest = "", path.read_text(encoding="utf-8")
    for lines in PAGES.get(path, (list,)):
        before, _, rest = rest.partition(START)
        _, end, rest = rest.partition(END)
        if not end:
            raise ValueError(f"Expected the marks {START!r} and {END!r} in {path.name}.")
        done += before + "\n".join([START, "", *lines(), "", END])
    return done + rest


def main() -> None:
    """Rewrite the pages."""
    for path in PAGES:
        path.write_text(page(path), encoding="utf-8")


if __name__ == "__main__":
    main()
