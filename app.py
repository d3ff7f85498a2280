"""The app: `streamlit run app.py`, or with warm models and strict headers `streamlit run serve.py`."""

from __future__ import annotations

from ui.app.errors import guarded
from ui.app.shell import footer, frame, navigation
from ui.app.startup import settle

page = navigation()
frame()
guarded(page.run)()
guarded(footer)()
settle()
