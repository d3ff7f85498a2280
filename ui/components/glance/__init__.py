"""The result at a glance: on a phone, a bar at the screen's lower edge while the result is still below it.

There the columns are stacked, so that whoever moves a control does not see what it does. A tap on the bar goes to the
result. Beside the controls, on a wide screen, nothing is shown: the result is there already.
"""

from __future__ import annotations

from ui.components.declare import declare

HTML = """
<div class="rlm-glance"><button type="button" aria-hidden="true" tabindex="-1"></button></div>
"""

_glance = declare("glance", html=HTML, isolate_styles=False)


def glance(*figures: tuple[str, str], key: str) -> None:
    """Call where the result begins. ``figures`` are values with what they are, as plain text: two, or three short ones.

    Screen readers are told by the result itself (``role="status"``), so the bar is hidden from them.
    """
    _glance(key=key, data=[list(figure) for figure in figures])
