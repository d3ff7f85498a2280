"""Glossary: what the words on these pages mean."""

from ui.glossary.page import show

show()
