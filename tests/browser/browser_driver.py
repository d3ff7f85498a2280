"""What a visitor does and sees, for the browser tests."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 180_000
"""Milliseconds: a busy machine may be a hundred times slower than a quiet one."""


SETTLED = """() => document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'
  && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')
  && document.getAnimations().every((each) => each.playState !== 'running' || each.effect.getTiming().iterations > 1)"""
"""What unfolds moves what is below it: a press that begins on a button may end beside it, and is none."""


@dataclass
class Visit:
    """One opened page and everything it asked for."""

    page: Any
    server: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def settled(self) -> None:
        """Wait until the script has run to its end (the footer), and nothing is stale, loading or moving."""
        self.page.wait_for_selector(".rlm-footer")
        self.page.wait_for_function(SETTLED)

    def source(self, selector: str) -> str:
        """The picture that an <img> shows, once it shows one."""
        self.page.locator(f"{selector}[src]").first.wait_for(state="attached")
        return str(self.page.locator(selector).first.get_attribute("src"))

    def wait_for_other(self, selector: str, before: str) -> str:
        """Wait until an <img> shows another picture."""
        element = self.page.locator(selector).first.element_handle()
        self.page.wait_for_function("([image, before]) => image.src !== before", arg=[element, before])
        return self.source(selector)

    def choose(self, label: str, option: str) -> None:
        """Pick from a select box; open it again if a rerun of the page has closed it."""
        wanted = self.page.get_by_role("option", name=option, exact=True)
        for _ in range(20):
            self.page.get_by_label(label).first.click()
            try:
                wanted.click(timeout=PATIENCE / 20)
                return
            except Exception:  # playwright's TimeoutError: the list was closed before it could be used
                self.page.keyboard.press("Escape")
        raise AssertionError(f"The option {option} of {label} could not be chosen.")

    def spent(self) -> float:
        """The total ε of the record, as the page says it."""
        text = self.page.get_by_text(re.compile("Released about this record so far")).first.inner_text()
        found = re.search(r"ε = ([\d.]+|∞) in total", text)
        assert found, text
        return float(found[1].replace("∞", "inf"))

    def wait_for_spent(self, total: float) -> None:
        """Wait until the page says that this much was spent."""
        self.page.get_by_text(re.compile(rf"ε = {re.escape(f'{total:g}')} in total")).first.wait_for()
        self.settled()

    def wait_for_count(self, selector: str, count: int) -> None:
        """Wait until there are so many of something: a chart is drawn some time after its data have arrived."""
        from playwright.sync_api import expect

        expect(self.page.locator(selector)).to_have_count(count, timeout=PATIENCE)

    def description(self) -> str:
        """Where the page is and what it says, for the report of a failure."""
        try:
            fields = "() => [...document.querySelectorAll('input, textarea')].map((each) => each.value)"
            said = self.page.locator("body").inner_text(timeout=10_000)
            return f"{self.page.url}\n{said}\nFields: {self.page.evaluate(fields)}"
        except Exception as error:  # it is closed, or says nothing
            return f"A page that could not be read: {error}"

    def overflow(self) -> int:
        """How many pixels the page is wider than the window."""
        script = "() => document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth"
        return int(self.page.evaluate(script))
