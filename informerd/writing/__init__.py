"""Writes that controllers make again and again: finalizers, owner references, conditions, create or update."""
