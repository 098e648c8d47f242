"""Writes that controllers often make: finalizers, owner references, conditions, create or update."""
