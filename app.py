"""The app: `streamlit run app.py`, or with warm models and strict headers `streamlit run serve.py`."""

from __future__ import annotations

import streamlit as st

from ui.errors import guarded
from ui.shell import ICON, footer, frame
from ui.site import pages
from ui.startup import settle

st.set_page_config(page_title="Private by design", page_icon=str(ICON), layout="wide")
menu = [st.Page(spec.path, title=spec.title, icon=spec.icon, default=spec.file == "start") for spec in pages()]
page = st.navigation(menu, position="hidden")
frame(menu)
guarded(page.run)()
guarded(footer)()
settle()
