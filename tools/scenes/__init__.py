"""Scenes of the dashboard: every page in every state, for screenshots and tests.

A **stage** is the programs that a scene needs, real ones: a demo cluster and the dashboard. A **scene** is a page and
the steps that a person takes to reach it.
"""
