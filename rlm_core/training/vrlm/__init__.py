"""The V-RLM: its objective, and how one is built and trained."""
