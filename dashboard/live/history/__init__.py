"""History: the versions of objects, as they are stored."""
