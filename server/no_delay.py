"""Small answers leave at once.

The event loop switches Nagle's algorithm off only for sockets that name TCP as their protocol. Streamlit's does not
(protocol 0 stands for it), and the head and the body of an answer are two writes: the second then waits up to 40 ms for
the browser's acknowledgement of the first. A page asks for about a hundred files over six connections.
"""

from __future__ import annotations

import gc
import socket


def send_at_once() -> int:
    """Switch the delay off for all connections that this process will accept; how many listening sockets there were.

    A connection inherits the option from the socket that accepted it. The sockets are the server's own, which hands
    them to nobody, so they are looked for among all objects: once, at the start.
    """
    found = (each for each in gc.get_objects() if issubclass(type(each), socket.socket))  # isinstance would ask proxies
    listening = [each for each in found if _listens(each)]
    for each in listening:
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return len(listening)


def _listens(found: socket.socket) -> bool:
    """Whether an open TCP socket waits for connections; not if another thread closes it just now."""
    if found.fileno() < 0 or found.family not in (socket.AF_INET, socket.AF_INET6):
        return False
    try:
        return found.type == socket.SOCK_STREAM and bool(found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
    except OSError:
        return False
