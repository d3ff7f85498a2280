"""The answer as one page that prints: a whole HTML file without anything from elsewhere."""

from __future__ import annotations

import html
import re

import rlm_core
from benchmarks import gain
from benchmarks.summary import shown_name
from ui.advise import text
from ui.advise.choice import Wish, gain_and_risk, headline, interval, meanings
from ui.advise.print_chart import print_chart
from ui.kit.formats import epsilon_up

STYLE = """
@page { size: A4; margin: 14mm 18mm }
body { font: 10pt/1.38 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
body { color: #111; background: #fff }
@media print { body { margin: 0; padding: 0; max-width: none } }
h1 { font-size: 18pt; margin: 0 0 .2rem } h2 { font-size: 12pt; margin: .8rem 0 .2rem } p { margin: .3rem 0 }
table { border-collapse: collapse; width: 100% } figure { margin: 0 } svg { width: 100%; display: block }
svg text { font: 11px Georgia, serif; fill: #222 }
th, td { text-align: left; padding: .12rem .6rem .12rem 0; border-bottom: 1px solid #ccc }
dl { display: grid; grid-template-columns: 9.5rem 1fr; gap: .22rem .8rem; margin: 0 }
dt { font-weight: bold } dd { margin: 0 } small, figcaption { color: #444; font-size: 9pt }
"""
"""One sheet of A4, whatever was asked for: a test prints it."""

CAPTION = "A dot is an ε, from small (left) to large. The ring is the answer. Up and to the left is better."


def print_page(wish: Wish) -> str:
    """The wish, the answer, what it means, and where the numbers come from."""
    rows = "".join(
        f"<tr><td>{html.escape(shown_name(need.mechanism))}</td><td>{_epsilon(need)}</td><td>{_interval(need)}</td></tr>"
        for need in wish.needs
    )
    means = "".join(f"<dt>{title}</dt><dd>{sentence}</dd>" for title, sentence in meanings(wish))
    method = text.method(wish.dataset).replace("*", "")
    modelled = " The number of people asked for follows a model, for codes only." if wish.factor != 1.0 else ""
    points = gain.points(wish.dataset)
    chart = (
        f"<h2>What everybody gains, and what it costs each</h2><figure>{print_chart(points, wish.chosen)}"
        f"<figcaption>{CAPTION}</figcaption></figure>"
        if points
        else ""
    )
    meaning = f"<h2>What it means for each person</h2><dl>{means}</dl>" if means else ""
    body = (
        f"<h1>Choose an ε</h1><p>{headline(wish)} {gain_and_risk(wish)}</p>{chart}"
        f"<h2>By mechanism</h2><table><tr><th>mechanism</th><th>ε needed</th><th>interval</th></tr>{rows}</table>"
        f"{meaning}<h2>Where the numbers come from</h2>"
        f"<p>{method}{modelled} {text.COMPOSITION}</p><p><small>rlm-ldp {rlm_core.__version__}</small></p>"
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Choose an ε: {wish.title}</title>'
        f"<style>{STYLE}</style></head><body>{unbroken(body)}</body></html>"
    )


def unbroken(words: str) -> str:
    """No line ends inside "63.9 %" or "ε = 1".

    >>> unbroken("ε = 1, 63.9 %") == "ε\\u00a0=\\u00a01, 63.9\\u00a0%"
    True
    """
    return re.sub(r"(?<=\d) (?=%)|(?<=ε) (?==)|(?<=ε =) ", "\u00a0", words)


def _epsilon(need: gain.Need) -> str:
    if need.epsilon is None:
        return f"not reached: best {need.best:.1f} %"
    return f"{'at most' if need.at_most else 'about'} {epsilon_up(need.epsilon)}"


def _interval(need: gain.Need) -> str:
    """Without the brackets that it has in a sentence."""
    return interval(need).strip(" ()")
