"""Kubernetes Events: what controllers say about objects (client-go's tools/events and tools/record)."""
