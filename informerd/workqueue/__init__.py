"""Work queue: keys to reconcile, each once, by priority, with delays and rate limits (client-go's)."""
