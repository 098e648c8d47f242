"""Shared parts of the benchmarks of the whole dashboard: a filled cluster, our programs, sockets and browsers."""
