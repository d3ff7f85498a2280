"""``python -m benchmarks COMMAND``: one module per command, each with ``add_arguments`` and ``main``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is imported: one core, as the figures say

COMMANDS = {
    "speed": ("speed", "how fast the mechanisms are, beside numpy and OpenDP"),
    "run": ("run_experiments", "an experiment of the paper; appends to benchmarks/results/EXPERIMENT.csv"),
    "representations": ("representations", "accuracy on clean representations, without LDP, three seeds"),
    "app": ("app_speed.pages", "how fast the pages answer a slider"),
    "collect": ("app_speed.collect", "how fast the collector's page learns, and what other visitors notice of it"),
    "crowd_curve": ("crowd_curve", "the paper's mechanism with more and more people, for the start page"),
