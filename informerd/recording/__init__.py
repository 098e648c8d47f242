"""Kubernetes Events: what controllers say about objects (client-go's tools/record)."""
