"""What is drawn is sent, once, as it is: lost messages, a full storage, and answers that come too late."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.browser


DELIVERY = """
    const { Delivery } = await import("/device/view/delivery.js");
    const { Ledger, MemoryStorage } = await import("/device/budget.js");
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const ledger = new Ledger({ storage: new MemoryStorage() });
    const drawn = (id, dataset = "mnist") => ledger.keep(ledger.spend(
        { record: "me", mechanism: "V-RLM", epsilon_x: 1, epsilon_y: 0, unsent: { id, dataset } }), `report ${id}`);
    const posted = [], waits = [];
    const delivery = (datasets = ["mnist"]) => new Delivery({ ledger, datasets, first: 40,
        post: (kind, message) => posted.push([kind, message.id, message.report]), onWait: (s) => waits.push(s) });
"""


def test_a_message_that_is_lost_goes_again_as_it_is_until_it_is_acknowledged(page: Any) -> None:
    script = f"""async () => {{ {DELIVERY}
        drawn("a");
        const sender = delivery();
        sender.send("report", {{ id: "a", report: "report a" }});
        await wait(70);
        const wrong = sender.acknowledge("another");
        const right = sender.acknowledge("a");
        const count = posted.length;
        await wait(300);
        const left = ledger.releases.map((each) => each.unsent ?? null);
        return {{ posted, wrong, right, count, waits: waits.length, left }};
    }}"""
    found = page.evaluate(script)
    assert found["count"] == len(found["posted"]) == 1 + found["waits"] >= 2
    assert all(each == ["report", "a", "report a"] for each in found["posted"])
    assert (found["wrong"], found["right"], found["left"]) == (False, True, [None])


def test_the_next_visit_sends_what_was_drawn_and_not_acknowledged_one_after_the_other(page: Any) -> None:
    script = f"""async () => {{ {DELIVERY}
        drawn("a"); drawn("b"); drawn("c", "lending_club");
        const early = delivery();
        early.resume(); // drawn just now: it may be under way in another tab
        const atOnce = posted.length;
        await wait(70);
        const first = posted.at(-1)[1];
        early.acknowledge(first);
        early.resume();
        const second = posted.at(-1)[1];
        early.acknowledge(second);
        early.resume();
        const awaited = early.awaited;
        return {{ atOnce, first, second, awaited, spent: ledger.spent("me"),
                 unsent: ledger.releases.filter((e) => e.unsent).map((e) => e.unsent.id) }};
    }}"""
    found = page.evaluate(script)
    assert found == {"atOnce": 0, "first": "a", "second": "b", "awaited": "", "spent": 3, "unsent": ["c"]}


FULL = """
    const { Ledger, MemoryStorage } = await import("/device/budget.js");
    class Small extends MemoryStorage {
        constructor(most) { super(); this.most = most; }
        setItem(key, value) {
            const others = Array.from({ length: this.length }, (_, i) => this.key(i)).filter((each) => each !== key);
            const used = others.reduce((sum, each) => sum + each.length + this.getItem(each).length, 0);
            if (used + key.length + value.length > this.most) throw new DOMException("full", "QuotaExceededError");
            super.setItem(key, value);
        }
    }
    const entry = { record: "me", mechanism: "V-RLM", epsilon_x: 1, epsilon_y: 0 };
"""


@pytest.mark.parametrize("most", [100, 1000])
def test_where_the_report_would_not_fit_nothing_is_charged(page: Any, most: int) -> None:
    """Also where the bare charge would fit (1,000 characters), and the report (2,000) would not."""
    script = f"""async (most) => {{ {FULL}
        const ledger = new Ledger({{ storage: new Small(most) }});
        try {{ ledger.spend(entry, 2000); }} catch (error) {{ return [error.message, ledger.releases.length]; }}
        return ["charged", 1];
    }}"""
    words, entries = page.evaluate(script, most)
    assert "storage is full" in words and "Nothing was charged, and nothing was sent" in words and entries == 0


def test_what_was_charged_can_be_kept_and_marked_as_delivered_in_a_full_storage(page: Any) -> None:
    script = f"""async () => {{ {FULL}
        const storage = new Small(3000);
        const ledger = new Ledger({{ storage }});
        const key = ledger.spend({{ ...entry, unsent: {{ id: "a", dataset: "mnist" }} }}, 2000);
        for (let size = 1000; size >= 1; size /= 2) {{
            try {{ for (let i = 0; ; i++) storage.setItem(`${{size}}/${{i}}`, "x".repeat(size)); }} catch {{}}
        }}
        ledger.keep(key, "r".repeat(1990));
        ledger.delivered("a");
        return ledger.releases;
    }}"""
    (kept,) = page.evaluate(script)
    assert len(kept["report"]) == 1990 and "unsent" not in kept


LATE = """
    const calls = [], picked = [];
    const prepare = () => new Promise((resolve) => calls.push(resolve));
    const turn = () => new Promise((resolve) => setTimeout(resolve, 60));
    const onPick = (each) => picked.push(each && Array.from(each.x));
