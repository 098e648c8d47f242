"""Kubernetes Events that controllers record about objects (client-go's tools/record)."""
