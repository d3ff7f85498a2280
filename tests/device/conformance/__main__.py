"""Write the vectors again: ``python -m tests.device.conformance``."""

from __future__ import annotations

import json
from pathlib import Path

from . import channels, draws, mechanisms, own, own_pictures, pictures

FOLDER = Path(__file__).resolve().parents[1] / "vectors"
WRITERS = {
    "draws": draws.vectors,
    "channels": channels.vectors,
    "mechanisms": mechanisms.vectors,
    "own": own.vectors,
    "own_pictures": own_pictures.vectors,
    "pictures": pictures.vectors,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, write in WRITERS.items():
        path = FOLDER / f"{name}.json"
        path.write_text(json.dumps(write(), separators=(",", ":"), allow_nan=False) + "\n", encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")
