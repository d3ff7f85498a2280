"""The words of docs/glossary.md: one source for the documentation and for the app's page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ui.app.site import ROOT

SOURCE = ROOT / "docs" / "glossary.md"


@dataclass(frozen=True, kw_only=True)
class Term:
    """A word and what it means, in one or two sentences."""

    name: str
    meaning: str


@cache
def terms() -> tuple[Term, ...]:
    """Every word in the order of the file."""
    return parse(SOURCE.read_text(encoding="utf-8"))


def parse(text: str) -> tuple[Term, ...]:
    """The definition lists of a MyST page; links to other pages of the documentation are left out.

    >>> parse("# Words\\n\\nclip\\n: Into a *ball*\\n  of radius l ([why](q.md)).\\n")
    (Term(name='clip', meaning='Into a ball of radius l.'),)
    """
    found = re.findall(r"^(\S[^\n]*)\n: (.*(?:\n  .*)*)", text, re.MULTILINE)
    return tuple(Term(name=name, meaning=_plain(meaning)) for name, meaning in found)


def _plain(meaning: str) -> str:
    one_line = re.sub(r"\s+", " ", meaning).strip()
    without_links = re.sub(r"\s*\(\[[^\]]*\]\([^)]*\)\)", "", one_line)
    return re.sub(r"\*([^*]+)\*", r"\1", without_links)
