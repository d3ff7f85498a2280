"""The glossary: the words of every page, in one place."""
