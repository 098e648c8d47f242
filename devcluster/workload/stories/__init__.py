"""Stories: what happens to the demo's applications and nodes, each with a beginning, a middle and an end.

A story leaves what it changed as it found it or as people would, so that the next one may begin.
"""
