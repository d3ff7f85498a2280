"""Is it really private? A live dial of claimed against measured ε, and switches that break the mechanism."""

from ui.audit.page import show

show()
