"""Tests of the live check of several documents, each by the schema of its own kind."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from dashboard.objects.manifests.document import DocumentError
from dashboard.pages.create.many import check_while_typing, manifests
from dashboard.pages.create.many.apply_context import ApplyContext
from dashboard.pages.create.many.cached_parse_results import MAX_CHARACTERS
from dashboard.pages.create.many.check_while_typing import CheckResult, TextCheck
from dashboard.pages.create.many.manifests import MAX_OBJECTS
from dashboard.runtime.compute_process_pool import LONG_TEXT, NeededTooMuchMemory, TookTooLong, WorkEnded, WorkProcesses
from dashboard.runtime.concurrency_limit import Owners
from informerd.lru_cache import LruCache
from tests.dashboard.pages.create.many.test_dependencies import SIZE, definition, space
from tests.dashboard.pages.create.many.test_views import mydemo
from tests.support.edit.no_script_browser import Browser

T = TypeVar("T")
CHECK = "/new/check/?namespace=default"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - {name: c, image: 5}\n  nope: 1\n"
WIDGET = "apiVersion: several.example.com/v1\nkind: Widget\nmetadata: {name: %s}\nsize: %s\n"


async def checked(browser: Browser, *documents: str) -> dict[str, Any]:
    page = await browser.send(CHECK, {"yaml": "---\n".join(documents)})
    assert page.status == 200
    found: dict[str, Any] = json.loads(page.body)
    return found


def told(found: dict[str, Any]) -> list[tuple[int, int, str]]:
    return [(each["line"], each["column"], each["words"]) for each in found["marks"]]


async def test_each_document_is_judged_by_the_schema_of_its_kind_at_its_place_in_the_text(browser: Browser) -> None:
    found = await checked(browser, mydemo("one", port=70000), POD, mydemo("two"), 'kind: "A\n')
    assert told(found) == [
        (6, 3, "spec.port: It must be at most 65535."),
        (13, 15, "spec.containers[0].image: It must be text."),
        (14, 3, "spec.nope: The schema has no such field."),
        (23, 7, "A quotation mark that is opened here is never closed."),
    ]
    assert found["says"] == "4 objects, 4 problems"
    assert "3 of 4 objects cannot be created as they are" in found["problems"]
    assert 'data-line="14"' in found["problems"]


async def test_a_text_without_mistakes_is_said_to_be_valid_and_an_empty_one_is_not_judged(browser: Browser) -> None:
    found = await checked(browser, mydemo("one"), mydemo("two"))
    assert (found["valid"], found["says"], found["marks"]) == (True, "2 objects, valid", [])
    assert (await checked(browser, "# nothing\n"))["says"] == ""


async def test_what_a_document_does_not_say_of_itself_and_what_stands_twice_is_marked(browser: Browser) -> None:
    nobody = "apiVersion: example.org/v1\nkind: Nobody\nmetadata: {name: x}\n"
    review = "apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\nmetadata: {name: me}\n"
    found = await checked(browser, "a: 1\n", mydemo(""), nobody, review, mydemo("two"), mydemo("two", "default"))
    lines = told(found)
    assert [line for line, _, _ in lines] == [1, 5, 11, 15, 27]
    assert [words.split(".")[0] for _, _, words in lines] == [
        "apiVersion: The object has no apiVersion: add one, such as “apps/v1”",
        "metadata",
        "kind: The API server has no Nobody in example",
        "kind: The API server does not store a SelfSubjectReview: it only answers or executes it",
        "metadata",
    ]
    assert lines[4][2] == "metadata.name: The text has this object twice; the first is in line 18."


async def test_kinds_that_the_text_defines_are_judged_by_its_own_schema_from_there_on(browser: Browser) -> None:
    crd = definition("several.example.com", SIZE)
    found = await checked(browser, WIDGET % ("a", 1), crd, space("s"), WIDGET % ("b", 10), WIDGET % ("c", "x"))
    assert [(line, words.partition(": ")[2][:30]) for line, _, words in told(found)] == [
        (2, "The API server has no Widget i"),
        (15, "It must be at most 9."),
        (20, "It must be a whole number."),
    ]
    key = found["defined"]["several.example.com/v1 Widget"]
    asked = "/new/schema/?path=[]&apiVersion=several.example.com/v1&kind=Widget"
    fields = json.loads((await browser.open(f"{asked}&by={key}")).body)["fields"]
    assert [(each["name"], each["words"]) for each in fields][:1] == [("size", "whole number")]
    assert [each["name"] for each in json.loads((await browser.open(asked)).body)["fields"]] == [
        "apiVersion",
        "kind",
        "metadata",
    ]


async def test_items_of_a_list_and_json_objects_are_judged_where_they_stand(browser: Browser) -> None:
    item = "- apiVersion: crddemo.k8s.io/v1\n  kind: Mydemo\n  metadata: {name: %s}\n  spec: {ip: 10.0.0.1, port: %s}\n"
    objects = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": n}, "data": {"a": v}} for n, v in
               (("a", "b"), ("c", 1))]  # fmt: skip
    text = f"apiVersion: v1\nkind: List\nitems:\n{item % ('a', 1)}{item % ('b', 0)}"
    line = " ".join(map(json.dumps, objects))
    found = await checked(browser, text, f"{line}\n")
    assert told(found) == [
        (11, 24, "spec.port: It must be at least 1."),
        (13, line.rindex('"a": 1') + 1, "data.a: It must be text."),
    ]


async def test_too_many_objects_and_too_long_a_text_are_told_at_once(browser: Browser) -> None:
    found = await checked(browser, *(mydemo(f"m{number}") for number in range(MAX_OBJECTS + 1)))
    assert told(found) == [
        (3501, 1, f"The text has more than {MAX_OBJECTS} objects. Split it and apply the parts one by one.")
    ]
    long = await checked(browser, "# " + "x" * 3 * 1024 * 1024)
    assert "larger than 3 MiB" in long["marks"][0]["words"]


async def test_no_more_is_told_than_anybody_reads_but_all_is_counted(browser: Browser) -> None:
    found = await checked(browser, *(mydemo(f"m{number}", port=0) for number in range(70)))
    assert (len(found["marks"]), found["says"]) == (50, "70 objects, 70 problems")
    assert "(the first 50 of 70 problems)" in found["problems"]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool]]:
    """The line count of each document that is read from now on, and whether that is on the main thread."""
    found: list[tuple[int, bool]] = []

    def noted(text: str) -> Any:
        found.append((text.count("\n"), threading.current_thread() is threading.main_thread()))
        return manifests.manifests_in(text)

    monkeypatch.setattr(check_while_typing, "manifests_in", noted)
    return found


OWNERS = ("user ada",)


class Threads(WorkProcesses):
    """Threads in place of processes, so that a test sees what is called."""

    async def run(self, owners: Owners, function: Callable[..., T], *arguments: object) -> T:
        assert owners == OWNERS
        return await asyncio.to_thread(function, *arguments)


async def of(parts: SimpleNamespace, text: str) -> CheckResult:
    kitchen = ApplyContext(parts.client, parts.discovery, parts.schemas, "default")
    return await TextCheck(kitchen, parts.parse_cache, Threads(), OWNERS).run(text)


async def test_only_what_changed_is_read_again_and_long_texts_off_the_event_loop(
    parts: SimpleNamespace, read: list[tuple[int, bool]]
) -> None:
    documents = [mydemo(f"m{number}") + f"# {'x' * 6000}\n" for number in range(MAX_OBJECTS)]
    first = await of(parts, "---\n".join(documents))
    assert (first.objects, first.problem_count) == (MAX_OBJECTS, 0)
    assert len(read) == 2 * MAX_OBJECTS, "once for their kinds, and again, in the other process, by their schemas"
    assert not any(on_loop for _, on_loop in read)
    read.clear()
    documents[250] = mydemo("m250", port=0) + "# shorter\n"
    again = await of(parts, "# a line more\n" + "---\n".join(documents))
    assert [problem.line for problem in again.problems] == [250 * 8 + 7]
    assert len(read) == 2, "the first document and the one that changed"


async def test_each_of_many_documents_is_found_again_without_a_search(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search from the beginning for each of a thousand documents held up the event loop for a second."""
    lookups = 0

    class Found(list[Any]):
        def __getitem__(self, index: Any) -> Any:
            nonlocal lookups
            lookups += 1
            return super().__getitem__(index)

        def __iter__(self) -> Iterator[Any]:
            nonlocal lookups
            lookups += len(self)
            return super().__iter__()

    created = TextCheck.__init__

    def create(self: TextCheck, *arguments: Any) -> None:
        created(self, *arguments)
        self._found = Found()

    monkeypatch.setattr(TextCheck, "__init__", create)
    found = await checked(browser, *(WIDGET % (f"w{number}", number) for number in range(300)))
    assert found["says"].startswith("300 objects")
    assert lookups < 10 * 300


