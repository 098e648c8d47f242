"""The informer against a model of an API server: real bytes, no sockets, no time; see `machine.py`."""
