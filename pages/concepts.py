"""What is LDP? Eight short chapters, each with one idea, one thing to play with and one question."""

from ui.lessons.page import show

show()
