"""The page's words."""

from __future__ import annotations

LEDE = (
    "Ask a room one question. Everybody answers on their own phone, which adds the noise <i>before</i> anything leaves "
    "it. No single report tells what anybody said; together they do."
)
LEDE_WALL = (
    "Scan the code with your phone. It adds the noise <i>before</i> anything leaves it: no single report tells what "
    "you said; together they do."
)
KINDS = {"yes or no": "yes", "one of several": "one", "a number": "number", "draw a digit": "digit"}
LABEL = (
    "Drawing and digit leave as one symbol. Without the digit only the drawing’s code leaves, the same for everybody, "
    "and the page shows how often each code was drawn."
)
CHEAT = (
    "Each phone counts its own reports and stops when it may send no more. The server cannot tell phones apart, so "
    "somebody who wants to cheat can send more."
)
LOOPBACK = (
    "This page was opened on an address that only this machine can reach, so **no phone can come**. Start the app with "
    "`make run HOST=0.0.0.0` (or `rlm run --host 0.0.0.0`), open it under this machine's address in your network, and "
    "make the campaign again. Behind a proxy, set `RLM_PUBLIC_URL`, and allow its name with `--allowed-host`."
)
PLAIN_HTTP = (
    "Phones will load the page without HTTPS. Reports need no secrecy, but only HTTPS protects the *script* on its "
    "way: in a network that you do not trust, put a proxy with HTTPS in front."
)
SECRET = (
    "The address of this page is your secret link: whoever has it can read, close and delete the campaign. Keep it."
)
ON_THE_WALL = (
    "Opens a page without your secret: the same code, count and estimate, and nothing to close or delete. Put that one "
    "on the wall; this page's address is for you alone."
)
UNKNOWN = "There is no such campaign, or this link is not its creator's."
WALL = "What the collector can see of each drawing. One by one they say little; the shares above come from all of them."
INTERVAL = (
    "In 95 of 100 rooms the line holds the true share of the people that this room stands for. With few reports an "
    "estimate can fall below 0 or rise above 100 % by chance. It is then cut at the edge; point at it for the raw "
    "numbers."
)
UNAVAILABLE = "The database does not answer: {}. Nothing is lost; this page tries again."
CROWD = (
    "Thirty people teach a model little. The crowd is simulated: public digits with noise from a seed. It is added to "
    "what this line shows, and to nothing else; no report of it is stored."
)
