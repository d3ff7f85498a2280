"""Chapter 10: the device. Who could cheat, what they would learn, and who must be trusted for what."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from ui.kit.address import in_address
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER, tint
from ui.kit.html import table_html, table_row
from ui.kit.svg import svg, text
from ui.lessons.chapter import Answer, Chapter, picture

KEY = "device"


@dataclass(frozen=True, kw_only=True)
class Party:
    """Somebody on the way of a report. ``holds``: the links in their hands; ``trust``: what remains to be trusted."""

    name: str
    holds: tuple[int, ...]
    learns: str
    protects: str
    trust: str


PARTIES = (
    Party(
        name="The collector",
        holds=(4,),
        learns="Your report, as it should. It moves the odds of any suspicion about you by at most e<sup>ε</sup>, "
        "whatever else the collector knows. It also learns that you took part, and when.",
        protects="The noise, which was added before the report left. It cannot be taken off again.",
        trust="Nothing, for one report. But reports add up: whoever is asked again and again has to count.",
    ),
    Party(
        name="Who listens in",
        holds=(3,),
        learns="That you sent something, and when. Whatever your record is, the same actions cause the same traffic.",
        protects="Encryption of the connection; and a report that is read all the same is still ε-LDP.",
        trust="Nothing that concerns the record.",
    ),
    Party(
        name="Who delivers the program",
        holds=(1, 2),
        learns="Everything, if they deliver another program: one that sends the record itself, or adds no real noise.",
        protects="The program is short and open. It can be saved as one file, read, compared, and used without a "
        "network. That is also how others can find a cheat.",
        trust="The delivery, unless you check the file yourself or know somebody who does.",
    ),
    Party(
        name="Who trained the encoder",
        holds=(1,),
        learns="No more than the collector. A malicious encoder can spend your ε on what *they* want to know, or make "
        "reports useless; the clip and the noise come after it, and they carry the promise.",
        protects="The order: encode, clip, add noise. The proof does not ask what the encoder does.",
        trust="That the representation serves what you were told it is for.",
    ),
    Party(
        name="Your own device",
        holds=(0, 1, 2),
        learns="The record itself, of course, and how the noise fell.",
        protects="Nothing in this app. A device with malware, or with a broken source of randomness, keeps no promise.",
        trust="All of it. Local privacy moves the trust to where the record already is.",
    ),
)
LINKS = (
    ("your record", OWNER),
    ("encoder", OWNER),
    ("clip, noise", OWNER),
    ("the connection", NEUTRAL),
    ("collector", COLLECTOR),
)
"""The way of a report, and whose side each link is on."""

CHEAT = "#B3261E"


def play() -> None:
    """Choose who cheats; read what they get."""
    names = [each.name for each in PARTIES]
    chosen = st.segmented_control(
        "Suppose that one of them cheats", names, default=names[0], required=True, **in_address(f"{KEY}_who")
    )
    party = PARTIES[names.index(chosen) if chosen in names else 0]
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.html(
            table_html(
                ("", party.name),
                (
                    table_row("<b>learns</b>", _emphasis(party.learns)),
                    table_row("<b>is stopped by</b>", _emphasis(party.protects)),
                    table_row("<b>must be trusted with</b>", _emphasis(party.trust)),
                ),
                look="rlm-ledger rlm-parties",
            )
        )
    with right:
        picture(
            drawing_of(party),
            key="device_picture",
            caption="A report’s path from your record to the collector. Red: what is in the cheat’s hands. "
            "Nothing is random here, and nothing is released.",
        )


def drawing_of(party: Party) -> str:
    """The links one below the other, with the border of the device between them."""
    parts = []
    for index, (words, colour) in enumerate(LINKS):
        y, held = 14 + 56 * index, index in party.holds
        parts.append(
            f'<rect x="90" y="{y}" width="180" height="38" rx="9" fill="{tint(colour, 0.16)}" '
            f'stroke="{CHEAT if held else colour}" stroke-width="{3.5 if held else 1}"/>'
        )
        parts.append(text(180, y + 24, words, anchor="middle", bold=held))
        if index + 1 < len(LINKS):
            parts.append(f'<path d="M180 {y + 38}v18" stroke="{NEUTRAL}" stroke-width="1.5"/>')
    border = 14 + 56 * 3 - 9
    parts.append(f'<path d="M20 {border}H340" stroke="{NEUTRAL}" stroke-width="1.5" stroke-dasharray="5 4"/>')
    parts.append(text(20, border - 6, "device"))
    alt = f"{party.name} has a hand in: {', '.join(LINKS[index][0] for index in party.holds)}"
    return svg(parts, alt=alt, width=360, height=300)


def _emphasis(words: str) -> str:
    before, *rest = words.split("*")
    return before if len(rest) < 2 else f"{before}<i>{rest[0]}</i>{''.join(rest[1:])}"


CHAPTER = Chapter(
    key=KEY,
    short="Your device",
    title="Who must be trusted for what?",
    idea=(
        "On the pages of this app your browser does the owner’s part: it encodes, clips and adds noise, and <b>only "
        "the report leaves</b>. That takes trust away from the collector, and from everybody after it. It does not "
        "make trust vanish: some is left, in your own device and in whoever gave it the program."
    ),
    play=play,
    notice=(
        "Go through all five. Only two of them could break the promise, and neither is the collector.",
        "What would a careful person check? The program, once, rather than the collector, for ever.",
        "The encoder may come from anybody. A bad one costs accuracy, not privacy.",
    ),
    question="A company you do not trust trained the encoder. What may happen to you?",
    answers=(
        Answer(
            text="It sees my record, since its network works on it.",
            feedback="The network runs on your device. What leaves has gone through clip and noise.",
        ),
        Answer(
            text="My report may be useless, or be about what the company wants to know; ε holds all the same.",
            feedback="Clip and noise come after the encoder, and the proof does not ask what it does.",
            correct=True,
        ),
        Answer(
            text="Nothing at all: a network cannot do harm.",
            feedback="It decides what your ε is spent on. That is worth knowing, though the bound holds.",
        ),
    ),
    sections=("introduction", "definitions"),
)
