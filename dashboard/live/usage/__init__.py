"""Usage of all objects: polled from the metrics API by the worker, kept for a day, and sent to web processes."""
