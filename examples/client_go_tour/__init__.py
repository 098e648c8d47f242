"""The client-go tour in Python, from a bare request to informers; docs/tour.md shows the output of each program."""
