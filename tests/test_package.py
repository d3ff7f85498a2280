"""What is installed: a light core, pins for everything, and a wheel that works from any folder."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import rlm_core
from benchmarks.speed import FIRST_RELEASE, cost_of
from rlm_core import places
from rlm_core.zoo import cards

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = ("torch", "pandas", "sklearn", "scipy.stats", "scipy.spatial", "streamlit")
OF_TORCH = ("nvidia-", "cuda-", "triton")  # a CUDA build brings its own, at versions that it names exactly
CORE = f"""
{FIRST_RELEASE}
from rlm_core import Budget, Ledger, Report, release
from rlm_core.baselines import PerFeatureLaplace
from rlm_core.owner import SubsetSelection
assert SubsetSelection(epsilon=1.0, symbols=5).privatise_symbols([3]).shape == (1, 5)
ledger = Ledger(limit=4.0)
mechanism = PerFeatureLaplace(epsilon=Budget(epsilon=4.0, lam=0.5).epsilon_x, low=[0.0, 0.0], high=[1.0, 1.0])
report = release([0.5, 0.5], mechanism=mechanism, ledger=ledger, record="me")
assert Report.from_json(report.to_json()) == report and ledger.spent("me") == 2.0
import numpy
LaplaceNoise(epsilon=1.0, clip=L1Clip(radius=1.0)).log_density_pairs(numpy.zeros((2, 2)), numpy.zeros((3, 2)))
"""


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith(("#", "-"))]
    return {canonicalize_name(each.name): str(each.specifier).removeprefix("==") for each in found}


def test_a_release_imports_neither_torch_nor_other_heavy_packages() -> None:
    program = f"{FIRST_RELEASE}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [name for name in HEAVY if name in json.loads(found.stdout)] == []


def test_a_first_release_is_light() -> None:
    """Beside ``import numpy`` in the same minute; ``python -m benchmarks speed`` keeps the ratio."""
    alone = min(cost_of("import numpy")[0] for _ in range(3))
    seconds, megabytes = min(cost_of(FIRST_RELEASE) for _ in range(3))
    assert seconds <= 3 * alone and megabytes <= 60


def test_the_heavy_names_are_still_there() -> None:
    assert callable(rlm_core.zoo.load) and rlm_core.zoo.names("mnist")
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rlm_core.nonsense
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rlm_core.zoo.nonsense


def test_models_can_be_added(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cards.places() == [ROOT / "models"] and places.app() == ROOT
    monkeypatch.setenv("RLM_MODELS", f"{tmp_path}:~/mine")
    assert cards.places() == [ROOT / "models", tmp_path, Path.home() / "mine"]  # nothing shadows what is shipped


def test_every_installed_package_is_pinned() -> None:
    pinned = pins("constraints.txt")
    for each in distributions():
        name = canonicalize_name(each.metadata["Name"])
        if name in ("pip", "rlm-ldp") or name.startswith(OF_TORCH):
            continue
        assert name in pinned, f"{name} is installed and not pinned: make pins"
        assert Version(each.version).public == pinned[name], f"{name} is {each.version}, pinned {pinned[name]}"


def test_pins_and_requirements_agree() -> None:
    pinned = pins("constraints.txt")
    direct = pins("requirements.txt")
    for name, version in (direct | pins("requirements-dev.txt")).items():
        assert pinned[name] == version
    extras = PROJECT["optional-dependencies"]
    wanted = [Requirement(text) for text in [*PROJECT["dependencies"], *extras["learn"], *extras["app"]]]
    named = {canonicalize_name(each.name): each.specifier for each in wanted}
    assert set(direct) == set(named) - {"rlm-ldp"}, "requirements.txt and pyproject.toml name other packages"
    assert all(named[name].contains(version) for name, version in direct.items())
    for extra in ("cluster", "onnx", "docs"):
        more = [Requirement(text) for text in extras[extra] if not text.startswith("rlm-ldp")]
        assert all(each.specifier.contains(pinned[canonicalize_name(each.name)]) for each in more)


def test_the_version_is_said_once() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.search(r"^## \[(\d\S*)\] - \d{4}-\d\d-\d\d$", changes, re.MULTILINE)
    assert released and released[1] == rlm_core.__version__
    assert f"version: {rlm_core.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_every_promise_has_its_test() -> None:
    """SECURITY.md names files, and functions in them."""
    rows = [line for line in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines() if "`tests/" in line]
    assert len(rows) >= 10
    for row in rows:
        path = ""
        for named in re.findall(r"`([\w/.]+(?:::\w+)?)`", row.split("|")[2]):
            path, _, name = named.partition("::") if "/" in named else (path, "", named)
            if path.endswith(".py"):
                assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), f"{path} has no {name}"
            else:
                assert (ROOT / path).exists()


def run(*command: str | Path, folder: Path, code: int = 0) -> str:
    """What a program printed; its exit code is checked."""
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT, folder=folder)
    (built,) = folder.glob("*.whl")
    return built


def interpreter(version: str) -> str:
    """A Python of this version, on the path or beside our own; skips where there is none."""
    beside = sorted(Path(sys.base_prefix).parent.glob(f"*{version}*/bin/python3"))
    for found in (shutil.which(f"python{version}"), *map(str, beside)):
        says = "import sys; print('%d.%d' % sys.version_info[:2])"
        if found and subprocess.run([found, "-c", says], capture_output=True, text=True).stdout.strip() == version:
            return found
    pytest.skip(f"no Python {version} on this machine")


def empty_environment(folder: Path, python: str = sys.executable) -> Path:
    """The folder of programs of a new, empty environment."""
    run(python, "-m", "venv", folder, folder=folder.parent)
    return folder / "bin"


def install(programs: Path, *what: str | Path) -> None:
    run(programs / "python", "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", *what, folder=programs)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_core_alone(wheel: Path, tmp_path: Path, version: str) -> None:
    programs = empty_environment(tmp_path / "venv", interpreter(version))
    before = {path.name for path in (tmp_path / "venv").glob("lib/*/site-packages/*")}
    install(programs, wheel)
    added = {path.name for path in (tmp_path / "venv").glob("lib/*/site-packages/*")} - before
    ours = {name for name in added if not name.startswith(("numpy", "scipy"))}
    assert ours == {"rlm_core", f"rlm_ldp-{rlm_core.__version__}.dist-info"}
    assert (programs / "rlm").is_file()
    run(programs / "python", "-W", "error", "-c", CORE, folder=tmp_path)
    assert run(programs / "rlm", "--version", folder=tmp_path) == f"rlm {rlm_core.__version__}\n"
    assert "mnist-vrlm-l10-eps33" in run(programs / "rlm", "models", folder=tmp_path)
    one = ("--mechanism", "k-RR", "--epsilon", "1", "--samples", "2000")
    assert " ok " in run(programs / "rlm", "audit", *one, folder=tmp_path)
    assert "pip install -c constraints.txt '.[learn]'" in run(
        programs / "rlm", "train", "--list", folder=tmp_path, code=2
    )
    assert "pip install -c constraints.txt '.[app]'" in run(programs / "rlm", "run", folder=tmp_path, code=2)


def first_ten_minutes(programs: Path, folder: Path) -> None:
    """An engineer's: own tables by the four commands, on the sample of Adult that the package ships."""
    files = """from rlm_core.data import adult_sample
adult = adult_sample()
for name, part in (("public", adult[:3_000]), ("people", adult[3_000:7_500]), ("test", adult[7_500:])):
    part.to_csv(f"{name}.csv", index=False)"""
    run(programs / "python", "-c", files, folder=folder)
    label = ("--label", "income-per-year")
    advice = ("--people", "4500", "--accuracy", "0.78", "--epsilon", "4", "--draws", "2", "--splits", "1")
    run(programs / "rlm", "advise", "public.csv", *label, *advice, "--out", "advice.html", folder=folder)
    fit = ("--epsilon", "4", "--reports", "4500", "--out", "fitted")
    run(programs / "rlm", "fit", "public.csv", *label, *fit, folder=folder)
    run(programs / "rlm", "privatise", "people.csv", "--model", "fitted", "--out", "reports.parquet", folder=folder)
    said = run(
        programs / "rlm", "learn", "reports.parquet", "--model", "fitted", "--test", "test.csv", "--json", folder=folder
    )
    assert json.loads(said.splitlines()[-1])["accuracy"] > 0.7  # over 300 simulated collections 0.818 ± 0.013
    page = "from rlm_core import LocalPrivatiser; LocalPrivatiser.load('fitted').export('owner.html')"
    run(programs / "python", "-c", page, folder=folder)
    assert "default-src 'none'" in (folder / "owner.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_learning_and_the_app(wheel: Path, tmp_path: Path) -> None:
    """One environment for both: torch is most of the time."""
    programs = empty_environment(tmp_path / "venv")
    install(programs, f"torch=={pins('requirements.txt')['torch']}")
    install(programs, f"{wheel}[learn]")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for lines in blocks:
        run(programs / "python", "-c", lines, folder=tmp_path)
    assert "mnist-vrlm-l10-eps33" in run(programs / "rlm", "train", "--list", folder=tmp_path)
    first_ten_minutes(programs, tmp_path)
    install(programs, f"{wheel}[app]")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (tmp_path / "output").open("w") as output:
        server = subprocess.Popen(
            [programs / "rlm", "run", "--port", str(port)], cwd=tmp_path, stdout=output, stderr=output
        )
    try:
        deadline = time.monotonic() + 240
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
                    assert answer.status == 200 and "default-src 'self'" in answer.headers["content-security-policy"]
                break
            except OSError:
                assert server.poll() is None and time.monotonic() < deadline, (tmp_path / "output").read_text()
                time.sleep(0.5)
        # The app's own modules and results are found from its folder.
        (app,) = (tmp_path / "venv").glob("lib/*/site-packages/rlm_core/_app")
        program = "import ui.evidence.data, benchmarks.summary, rlm_core.zoo as z; assert z.names()"
        run(programs / "python", "-c", program, folder=app)
        run(programs / "rlm", "campaign", "list", folder=tmp_path)
    finally:
        server.terminate()
        server.wait(timeout=60)


@pytest.mark.slow
def test_the_wheel_holds_what_it_should(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"rlm_core", f"rlm_ldp-{rlm_core.__version__}.dist-info"}
    assert "rlm_core/py.typed" in names and not any("__pycache__" in name or name.endswith(".tmp") for name in names)
    said = re.search(r"the wheel is (\d+) MB", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert said is not None and abs(wheel.stat().st_size / 1e6 - int(said[1])) < 1
