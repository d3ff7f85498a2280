"""The app's parts: controls, figures, text and views that the pages put together. No maths of their own."""
