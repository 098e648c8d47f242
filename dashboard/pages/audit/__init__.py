"""Record of who did what in the cluster through Deltaboard: append-only, and chained by hashes (docs/audit.md)."""
