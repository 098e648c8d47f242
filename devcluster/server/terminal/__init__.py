"""Terminals of the demo cluster's containers, in which nothing real runs."""
