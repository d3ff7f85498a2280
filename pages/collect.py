"""Collect and learn: be the collector, ask people for reports, train a classifier, and see how good it gets."""

from ui.collect.page import show

show()
