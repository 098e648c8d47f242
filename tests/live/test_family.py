"""The family of an object: owners above, what it owns below, found in slices and kept current."""

from __future__ import annotations

import msgspec

from dashboard.live.family import GENERATIONS, SHOWN, STEP, Family
from dashboard.live.messages import Row
from dashboard.live.slices import Work, at_once
from dashboard.resources.kinds import KINDS, KindInfo
from tests.clock import FakeClock
from tests.live.feeder import Feeder, pod

DEPLOYMENTS, SETS, PODS = KINDS["deployments.apps"], KINDS["replicasets.apps"], KINDS["pods"]


def owned(name: str, by: Row | None = None, kind: str = "", **more: str) -> Row:
    row = pod(name, **more)  # type: ignore[arg-type]
    return msgspec.structs.replace(row, owner=(kind, by.name, by.uid)) if by is not None else row


WEB = owned("web", uid="d")
OLD = owned("web-1", WEB, "Deployment", uid="s1")
NEW = owned("web-2", WEB, "Deployment", uid="s2")
A, B = (owned(f"web-2-{name}", NEW, "ReplicaSet") for name in "ab")
OTHER = owned("alone")


class Shown:
    """Three kinds, and the family of one of their objects. `later` keeps what takes long until `go_on`."""

    def __init__(self, *, slow: bool = False) -> None:
        clock = FakeClock()
        self.feeders = {kind.key: Feeder(kind.key, clock, rows) for kind, rows in (
            (DEPLOYMENTS, [WEB]), (SETS, [OLD, NEW]), (PODS, [A, B, OTHER]),
        )}  # fmt: skip
        self.waiting: list[Work] = []
        self.kinds: list[KindInfo] = [DEPLOYMENTS, SETS, PODS]
        self.found = 0
        self.family = Family(
            lambda: [(kind, self.feeders[kind.key].replica) for kind in self.kinds],
            self.waiting.append if slow else at_once,
        )
        self.family.found = self._found
        self.told: list[bool] = []
        for key, feeder in self.feeders.items():
            feeder.replica.on_change(lambda change, key=key: self.told.append(self.family.apply(key, change)))  # type: ignore[misc]

    def _found(self) -> None:
        self.found += 1

    def of(self, kind: KindInfo, row: Row) -> Shown:
        self.family.follow(kind, row)
        return self

    def go_on(self) -> None:
        while self.waiting:
            at_once(self.waiting.pop(0))

    @property
    def tree(self) -> list[str]:
        return [
            f"{'  ' * one.depth}{one.name or f'+{one.more}'}{' *' if one.here else ''}" for one in self.family.lines
        ]


def test_the_tree_has_owners_above_and_what_it_owns_below() -> None:
    assert Shown().of(SETS, NEW).tree == ["web", "  web-2 *", "    web-2-a", "    web-2-b"]
    assert Shown().of(DEPLOYMENTS, WEB).tree == ["web *", "  web-1", "  web-2", "    web-2-a", "    web-2-b"]
    assert Shown().of(PODS, A).tree == ["web", "  web-2", "    web-2-a *"]
    assert Shown().of(PODS, OTHER).tree == ["alone *"]


def test_an_owner_that_is_not_followed_is_named_without_an_address() -> None:
    shown = Shown()
    shown.kinds = [PODS]
    lines = shown.of(PODS, A).family.lines
    assert (lines[0].kind, lines[0].name, lines[0].href) == ("ReplicaSet", "web-2", "")
    assert shown.tree == ["web-2", "  web-2-a *"]


def test_what_comes_and_goes_is_in_the_tree_and_what_is_no_family_tells_nothing() -> None:
    shown = Shown().of(DEPLOYMENTS, WEB)
    pods = shown.feeders["pods"]
    pods.put(owned("web-2-c", NEW, "ReplicaSet"))
    pods.drop(A.uid)
    assert shown.tree == ["web *", "  web-1", "  web-2", "    web-2-b", "    web-2-c"]
    assert shown.told == [True, True]
    pods.put(owned("alone-2"))
    assert shown.told[-1] is False


def test_a_pod_that_loses_its_owner_leaves_the_tree() -> None:
    shown = Shown().of(SETS, NEW)
    shown.feeders["pods"].put(pod("web-2-a", version=2))
    assert shown.tree == ["web", "  web-2 *", "    web-2-b"]


