"""Tests of lists: versions, consistent pages, tokens that expire."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from devcluster.server.api_errors import Failure
from devcluster.server.api_server_core import ApiServer
from devcluster.server.request_options import DeleteOptions
from devcluster.server.storage.listing import Page, list_page, parse_list_query
from devcluster.server.storage.selectors import Selection, parse_labels

List = Callable[..., Page]


@pytest.fixture
def maps(core: ApiServer) -> ApiServer:
    """With ConfigMaps a to e in namespace t."""
    for name in "abcde":
        put(core, name)
    return core


def put(core: ApiServer, name: str, namespace: str = "t", **labels: str) -> None:
    meta = {"name": name, "namespace": namespace, "labels": labels, "creationTimestamp": "2026-01-01T00:00:00Z"}
    core.put_seed_object(core.kind("configmaps"), {"metadata": meta})


def page(core: ApiServer, selection: Selection | None = None, **query: str) -> Page:
    words = {"version": "resourceVersion", "match": "resourceVersionMatch", "token": "continue"}
    checked = parse_list_query({words.get(word, word): str(value) for word, value in query.items()})
    return list_page(core.store, core.kind("configmaps"), checked, selection or Selection())


def names(page: Page) -> str:
    return "".join(record.key[1] for record in page.records)


def refusal(core: ApiServer, **query: str) -> tuple[int, str]:
    with pytest.raises(Failure) as caught:
        page(core, None, **query)
    return caught.value.code, caught.value.message


def test_everything_at_the_newest_version(maps: ApiServer) -> None:
    found = page(maps)
    assert (names(found), found.revision, found.continue_token, found.remaining) == (
        "abcde",
        maps.store.revision,
        "",
        None,
    )


@pytest.mark.parametrize("version", ["0", "1"])
def test_any_and_not_older_than_give_the_newest(maps: ApiServer, version: str) -> None:
    found = page(maps, version=version)
    assert (names(found), found.revision) == ("abcde", maps.store.revision)


def test_an_exact_version_gives_the_past(maps: ApiServer) -> None:
    version = maps.store.revision
    put(maps, "f")
    maps.deletion.delete(maps.kind("configmaps"), "t", "a", DeleteOptions())
    found = page(maps, version=str(version), match="Exact")
    assert (names(found), found.revision) == ("abcde", version)


def test_a_version_with_a_limit_is_exact(maps: ApiServer) -> None:
    version = maps.store.revision
    put(maps, "aa")
    assert names(page(maps, version=str(version), limit="2")) == "ab"


def test_version_zero_ignores_the_limit(maps: ApiServer) -> None:
    assert names(page(maps, version="0", limit="2")) == "abcde"


def test_pages_show_one_version_while_things_change(maps: ApiServer) -> None:
    first = page(maps, limit="2")
    assert (names(first), first.remaining) == ("ab", 3)
    put(maps, "bb")
    maps.deletion.delete(maps.kind("configmaps"), "t", "d", DeleteOptions())
    second = page(maps, limit="2", token=first.continue_token)
    third = page(maps, limit="2", token=second.continue_token)
    assert names(second) + names(third) == "cde"
    assert {first.revision, second.revision, third.revision} == {first.revision}
    assert third.continue_token == ""


def test_remaining_counts_only_the_namespace(maps: ApiServer) -> None:
    put(maps, "z", namespace="default")
    put(maps, "z", namespace="zzz")
    assert page(maps, Selection("t"), limit="2").remaining == 3


def test_remaining_is_not_told_with_a_selector(maps: ApiServer) -> None:
    put(maps, "x", color="red")
    put(maps, "y", color="red")
    found = page(maps, Selection(labels=parse_labels("color=red")), limit="1")
    assert (names(found), found.remaining, found.continue_token != "") == ("x", None, True)


def test_an_old_token_is_expired_and_offers_another(maps: ApiServer) -> None:
    first = page(maps, limit="2")
    put(maps, "bb")
    maps.store.compact()
    with pytest.raises(Failure) as caught:
        page(maps, limit="2", token=first.continue_token)
    assert (caught.value.code, caught.value.reason) == (410, "Expired")
    again = caught.value.status()["metadata"]["continue"]
    assert names(page(maps, limit="10", token=again)) == "bbcde"


def test_versions_out_of_the_window_are_expired(maps: ApiServer) -> None:
    version = maps.store.revision
    put(maps, "f")
    maps.store.compact()
    assert refusal(maps, version=str(version), match="Exact")[0] == 410
    assert names(page(maps, version=str(version))) == "abcdef", "not older than needs no history"


def test_versions_to_come_are_too_large(maps: ApiServer) -> None:
    wanted = maps.store.revision + 1
    code, message = refusal(maps, version=str(wanted))
    assert code == 504
    assert message == f"Timeout: Too large resource version: {wanted}, current: {maps.store.revision}"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"version": "x"}, 400),
        ({"version": "-1"}, 400),
        ({"version": "²"}, 400),
        ({"match": "Exact"}, 422),
        ({"match": "Exact", "version": "0"}, 422),
        ({"match": "Sometimes", "version": "1"}, 422),
        ({"token": "abc"}, 400),
        ({"token": "e30"}, 400),
        ({"token": "W10"}, 400),
        ({"token": "Zm9v!"}, 400),
        ({"token": "W1tbW1tb" * 9_000}, 400),
        ({"version": str(2**64)}, 400),
        ({"version": "5", "token": "abc"}, 400),
        ({"limit": "x"}, 400),
        ({"limit": str(2**63)}, 400),
        ({"timeoutSeconds": "1.5"}, 400),
    ],
)
def test_refused_queries(maps: ApiServer, query: dict[str, str], code: int) -> None:
    assert refusal(maps, **query)[0] == code
