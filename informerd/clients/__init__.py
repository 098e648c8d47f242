"""Clients whose objects are dicts, projections or the official client's models (client-go's dynamic and typed ones)."""
