"""Audit log of what people do in the cluster through Deltaboard: append-only, and chained by hashes (docs/audit.md)."""
