"""Informers: reflector, delta FIFO, store, handlers, factory and listers (client-go's tools/cache)."""
