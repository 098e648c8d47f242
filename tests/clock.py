"""A clock that tests turn by hand: the one that informerd gives its users."""

from informerd.testing.clock import FakeClock, settle

__all__ = ["FakeClock", "settle"]
