"""What a browser gets of a script says the same to it as the file does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from rlm_core.device.served_script import served_script, without_comments

STATIC = Path(__file__).resolve().parents[2] / "static"
SCRIPTS = sorted([*(STATIC / "device").glob("*.js"), *(STATIC / "join").glob("*.js")])

CODE = """// The tokens of a script, without its comments: a template or a string with a comment's look must survive.
import { readFileSync } from "node:fs";
const text = readFileSync(process.argv[2], "utf8");
const shape = /`(?:\\\\[^]|[^\\\\`])*`|"(?:\\\\.|[^"\\\\\\n])*"|\\/\\*[^]*?\\*\\/|\\/\\/[^\\n]*|[^\\s]/g;
const kept = (text.match(shape) ?? []).filter((part) => !/^\\/[*/]/.test(part));
process.stdout.write(kept.join(""));
"""


def test_only_whole_lines_of_comments_go() -> None:
    script = 'a = 1; // why\n  /**\n   * Long.\n   */\n// short\nb = /** @type {any} */ (a);\nc = "// no";\n'
    assert without_comments(script) == 'a = 1; // why\nb = /** @type {any} */ (a);\nc = "// no";\n'


def test_the_code_of_every_script_is_untouched(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    reader = tmp_path / "reader.mjs"
    reader.write_text(CODE, encoding="utf-8")

    def code(path: Path) -> str:
        subprocess.run(["node", "--check", str(path)], check=True)
        return subprocess.run(["node", reader, path], check=True, capture_output=True, text=True).stdout

    saved = 0
    for path in SCRIPTS:
        served = tmp_path / f"{path.parent.name}-{path.stem}.mjs"
        served.write_bytes(served_script(path))
        assert code(served) == code(path), path.name
        saved += path.stat().st_size - served.stat().st_size
    assert saved > 0
