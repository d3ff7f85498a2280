"""What surrounds every page: shell, site map, errors, start-up, the one cache, shared controls."""
