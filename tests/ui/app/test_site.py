"""The list of pages, and the app's appearance."""

from __future__ import annotations

import math
import re
import tomllib

from ui.app import site
from ui.app.controls import EPSILONS
from ui.kit import colours, formats


def test_epsilons_go_from_a_half_to_ten_and_infinity() -> None:
    assert EPSILONS[0] == 0.5 and EPSILONS[-2:] == (10.0, math.inf)
    assert len({formats.number(epsilon) for epsilon in EPSILONS}) == len(EPSILONS)  # distinct in the address


def test_every_page_file_is_in_the_menu() -> None:
    files = {path.stem for path in (site.ROOT / "pages").glob("*.py")}
    assert files == {spec.file for spec in site.pages()}
    for path in (site.ROOT / "pages").glob("*.py"):
        (module,) = re.findall(r"^from ui\.(\w+)\.page import show$", path.read_text(encoding="utf-8"), re.MULTILINE)
        page = (site.ROOT / "ui" / module / "page.py").read_text(encoding="utf-8")
        assert "    require_app()\n" in page, path.name


def test_every_page_but_the_start_is_in_one_of_four_groups() -> None:
    menu = site.by_group()
    assert list(menu) == ["", *site.GROUPS] and len(site.GROUPS) == 4
    assert [page.file for page in menu[""]] == ["start"]
    assert sorted(page.file for found in menu.values() for page in found) == sorted(page.file for page in site.pages())


def test_appearance_needs_no_other_host() -> None:
    config = tomllib.loads((site.ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["browser"]["gatherUsageStats"] is False and config["client"]["showErrorDetails"] == "none"
    for face in config["theme"]["fontFaces"]:
        assert (site.ROOT / face["url"].removeprefix("app/")).is_file()
    assert any("LICENSE" in path.name for path in (site.ROOT / "static" / "fonts").iterdir())
    for source in [*(site.ROOT / "ui").rglob("*"), site.ROOT / "serve.py", site.ROOT / ".streamlit" / "config.toml"]:
        if source.suffix in (".py", ".css", ".js", ".toml"):
            text = source.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")  # a name, never fetched
            assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), source.name


def test_owner_is_blue_and_collector_vermilion_everywhere() -> None:
    folder = site.ROOT / "ui"
    style, digit = (
        (folder / name).read_text(encoding="utf-8") for name in ("app/style.css", "components/lanes/lanes.css")
    )
    assert (colours.OWNER, colours.COLLECTOR) == ("#0072B2", "#D55E00")
    for colour in (colours.OWNER, colours.COLLECTOR):
        assert colour in style and colour in digit
    config = (site.ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert f'primaryColor = "{colours.OWNER}"' in config
