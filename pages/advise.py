"""Choose an ε: task, people and accuracy wanted to the smallest ε, and what it means for each of them."""

from ui.advise.page import show

show()
