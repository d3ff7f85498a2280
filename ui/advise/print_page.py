"""The answer as one page that prints: a whole HTML file without anything from elsewhere."""

from __future__ import annotations

import html

import rlm_core
from benchmarks import gain
from benchmarks.summary import shown_name
from ui.advise import text
from ui.advise.choice import Wish, headline, interval, meanings
from ui.kit.formats import epsilon_up

STYLE = """
@page { size: A4; margin: 18mm }
body { font: 11pt/1.45 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
body { color: #111; background: #fff }
h1 { font-size: 20pt; margin: 0 0 .3rem } h2 { font-size: 13pt; margin: 1.4rem 0 .3rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid #ccc }
dt { font-weight: bold; margin-top: .5rem } dd { margin: 0 } small { color: #444 }
"""


def print_page(wish: Wish) -> str:
    """The wish, the answer, what it means, and where the numbers come from."""
    rows = "".join(
        f"<tr><td>{html.escape(shown_name(need.mechanism))}</td><td>{_epsilon(need)}</td><td>{interval(need)}</td></tr>"
        for need in wish.needs
    )
    means = "".join(f"<dt>{title}</dt><dd>{sentence}</dd>" for title, sentence in meanings(wish))
    method = text.METHOD.format(people=gain.people_measured(wish.dataset)).replace("*", "")
    modelled = " The number of people asked for follows a model, for codes only." if wish.factor != 1.0 else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Choose an ε: {wish.title}</title>'
        f"<style>{STYLE}</style></head><body><h1>Choose an ε</h1><p>{headline(wish)}</p>"
        f"<h2>By mechanism</h2><table><tr><th>mechanism</th><th>ε needed</th><th>interval</th></tr>{rows}</table>"
        f"<h2>What it means for each person</h2><dl>{means}</dl><h2>Where the numbers come from</h2>"
        f"<p>{method}{modelled} {text.COMPOSITION}</p>"
        f"<p><small>rlm-ldp {rlm_core.__version__}</small></p></body></html>"
    )


def _epsilon(need: gain.Need) -> str:
    if need.epsilon is None:
        return f"not reached: best {need.best:.1f} %"
    return f"{'at most' if need.at_most else 'about'} {epsilon_up(need.epsilon)}"
