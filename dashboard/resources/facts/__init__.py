"""What the details page says of an object beside its columns, kind by kind: what `kubectl describe` would, in words."""
