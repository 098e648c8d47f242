"""The test kit for users of the library: controllers on the demo cluster, with injected time."""
