"""The Python side of the conformance of static/device: what it must compute, written as vectors.

    python -m tests.device.conformance     writes tests/device/vectors/*.json again

Each vector names random bytes and what the library makes of them. ``run.js`` beside this file holds the
JavaScript side to them, in Chromium, in node, or in any other engine that is there. The random bytes are
forged here, which is why this lives with the tests: no module of the library can do that.
"""
