"""The image page with a mechanism that sends sets of codes: nothing about it is written into the page's controls."""

from __future__ import annotations

import numpy as np
from page_driver import Open, healthy, ledger, words

from rlm_core.owner.subset_selection import SubsetSelection
from ui.app import cache
from ui.kit.formats import percent
from ui.record.inference import posterior
from ui.record.release import Drawn

NAME = "mnist-qrlm-k12"


def test_the_code_the_channel_and_the_set_are_shown(open_page: Open) -> None:
    app = open_page("image", mech=NAME, eps="2")
    (drawn,) = [each for draws in app.session_state["releases"].draws.values() for each in draws]
    assert isinstance(drawn, Drawn) and drawn.report.mechanism == NAME
    channel = SubsetSelection(epsilon=drawn.report.epsilon_x, symbols=12)
    sent = np.flatnonzero(drawn.z_private > 0)
    assert drawn.set_size == channel.size == len(sent)
    shown = words(app)
    for letter in ("x → c", "c → S", "S"):
        assert f'<span class="rlm-symbol">{letter}</span>' in shown
    assert f"code {drawn.z.argmax() + 1} of 12" in shown
    assert "codes that were sent: " + ", ".join(str(code + 1) for code in sent) in shown
    assert f"your code is in the set with {percent(channel.inside)}" in shown
    assert "12 codes." in shown and "Laplace" not in shown


def test_belief_and_ledger_work_as_for_any_mechanism(open_page: Open) -> None:
    app = open_page("image", mech=NAME, eps="2")
    healthy(app.button(key="draw_again").click().run())
    assert [r.epsilon for r in ledger(app).releases] == [2.0, 2.0]
    draws = [each for draws in app.session_state["releases"].draws.values() for each in draws]
    belief = posterior(draws, cache.model(NAME), classes=10)
    assert belief.odds_factor <= np.exp(4.0) * (1 + 1e-9)  # two reports of ε = 2
    assert "average of 2 reports" in words(app)
