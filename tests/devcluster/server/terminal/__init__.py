"""Tests of the demo cluster's terminals."""
