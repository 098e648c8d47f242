"""From the bytes that the API server sends to projections and compressed copies."""
