"""The C-RLM: its objective, its views and features, and how one is built and trained."""