def test_objects_whose_owner_is_heard_of_later_are_found_all_the_same() -> None:
    shown = Shown().of(DEPLOYMENTS, WEB)
    late = owned("web-3", WEB, "Deployment", uid="s3")
    shown.feeders["pods"].put(owned("web-3-a", late, "ReplicaSet"))
    shown.feeders["replicasets.apps"].put(late)
    assert shown.tree[-2:] == ["  web-3", "    web-3-a"]


def test_an_owner_that_appears_later_takes_its_place_above() -> None:
    shown = Shown()
    shown.feeders["deployments.apps"].drop(WEB.uid)
    shown.of(SETS, NEW)
    assert shown.family.lines[0].href == ""
    shown.feeders["deployments.apps"].put(WEB)
    assert shown.family.lines[0].href == "/resources/deployments.apps/default/web/"


def test_what_is_wrong_stands_first_and_too_many_are_counted() -> None:
    shown = Shown()
    many = [owned(f"p{number:03d}", OLD, "ReplicaSet") for number in range(SHOWN + 5)]
    shown.feeders["pods"].put(*many, owned("zzz", OLD, "ReplicaSet", tone="bad", status="Error"))
    names = [one.name for one in shown.of(SETS, OLD).family.lines]
    assert names[2:5] == ["zzz", "p000", "p001"]
    assert shown.family.lines[-1].more == 6


def test_a_ring_of_owners_ends() -> None:
    shown = Shown()
    one = msgspec.structs.replace(pod("one", uid="u1"), owner=("Pod", "two", "u2"))
    two = msgspec.structs.replace(pod("two", uid="u2"), owner=("Pod", "one", "u1"))
    shown.feeders["pods"].put(one, two)
    assert 2 <= len(shown.of(PODS, one).family.lines) <= 2 * GENERATIONS + 1


def test_a_search_in_slices_misses_nothing_that_changes_meanwhile() -> None:
    shown = Shown(slow=True)
    crowd = [owned(f"x{number}", OLD, "ReplicaSet") for number in range(4 * STEP)]
    shown.feeders["pods"].put(*crowd)
    shown.of(DEPLOYMENTS, WEB)
    work = shown.waiting[0]
    for step in range(4):
        next(work)
        shown.feeders["pods"].put(owned(f"web-2-n{step}", NEW, "ReplicaSet"))
        assert shown.family.looking
    shown.feeders["pods"].drop(A.uid)
    shown.go_on()
    assert not shown.family.looking
    assert shown.found == 1
    expected = {"web-1", "web-2", "web-2-b", *(f"web-2-n{step}" for step in range(4)), *(row.name for row in crowd)}
    assert {row.name for _, row in shown.family.below} == expected


def test_a_search_for_the_object_before_leaves_nothing_in_the_next_ones_tree() -> None:
    shown = Shown(slow=True)
    shown.feeders["pods"].put(*[owned(f"x{number}", OLD, "ReplicaSet") for number in range(2 * STEP)])
    shown.of(DEPLOYMENTS, WEB)
    next(shown.waiting[0])
    shown.of(PODS, OTHER)
    shown.go_on()
    assert shown.tree == ["alone *"]


def test_kinds_that_are_not_up_to_date_are_named_and_rows_of_kinds_that_nobody_follows_go() -> None:
    shown = Shown().of(SETS, NEW)
    assert not shown.family.stale
    pods = shown.feeders["pods"]
    pods.beat(msgspec.structs.replace(pods.health, state="stale"))
    assert shown.family.stale == ("Pods",)
    assert shown.family.has("pods")
    shown.kinds = [SETS]
    assert [(one.name, one.href != "") for one in shown.family.lines] == [("web", False), ("web-2", True)]


def test_what_a_lost_member_owned_goes_with_it_and_is_not_listened_to_any_more() -> None:
    shown = Shown().of(DEPLOYMENTS, WEB)
    shown.feeders["replicasets.apps"].drop(NEW.uid)
    assert shown.tree == ["web *", "  web-1"]
    assert [row.name for _, row in shown.family.below] == ["web-1"]
    shown.feeders["pods"].put(msgspec.structs.replace(A, version="2"))
    assert shown.told[-1] is False


def test_an_owner_of_before_is_not_listened_to_any_more() -> None:
    shown = Shown().of(PODS, A)
    shown.feeders["pods"].put(pod("web-2-a", version=2))
    assert shown.tree == ["web-2-a *"]
    shown.feeders["replicasets.apps"].put(msgspec.structs.replace(NEW, version="2"))
    assert shown.told[-1] is False
