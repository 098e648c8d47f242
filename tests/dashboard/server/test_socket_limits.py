"""Tests of the limits of open sockets."""

from __future__ import annotations

from dashboard.server.socket_limits import FEWEST_AT_ONCE, RENEWAL_SECONDS, ReachedLimit, SocketLimits, SocketRates
from tests.support.clock import FakeClock


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


async def test_after_a_burst_an_owner_opens_sockets_at_a_limited_rate() -> None:
    clock = FakeClock()
    rates = SocketRates(100, clock)
    assert [rates.allow(("ann",)) for _ in range(201)].count(True) == 200
    assert rates.allow(("bob",))
    await clock.advance(RENEWAL_SECONDS / 2)
    assert [rates.allow(("ann",)) for _ in range(101)].count(True) == 100
    await clock.advance(RENEWAL_SECONDS)
    assert [rates.allow(("ann",)) for _ in range(201)].count(True) == 200


def test_the_burst_is_never_too_small_for_a_person_and_a_new_browser_does_not_renew_it() -> None:
    rates = SocketRates(1, FakeClock())
    assert all(rates.allow((f"browser {number}", "address 10.0.0.1")) for number in range(FEWEST_AT_ONCE))
    assert not rates.allow(("browser 9999", "address 10.0.0.1"))
