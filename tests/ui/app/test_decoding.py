"""What a file may cost: processor, memory, places. And it costs that once."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ui.app import decoding
from ui.app.decoding import DecodingError, Occupied, decode
from ui.image.files import ImageError, fit_file


def test_it_runs_elsewhere_and_again_in_the_same_process() -> None:
    first = decode(os.getpid)
    assert first != os.getpid() and decode(os.getpid) == first
    assert np.array_equal(decode(np.arange, 5), np.arange(5))


def test_what_a_decoder_raises_is_raised_here() -> None:
    with pytest.raises(ImageError, match="not a picture"):
        decode(fit_file, b"hello", "mnist")


def test_too_much_memory_is_refused_and_the_next_file_is_read() -> None:
    with pytest.raises(DecodingError, match="64 MB"):
        decode(bytearray, 2**30, megabytes=64)
    assert len(decode(bytearray, 2**20, megabytes=64)) == 2**20


def test_too_much_processor_time_ends_the_worker_and_the_next_file_is_read() -> None:
    before, start = decode(os.getpid), time.process_time()
    with pytest.raises(DecodingError, match="1 seconds of processor"):
        decode(pow, 3, 10**9, seconds=1)  # hours
    assert time.process_time() - start < 1.0, "the server itself computed"
    assert decode(os.getpid) != before


def test_a_decoder_that_only_waits_is_ended_by_the_clock() -> None:
    with pytest.raises(DecodingError, match="given up"):
        decode(time.sleep, 300.0, seconds=0.2)


def test_two_at_a_time() -> None:
    pids: set[int] = set()
    most = 0

    def job() -> None:
        pids.add(decode(os.getpid))
        decode(time.sleep, 0.2)

    threads = [threading.Thread(target=job) for _ in range(6)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most = max(most, decoding.AT_ONCE - decoding._places._value)
        time.sleep(0.01)
    assert len(pids) <= 2 and most == 2


def test_nobody_waits_for_ever() -> None:
    held = [decoding._places.acquire(timeout=5.0) for _ in range(decoding.AT_ONCE)]
    try:
        with pytest.raises(Occupied, match="try again"):
            decode(os.getpid, wait=0.05)
    finally:
        for _ in held:
            decoding._places.release()
    assert decode(os.getpid) > 0


def page() -> None:
    import streamlit as st

    from ui.app.decoding import decode_once
    from ui.image.files import fit_file

    try:
        decode_once(fit_file, st.session_state.get("data", b"hello"), "mnist")
    except ValueError as error:
        st.text(str(error))


def test_a_file_is_decoded_once_in_a_visit_and_a_bad_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(function: object, data: bytes, *arguments: str) -> None:
        calls.append(data)
        if data == b"busy":
            raise Occupied("try again")
        raise ImageError("bad")

    monkeypatch.setattr(decoding, "decode", counted)
    app = AppTest.from_function(page).run()
    assert app.text[0].value == "bad" and app.run().text[0].value == "bad" and calls == [b"hello"]
    app.session_state["data"] = b"busy"
    app.run().run()
    assert calls == [b"hello", b"busy", b"busy"]  # that was not the file's fault
    AppTest.from_function(page).run()
    assert calls[-1] == b"hello" and len(calls) == 4  # another visit has its own
