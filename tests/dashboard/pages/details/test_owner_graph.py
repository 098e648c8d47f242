"""Tests of the owner graph: owners above, dependents below, found in slices and kept current."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.objects.kinds.catalog import KINDS, KindInfo
from dashboard.objects.kinds.row import Owner, Row
from dashboard.pages.details.owner_graph import STEP, OwnerGraph
from dashboard.pages.details.owner_tree import MAX_GENERATIONS, MAX_SHOWN
from dashboard.runtime.time_slicing import SlicedWork, run_at_once
from tests.support.clock import FakeClock
from tests.support.live.replica_feeder import Feeder, pod

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
    """Three kinds, and the family of one of their objects. With `slow`, long work waits until `go_on`."""

    def __init__(self, *, slow: bool = False) -> None:
        clock = FakeClock()
        self.feeders = {kind.key: Feeder(kind.key, clock, rows) for kind, rows in (
            (DEPLOYMENTS, [WEB]), (SETS, [OLD, NEW]), (PODS, [A, B, OTHER]),
        )}  # fmt: skip
        self.waiting: list[SlicedWork] = []
        self.kinds: list[KindInfo] = [DEPLOYMENTS, SETS, PODS]
        self.found = 0
        self.family = OwnerGraph(
            lambda: [(kind, self.feeders[kind.key].replica) for kind in self.kinds],
            self.waiting.append if slow else run_at_once,
        )
        self.family.on_found = self._found
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
            run_at_once(self.waiting.pop(0))

    @property
    def tree(self) -> list[str]:
        return [
            f"{'  ' * line.depth}{line.name or f'+{line.more_count}'}"
            f"{' *' if line.is_subject else ''}{' …' if line.is_repeated else ''}"
            for line in self.family.lines
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
    many = [owned(f"p{number:03d}", OLD, "ReplicaSet") for number in range(MAX_SHOWN + 5)]
    shown.feeders["pods"].put(*many, owned("zzz", OLD, "ReplicaSet", tone="bad", status="Error"))
    names = [one.name for one in shown.of(SETS, OLD).family.lines]
    assert names[2:5] == ["zzz", "p000", "p001"]
    assert shown.family.lines[-1].more_count == 6


def test_a_pod_that_runs_and_is_not_ready_says_why() -> None:
    shown = Shown().of(SETS, NEW)
    shown.feeders["pods"].put(
        msgspec.structs.replace(A, tone="warn", reason="not ready: app is not ready", version="2")
    )
    statuses = {line.name: line.status for line in shown.family.lines}
    assert (statuses["web-2-a"], statuses["web-2-b"]) == ("Running, not ready: app is not ready", "Running")


def test_a_ring_of_owners_ends() -> None:
    shown = Shown()
    one = msgspec.structs.replace(pod("one", uid="u1"), owner=("Pod", "two", "u2"))
    two = msgspec.structs.replace(pod("two", uid="u2"), owner=("Pod", "one", "u1"))
    shown.feeders["pods"].put(one, two)
    assert 2 <= len(shown.of(PODS, one).family.lines) <= 2 * MAX_GENERATIONS + 1


def test_a_search_in_slices_misses_nothing_that_changes_meanwhile() -> None:
    shown = Shown(slow=True)
    crowd = [owned(f"x{number}", OLD, "ReplicaSet") for number in range(4 * STEP)]
    shown.feeders["pods"].put(*crowd)
    shown.of(DEPLOYMENTS, WEB)
    work = shown.waiting[0]
    for step in range(4):
        next(work)
        shown.feeders["pods"].put(owned(f"web-2-n{step}", NEW, "ReplicaSet"))
        assert shown.family.is_searching
    shown.feeders["pods"].drop(A.uid)
    shown.go_on()
    assert not shown.family.is_searching
    assert shown.found == 1
    expected = {"web-1", "web-2", "web-2-b", *(f"web-2-n{step}" for step in range(4)), *(row.name for row in crowd)}
    assert {row.name for _, row in shown.family.descendants} == expected


def test_objects_that_own_nothing_are_searched_in_steps_too() -> None:
    shown = Shown(slow=True)
    shown.feeders["pods"].put(*[owned(f"x{number}", OLD, "ReplicaSet") for number in range(4 * STEP)])
    shown.of(SETS, OLD)
    assert sum(1 for _ in shown.waiting[0]) >= 8


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
    assert not shown.family.stale_kinds
    pods = shown.feeders["pods"]
    pods.beat(msgspec.structs.replace(pods.health, state="stale"))
    assert shown.family.stale_kinds == ("Pods",)
    assert shown.family.has_kind("pods")
    shown.kinds = [SETS]
    assert [(one.name, one.href != "") for one in shown.family.lines] == [("web", False), ("web-2", True)]


def test_what_a_lost_member_owned_goes_with_it_and_is_not_listened_to_any_more() -> None:
    shown = Shown().of(DEPLOYMENTS, WEB)
    shown.feeders["replicasets.apps"].drop(NEW.uid)
    assert shown.tree == ["web *", "  web-1"]
    assert [row.name for _, row in shown.family.descendants] == ["web-1"]
    shown.feeders["pods"].put(msgspec.structs.replace(A, version="2"))
    assert shown.told[-1] is False


def test_an_owner_of_before_is_not_listened_to_any_more() -> None:
    shown = Shown().of(PODS, A)
    shown.feeders["pods"].put(pod("web-2-a", version=2))
    assert shown.tree == ["web-2-a *"]
    shown.feeders["replicasets.apps"].put(msgspec.structs.replace(NEW, version="2"))
    assert shown.told[-1] is False


def shared(name: str, *by: Row, uid: str = "") -> Row:
    """A pod that all of these own; none controls it."""
    return msgspec.structs.replace(
        pod(name, uid=uid), owners=tuple(Owner("", "Pod", owner.name, owner.uid) for owner in by)
    )


def test_an_object_of_several_owners_stands_beneath_each_and_in_full_once() -> None:
    shown = Shown()
    both, leaf = shared("both", OLD, NEW, uid="x"), shared("leaf", pod("both", uid="x"))
    shown.feeders["pods"].put(both, leaf)
    assert shown.of(PODS, both).tree == ["web", "  web-1", "    both *", "      leaf", "  web-2", "    both …"]
    assert shown.of(DEPLOYMENTS, WEB).tree == [
        "web *", "  web-1", "    both", "      leaf", "  web-2", "    both …", "    web-2-a", "    web-2-b",
    ]  # fmt: skip


def test_what_loses_one_of_its_owners_stays_beneath_the_other() -> None:
    shown = Shown()
    both = shared("both", OLD, NEW, uid="x")
    shown.feeders["pods"].put(both, shared("leaf", both))
    shown.of(DEPLOYMENTS, WEB)
    shown.feeders["replicasets.apps"].drop(NEW.uid)
    assert shown.tree == ["web *", "  web-1", "    both", "      leaf"]
    shown.feeders["pods"].put(msgspec.structs.replace(both, version="2", owners=()))
    assert shown.tree == ["web *", "  web-1"]


def test_an_owner_that_nobody_follows_and_one_of_another_namespace_are_named_beside_the_others() -> None:
    shown = Shown()
    far = pod("far", namespace="elsewhere", uid="f")
    both = shared("both", pod("unseen", uid="u"), far, NEW)
    shown.feeders["pods"].put(far, both)
    lines = shown.of(PODS, both).family.lines
    assert [(one.depth, one.name, one.href != "", one.status) for one in lines] == [
        (0, "unseen", False, ""),
        (1, "both", True, "Running"),
        (0, "far", False, "in namespace elsewhere, so it owns nothing here"),
        (1, "both", True, "Running"),
        (0, "web", True, "Running"),
        (1, "web-2", True, "Running"),
        (2, "both", True, "Running"),
    ]
    assert "both" not in [one.name for one in shown.of(PODS, far).family.lines]
    shown.of(PODS, both)
    shown.feeders["pods"].put(pod("unseen", uid="u"))
    assert shown.family.lines[0].href, "it is waited for"


def test_more_owners_than_are_shown_are_counted() -> None:
    shown = Shown()
    many = shared("many", *(pod(f"o{number:02d}", uid=f"o{number}") for number in range(MAX_SHOWN + 3)))
    lines = shown.of(PODS, many).family.lines
    assert [one.name for one in lines if one.is_subject] == ["many"]
    assert (lines[-1].more_count, lines[-1].kind) == (3, "owners")


MEMBERS = range(7)
links = st.lists(st.tuples(st.sampled_from(MEMBERS), st.sets(st.sampled_from(MEMBERS), max_size=3), st.booleans()))


@pytest.mark.slow
@given(links)
def test_whatever_comes_and_goes_those_below_are_what_the_object_leads_to(
    deeds: list[tuple[int, set[int], bool]],
) -> None:
    """Rings among them, too: what only they lead to is left."""
    shown = Shown()
    pods, here = shown.feeders["pods"], pod("p0", uid="0")
    pods.put(here)
    shown.of(PODS, here)
    for version, (number, owners, comes) in enumerate(deeds, 2):
        row = shared(f"p{number}", *(pod(f"p{owner}", uid=f"{owner}") for owner in owners), uid=f"{number}")
        if comes or number == 0:
            pods.put(msgspec.structs.replace(row, version=str(version)))
        elif row.uid in pods.replica.rows:
            pods.drop(row.uid)
        reached, waiting = {"0"}, ["0"]
        while waiting:
            new = set(pods.replica.by_owner.uids_of(waiting.pop())) - reached
            reached |= new
            waiting += new
        assert {row.uid for _, row in shown.family.descendants} == reached - {"0"}
        assert len(shown.family.lines) >= 1
