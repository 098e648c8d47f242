"""Authors of writes through this dashboard; the API server knows only the one account that writes for all users."""
