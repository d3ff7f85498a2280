"""The page to print fits one sheet of A4, whatever was asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks import gain
from ui.advise.choice import Wish
from ui.advise.print_page import print_page
from ui.advise.view import FACTORS

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("dataset", gain.datasets())
def test_it_is_one_sheet(chromium: Any, dataset: str) -> None:
    context = chromium.new_context()
    page = context.new_page()
    for accuracy in (30.0, 60.0, 80.0, 98.0):
        for factor in (FACTORS[0], 1.0, FACTORS[-1]):
            page.set_content(print_page(Wish(dataset=dataset, factor=factor, accuracy=accuracy, suspicion=0.1)))
            sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))
            assert len(sheets) == 1, (accuracy, factor)
    context.close()
