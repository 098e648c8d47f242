"""Decoding of the API server's bytes to projections and compressed copies."""
