"""Details of objects beside their columns, kind by kind, as `kubectl describe` prints them."""
