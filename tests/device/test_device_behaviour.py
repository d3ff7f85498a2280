"""What vectors do not show: fixed points, refusals, the ledger of a browser, checksums without crypto.subtle."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

pytestmark = pytest.mark.browser


MECHANISM = """
    const { Mechanism } = await import("/device/mechanism.js");
    const { release, releaseWith, plan } = await import("/device/release.js");
    const about = (release, latent_dim) => ({ name: "test", digest: "0".repeat(32), release, dataset: "mnist",
        classes: ["a", "b", "c"], input_dim: 2, latent_dim, radius: 1, files: {} });
    const fixed = () => { let n = 0; return (count) => Uint8Array.from({ length: count }, () => (n += 37) & 255); };
"""


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("kind", ["numbers", "codes"])
def test_an_encoder_that_overflows_gives_the_fixed_point(page: Any, bad: str, kind: str) -> None:
    """Whatever h is, a report comes, and it is that of h = 0: the first code, or the middle of the ball."""
    script = f"""async () => {{ {MECHANISM}
        const broken = new Mechanism(about("{kind}", 4), () => Float64Array.from([1, {bad}, 3, 2]));
        const zero = new Mechanism(about("{kind}", 4), () => new Float64Array(4));
        const settings = {{ epsilon: 3, lam: 0.5 }};
        return [broken, zero].map((each) => releaseWith(fixed(), each, [0, 0], 1, settings));
    }}"""
    found, expected = page.evaluate(script)
    assert found == expected


@pytest.mark.parametrize(
    ("x", "label", "settings", "message"),
    [
        ("[0]", "1", "{ epsilon: 1, lam: 0.5 }", "Expected x with 2 numbers, got 1."),
        ("[0, NaN]", "1", "{ epsilon: 1, lam: 0.5 }", "Expected finite numbers in x, got 1 NaN or infinite of 2."),
        ("[0, 0]", "3", "{ epsilon: 1, lam: 0.5 }", "Expected an integer 0 <= label <= 2, got label=3."),
        ("[0, 0]", "1", "{ epsilon: 1 }", "Expected lam, how test divides epsilon between record and label."),
        ("[0, 0]", "1", "{ epsilon: 1, lam: 2 }", "Expected 0 <= lam <= 1, got lam=2."),
        ("[0, 0]", "null", "{ epsilon: '1' }", "Expected a number for epsilon, got epsilon=1."),
        ("[0, 0]", "null", "{ epsilon: NaN }", "Expected epsilon > 0, got epsilon=NaN."),
    ],
)
def test_bad_input_gets_a_message_with_name_value_and_bound(
    page: Any, x: str, label: str, settings: str, message: str
) -> None:
    script = f"""async () => {{ {MECHANISM}
        const mechanism = new Mechanism(about("numbers", 4), () => new Float64Array(4));
        try {{ return release(mechanism, {x}, {label}, {settings}); }} catch (error) {{ return error.message; }}
    }}"""
    assert page.evaluate(script) == message


def test_two_releases_differ(page: Any) -> None:
    """Equal by chance below 2^-100."""
    script = f"""async () => {{ {MECHANISM}
        const mechanism = new Mechanism(about("numbers", 8), () => new Float64Array(8));
        return [1, 2].map(() => release(mechanism, [0, 0], null, {{ epsilon: 1 }}));
    }}"""
    first, second = page.evaluate(script)
    assert first != second


LEDGER = """
    const { Ledger, MemoryStorage } = await import("/device/budget.js");
    const entry = (epsilon_x, record = "me") => ({ record, mechanism: "V-RLM", epsilon_x, epsilon_y: 0.5 });
    localStorage.clear();
"""


def test_the_ledger_outlives_the_page_and_adds_up_per_record(page: Any) -> None:
    script = f"""async () => {{ {LEDGER}
        const ledger = new Ledger();
        ledger.keep(ledger.spend(entry(1.5)), "the report");
        ledger.spend(entry(2.5));
        ledger.spend(entry(Infinity, "you"));
        const again = new Ledger();
        return [again.spent("me"), again.spent("you"), again.spent("nobody"), again.of("me").map((e) => e.report)];
    }}"""
    assert page.evaluate(script) == [5.0, float("inf"), 0, ["the report", None]]


def test_a_release_beyond_the_limit_is_refused_and_not_entered(page: Any) -> None:
    script = f"""async () => {{ {LEDGER}
        const ledger = new Ledger({{ limit: 3 }});
        ledger.spend(entry(1.5));
        let said = "";
        try {{ ledger.spend(entry(1.5)); }} catch (error) {{ said = error.message; }}
        return [said, ledger.spent("me"), ledger.releases.length];
    }}"""
    said, spent, entries = page.evaluate(script)
    assert said == ('Expected a total of at most 3 for the record "me"; this release would bring it to 4.') and (
        spent,
        entries,
    ) == (2.0, 1)


def test_a_charge_has_one_report_at_most(page: Any) -> None:
    script = f"""async () => {{ {LEDGER}
        const ledger = new Ledger({{ storage: new MemoryStorage() }});
        const key = ledger.spend(entry(1));
        ledger.keep(key, "first");
        const tries = [[key, "second"], ["rlm-ledger/1/none", "x"]];
        const attempt = (each) => {{ try {{ return ledger.keep(...each); }} catch (e) {{ return e.message; }} }};
        return tries.map(attempt);
    }}"""
    again, unknown = page.evaluate(script)
    assert "drawn once" in again and "charged" in unknown


@pytest.mark.parametrize("length", [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])
def test_sha256(page: Any, length: int) -> None:
    content = bytes(i * 7 % 256 for i in range(length))
    script = """async (bytes) => {
        const { sha256, hex } = await import("/device/sha256.js");
        return hex(sha256(Uint8Array.from(bytes)));
    }"""
    assert page.evaluate(script, list(content)) == hashlib.sha256(content).hexdigest()


def test_damaged_weights_are_refused(page: Any) -> None:
    script = """async () => {
        const { verify } = await import("/device/weights.js");
        try { await verify(new Uint8Array([1, 2, 3]).buffer, "0".repeat(64), "encoder"); return "taken"; }
        catch (error) { return error.message; }
    }"""
    assert page.evaluate(script).startswith("The file encoder is damaged: expected SHA-256 000000000000…, got")
