"""What the benchmarks of the whole dashboard share: a filled cluster, our programs, their sockets and browsers."""
