"""Helpers of the benchmarks: API servers, programs, sockets, browsers, and the table of results."""
