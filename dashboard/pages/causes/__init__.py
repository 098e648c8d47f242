"""Causes of problems: unhealthy objects and warnings that belong together, as one card each."""
