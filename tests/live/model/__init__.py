"""A model of the whole way from the worker to the browser, to compare the real parts with."""
