"""Access to one API server: configuration, credentials, transport, verbs, discovery (client-go's rest, discovery)."""
