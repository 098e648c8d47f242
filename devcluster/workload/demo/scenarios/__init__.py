"""Scenarios for the demo's applications and nodes, each with a beginning, a middle and an end.

A scenario undoes its changes, or leaves them as people would, so that the next one can begin.
"""