async def test_a_document_is_judged_again_where_its_schema_is_another_one(
    parts: SimpleNamespace, read: list[tuple[int, bool]]
) -> None:
    crd, widget = definition("several.example.com", SIZE), WIDGET % ("a", 10)
    assert (await of(parts, f"{crd}---\n{widget}")).problem_count == 1
    looser = {**SIZE, "properties": {"size": {"type": "integer"}}}
    assert (await of(parts, f"{definition('several.example.com', looser)}---\n{widget}")).problem_count == 0
    read.clear()
    assert (await of(parts, f"{crd}---\n{widget}")).problem_count == 1
    assert len(read) == 1, "the definition is known, what it defines is judged anew"


async def test_without_a_cluster_the_yaml_is_checked_alone() -> None:
    found = await TextCheck(None, LruCache(MAX_CHARACTERS), Threads(), OWNERS).run(
        f"{mydemo('one', port=0)}---\na: 'b\n"
    )
    assert [(problem.line, problem.words) for problem in found.problems] == [
        (8, "A quotation mark that is opened here is never closed.")
    ]


def test_what_is_remembered_is_bounded_by_the_length_of_the_texts() -> None:
    known: LruCache[str, int] = LruCache(MAX_CHARACTERS)
    for number in range(4):
        known.put(str(number), number, MAX_CHARACTERS // 3)
        known.get("0")
    assert [known.get(str(number)) for number in range(4)] == [0, None, 2, 3]


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ('path=["kind"]&apiVersion=crddemo.k8s.io/v1', [("Mydemo", "crddemo.k8s.io/v1")]),
        ('path=["apiVersion"]&kind=Mydemo', [("crddemo.k8s.io/v1", "Mydemo")]),
        ('path=["apiVersion"]&kind=Deployment', [("apps/v1", "Deployment")]),
    ],
)
async def test_kinds_and_their_versions_are_offered(
    browser: Browser, asked: str, values: list[tuple[str, str]]
) -> None:
    found = json.loads((await browser.open(f"/new/schema/?{asked}")).body)
    assert [(each["text"], each["words"]) for each in found["values"]] == values


