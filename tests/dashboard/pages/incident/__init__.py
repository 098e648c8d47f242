"""Tests of the incident page."""