"""


def test_a_row_that_is_ready_after_a_value_became_invalid_is_not_taken(page: Any) -> None:
    script = f"""async () => {{ {LATE}
        const {{ rowSource }} = await import("/device/view/row_source.js");
        const field = {{ title: "Age", unit: "", low: 0, high: 99, step: 1, help: "", names: {{}} }};
        const samples = {{ label: "Outcome", classes: ["no", "yes"], telling: ["age"], groups: {{}},
            fields: {{ age: field }}, examples: [{{ name: "One", label: 0, row: {{ age: 30 }} }}] }};
        const preprocessor = {{ numbers: [{{ name: "age", mean: 0, std: 1 }}], categories: [] }};
        const source = rowSource({{ samples, preprocessor, prepare, example: "", onPick }});
        source.begin();
        const input = source.box.querySelector("input");
        input.value = "400"; input.oninput();
        calls[0](Float32Array.of(30));
        await turn();
        const afterInvalid = picked.slice();
        input.value = "31"; input.oninput();
        input.value = "32"; input.oninput();
        calls[2](Float32Array.of(32));
        calls[1](Float32Array.of(31));
        await turn();
        return [afterInvalid, picked.at(-1), source.box.textContent];
    }}"""
    after_invalid, last, words = page.evaluate(script)
    assert after_invalid == [None] and last == [32]
    assert "Outcome" in words and "How it ended" not in words  # the form knows nothing of loans


def test_a_drawing_that_is_ready_after_clear_or_a_tab_change_is_not_taken(page: Any) -> None:
    script = f"""async () => {{ {LATE}
        const {{ pictureSource }} = await import("/device/view/picture_source.js");
        const classes = Array.from({{ length: 10 }}, (_, i) => String(i));
        const labels = Array.from({{ length: 30 }}, (_, i) => i % 10);
        const samples = {{ classes, labels, count: 30, pixels: 4, images: "", in_gallery: 3 }};
        const all = labels.map((y) => Float32Array.of(y, 0, 0, 0));
        const fit = async () => ({{ x: await prepare(), doubt: "" }});
        const source = pictureSource({{ dataset: "mnist", samples, all, side: 2, example: "", fit, onPick }});
        document.body.append(source.tabs, source.box);
        source.begin();
        const tab = (name) => [...source.tabs.querySelectorAll("button")].find((b) => b.textContent === name).click();
        const pad = source.box.querySelector("canvas.pad");
        const stroke = () => {{
            pad.setPointerCapture = () => {{}};
            pad.onpointerdown(new PointerEvent("pointerdown", {{ clientX: 10, clientY: 10 }}));
            pad.onpointerup(new PointerEvent("pointerup"));
        }};
        const clear = () => [...source.box.querySelectorAll("button")].find((b) => b.textContent === "Clear").click();
        tab("Draw");
        stroke();
        clear(); // while the canvas is being read
        await turn();
        calls.forEach((resolve) => resolve(Float32Array.of(7, 7, 7, 7)));
        await turn();
        const afterClear = picked.at(-1);
        const before = calls.length;
        stroke();
        await turn();
        tab("Gallery"); // while the picture is being fitted
        calls.slice(before).forEach((resolve) => resolve(Float32Array.of(7, 7, 7, 7)));
        await turn();
        return [afterClear, calls.length - before, picked.at(-1)];
    }}"""
    after_clear, fitted, last = page.evaluate(script)
    assert after_clear is None and fitted == 1
    assert json.dumps(last) != json.dumps([7, 7, 7, 7])
