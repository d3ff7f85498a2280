"""No page shows raw TeX: every expander is opened, and what KaTeX has not drawn has no TeX in it."""

from __future__ import annotations

import pytest

from ui.app.site import pages

pytestmark = pytest.mark.browser

OPEN_ALL = """() => document.querySelectorAll('[data-testid=stMain] details:not([open]) > summary').forEach(
  each => each.click())"""
RAW = r"""() => {
  const copy = document.querySelector('[data-testid=stMain]').cloneNode(true);
  const errors = [...copy.querySelectorAll('.katex-error')].map(each => each.textContent);
  copy.querySelectorAll('.katex, script, style, code, pre').forEach(each => each.remove());
  return [...errors, ...(copy.textContent.match(/.{0,30}(\$\$|\\[a-zA-Z]{2,}|\w\^[ε\d({]).{0,30}/g) ?? [])];
}"""


@pytest.mark.parametrize("name", [page.file for page in pages()])
def test_no_raw_tex(server, visit, name: str) -> None:
    opened = visit(server, "/" if name == "start" else f"/{name}")
    opened.settled()
    opened.page.evaluate(OPEN_ALL)
    opened.settled()
    if name == "bound":
        opened.page.get_by_text("attains it, so the cap is tight").wait_for()
        opened.page.wait_for_function("() => document.querySelectorAll('.katex-display').length >= 7")
    assert opened.page.evaluate(RAW) == []
