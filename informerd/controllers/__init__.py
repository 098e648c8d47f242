"""Shipped controllers, each a program: ``python -m informerd.controllers.NAME``."""
