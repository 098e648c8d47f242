"""Model of the whole path from the worker to the browser, for comparison with the real parts."""
