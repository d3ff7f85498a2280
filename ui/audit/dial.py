"""The dial: what is claimed, what is proved, and the most that so many samples could prove. HTML text."""

from __future__ import annotations

from rlm_core.audit import AuditResult
from ui.kit.colours import OVER, OWNER
from ui.kit.formats import number

BEYOND = 2.0
"""The scale ends at this multiple of the claim, whatever is measured: what is broken flies past the claim, not the
claim towards zero."""


def scale_top(epsilon: float) -> float:
    """The end of the scale.

    >>> scale_top(1.0), scale_top(8.0)
    (2.0, 16.0)
    """
    return BEYOND * epsilon


def dial(epsilon: float, bound: float | None, *, running: str = "") -> str:
    """Half a circle from 0 to the top. The needle is the bound; the claim is where blue ends.

    ``bound`` is None before anything was measured; ``running`` are words shown meanwhile.
    """
    value = bound or 0.0
    top = scale_top(epsilon)
    claim, needle = 180.0 * epsilon / top, 180.0 * min(value / top, 1.0)
    state = "rlm-over" if value > epsilon else "rlm-under"
    measured = "–" if bound is None else f"{bound:.2f}"
    end = f"{number(top)} and beyond" if value > top else number(top)
    label = f"claimed {number(epsilon)}, measured at least {measured}"
    turn = claim - 90.0
    return (
        f'<div class="rlm-dial {state}" role="img" aria-label="{label}"><div class="rlm-face">'
        f'<div class="rlm-arc" style="background:conic-gradient(from 270deg at 50% 100%, '
        f"{OWNER} 0 {claim:.1f}deg, color-mix(in srgb, {OVER} 38%, transparent) {claim:.1f}deg 180deg, "
        f'transparent 180deg)"></div>'
        f'<i class="rlm-claim" style="transform:rotate({turn:.1f}deg)">'
        f'<b style="transform:translate(-50%, 50%) rotate({-turn:.1f}deg)">claimed<br>ε = {number(epsilon)}</b></i>'
        f'<i class="rlm-needle" style="transform:rotate({needle - 90:.1f}deg)"></i>'
        f'<div class="rlm-read"><strong>{measured}</strong><span>{running or "measured ε, at least"}</span></div></div>'
        f'<div class="rlm-ends"><small>0</small><small>{end}</small></div></div>'
    )


def verdict(result: AuditResult, most: float) -> str:
    """What the samples prove, in a sentence that claims no more."""
    sure = f"{result.confidence:.1%}".replace("%", " %")
    if not result.ok:
        return (
            f"<b>The claim is refuted.</b> With {sure} confidence the true ε is at least "
            f"<strong>{result.lower_bound:.2f}</strong>, and {number(result.epsilon)} was promised."
        )
    found = (
        f"<b>Nothing found.</b> With {sure} confidence the true ε is at least "
        f"<strong>{result.lower_bound:.2f}</strong>, which is no more than the {number(result.epsilon)} that is "
        "promised."
    )
    if most <= result.epsilon:
        found += f" This many outputs could never have shown more than {most:.2f}: take more samples, or a smaller ε."
    return found


def run_bar(title: str, result: AuditResult, *, top: float) -> str:
    """One line of the visit's measurements: a bar to the bound, a tick at the claim."""
    colour = OWNER if result.ok else OVER
    return (
        f"<li><span>{title}</span><div>"
        f'<i style="width:{100 * min(result.lower_bound / top, 1):.1f}%;background:{colour}"></i>'
        f'<u style="left:{100 * min(result.epsilon / top, 1):.1f}%"></u></div>'
        f"<em>≥ {result.lower_bound:.2f}</em></li>"
    )
