"""Usage of one object: its CPU and memory, now and in the last day, and how they are written."""
