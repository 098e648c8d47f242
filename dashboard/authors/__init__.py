"""Who wrote an object through this dashboard: the API server knows the one account alone that writes for all."""