async def test_all_kinds_that_people_make_are_offered_where_nothing_is_said_yet(browser: Browser) -> None:
    found = json.loads((await browser.open('/new/schema/?path=["kind"]')).body)
    kinds = {each["text"]: each["words"] for each in found["values"]}
    assert kinds["Deployment"] == "apps/v1"
    assert kinds["Mydemo"] == "crddemo.k8s.io/v1"
    assert "SelfSubjectReview" not in kinds
    assert "Event" not in kinds
    port = '/new/schema/?path=["spec","port"]&apiVersion=crddemo.k8s.io/v1&kind=Mydemo'
    assert "1 to 65535" in json.loads((await browser.open(port)).body)["words"]
    assert (await browser.open("/new/schema/?path=x")).status == 400


@pytest.mark.parametrize(
    ("reason", "words"), [(TookTooLong, "takes too long"), (NeededTooMuchMemory, "needs too much memory")]
)
async def test_a_check_that_is_ended_says_why(reason: type[WorkEnded], words: str) -> None:
    class Ended(WorkProcesses):
        async def run(self, owners: Owners, function: Callable[..., T], *arguments: object) -> T:
            raise reason

    check = TextCheck(None, LruCache(MAX_CHARACTERS), Ended(), OWNERS)
    with pytest.raises(DocumentError, match=words):
        await check.run(f"{mydemo('one')}# {'x' * LONG_TEXT}\n")
