"""Tests of the limits of open sockets."""

from __future__ import annotations

from dashboard.server.socket_limits import ReachedLimit, SocketLimits


def test_a_user_has_so_many_sockets_and_all_have_so_many_together() -> None:
    limits = SocketLimits(in_all=3, per_user=2)
    assert [limits.enter((user,)) for user in ("ann", "ann", "ann", "bob", "bob")] == [
        None,
        None,
        ReachedLimit.USER,
        None,
        ReachedLimit.PROCESS,
    ]
    limits.leave(("ann",))
    assert [limits.enter((user,)) for user in ("bob", "ann")] == [None, ReachedLimit.PROCESS]


def test_a_browser_that_takes_a_new_id_for_each_socket_is_counted_by_its_address() -> None:
    limits = SocketLimits(in_all=9, per_user=2)
    entered = [limits.enter((f"browser {number}", "address 10.0.0.1")) for number in range(3)]
    assert entered == [None, None, ReachedLimit.USER]
    limits.leave(("browser 0", "address 10.0.0.1"))
    assert limits.enter(("browser 9", "address 10.0.0.1")) is None
