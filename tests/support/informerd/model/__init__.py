"""Model of an API server for tests of the informer: real bytes, no sockets, virtual time; see `state_machine.py`."""
