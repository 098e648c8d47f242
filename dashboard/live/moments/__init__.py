"""Moments of the past: the cluster as history has it at one time, in the form in which pages show the present."""
