"""The app: `streamlit run app.py`, or with warm models and strict headers `streamlit run serve.py`."""

from __future__ import annotations

from ui.app.errors import guarded
from ui.app.shell import footer, frame, keep_on_the_way_back, navigation
from ui.app.startup import settle

page = navigation()
keep_on_the_way_back()
frame()
guarded(page.run)()
guarded(footer)()
settle()
