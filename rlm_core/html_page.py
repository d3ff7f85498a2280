"""One HTML file without anything from elsewhere: what advice and audits are written in."""

from __future__ import annotations

from html import escape

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: .9rem; } td, th { padding: .2rem .6rem; }
td { text-align: right; } td:first-child, th:first-child { text-align: left; }
tr:nth-child(even) { background: #f4f4f4; }
svg { max-width: 100%; height: auto; } .note { color: #555; font-size: .9rem; }
@media (prefers-color-scheme: dark) { body { background: Canvas; color: #ddd; }
tr:nth-child(even) { background: #222; }
.note { color: #aaa; } }
"""


def html_page(title: str, body: str) -> str:
    """The file's text; ``title`` is escaped, ``body`` is HTML."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )
