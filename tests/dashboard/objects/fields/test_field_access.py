"""Tests of small parts: paths, diffs, forms from schemas, the API server's messages, pages' requests and responses."""

from __future__ import annotations

import json
import random
from base64 import urlsafe_b64encode

import pytest
from django.http import HttpRequest, HttpResponse

from dashboard.access.identity import Identity
from dashboard.objects.fields.field_access import (
    ABSENT,
    ItemKey,
    Path,
    Value,
    format_path,
    get,
    parse_path,
    put,
    resolve_path,
    same,
)
from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.merge.diff import changes, diff_lines
from dashboard.objects.problems.write_refusal import refusal_of, unanswered_refusal
from dashboard.objects.schemas.schema import crd_schema, kind_schema
from dashboard.pages.edit.form_data import choice_name, dump_base, sign_review, submission_of, unsign_review
from dashboard.pages.layout.flash import COOKIE, flash, flash_for
from dashboard.pages.writes.outcomes import Submission
from dashboard.pages.writes.target import Base, Target, editable_part, update_body
from dashboard.runtime.request_retry import DEFAULT_RETRY_AFTER
from informerd.errors import (
    BadRequest,
    Cause,
    CredentialsError,
    Forbidden,
    InformerdError,
    Invalid,
    ServerError,
    Status,
    StatusDetails,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)

READER = Identity("", "b" * 32)
TARGET = Target(KINDS["mydemos.crddemo.k8s.io"], "default", "one")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("spec", "port"), "spec.port"),
        (("spec", "ports", 0, "name"), "spec.ports[0].name"),
        (("metadata", "labels", "app.kubernetes.io/name"), "metadata.labels[app.kubernetes.io/name]"),
        ((), ""),
    ],
)
def test_paths_are_written_and_read_as_the_api_server_writes_them(path: Path, text: str) -> None:
    assert format_path(path) == text
    assert parse_path(text) == path


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("spec.map.example.com/a", ("spec", "map", "example.com/a")),
        ("spec.map.a.b.port", ("spec", "map", "a.b", "port")),
        ("spec.map.a.b[0]", ("spec", "map", "a.b", 0)),
        ("spec.map.gone.b", ("spec", "map", "gone", "b")),
        ("spec.list[0].x.y", ("spec", "list", 0, "x.y")),
        ("spec.list.x.y", ("spec", "list", "x", "y")),
    ],
)
def test_a_name_with_dots_that_a_message_does_not_set_off_is_one(said: str, held: Path) -> None:
    value = {"spec": {"map": {"example.com/a": 1, "a.b": {"port": 1}}, "list": [{"x.y": 1}]}}
    assert resolve_path(value, parse_path(said)) == held


def test_what_turns_the_text_around_it_is_seen_in_a_review_in_values_and_names() -> None:
    (change,) = changes({"data": {}}, {"data": {"a\u2066b": "admin\u202ex"}})
    assert (change.field, change.now_text) == ("data.a\\u2066b", "admin\\u202ex")
    assert change.path == ("data", "a\u2066b")


@pytest.mark.slow
def test_a_name_with_dots_is_the_longest_that_the_map_has() -> None:
    rng = random.Random(7)
    names = ["", "a", "b", "a.b", "a.b.a", ".a", "a.", "..", "b.a.b.b", "a.a.a.a.a"]
    segments: Path = ("a", "b", "", "a.b", 0, 1)

    def made(depth: int) -> Value:
        chosen = rng.sample(names, rng.randrange(len(names)))
        return {name: made(depth - 1) for name in chosen} if depth else [1, {"a.b": 1}]

    def longest(value: Value, path: Path) -> Path:
        texts = next((count for count, each in enumerate(path) if not isinstance(each, str)), len(path))
        joined = {".".join(map(str, path[:count])): count for count in range(2, texts + 1)}
        found = [name for name in joined if name in value] if isinstance(value, dict) and path[:1] else []
        if not path:
            return ()
        if not found or path[0] in value:
            return (path[0], *longest(get(value, path[:1]), path[1:]))
        return (found[-1], *longest(value[found[-1]], path[joined[found[-1]] :]))

    for _ in range(3_000):
        value = made(3)
        path = tuple(rng.choice(segments) for _ in range(rng.randrange(9)))
        assert resolve_path(value, path) == longest(value, path)


def test_a_path_as_long_as_a_text_can_be_is_read_at_once() -> None:
    brackets, names = "[" * 200_000, "spec.map." + "a." * 100_000 + "a["
    assert parse_path("a]" + brackets) == ("a",)
    path = parse_path(names)
    assert len(resolve_path({"spec": {"map": {"b.a": 1}}}, path)) == len(path) == 100_003


def test_values_are_found_set_and_taken_out_by_path_without_touching_the_object() -> None:
    value = {"spec": {"ports": [{"port": 1, "name": "a"}], "set": ["x", "y"]}}
    before = json.dumps(value)
    assert get(value, ("spec", "ports", 0, "name")) == "a"
    assert get(value, ("spec", "ports", ItemKey((("port", 1),)), "name")) == "a"
    assert get(value, ("spec", "set", ItemKey((("", "y"),)))) == "y"
    assert get(value, ("spec", "ports", 9)) is ABSENT
    assert get(value, ("spec", "set", "name")) is ABSENT
    assert put(value, ("spec", "new", "deep"), 1)["spec"]["new"] == {"deep": 1}
    assert "set" not in put(value, ("spec", "set"), ABSENT)["spec"]
    assert json.dumps(value) == before


def test_numbers_are_the_same_by_value_and_truth_is_no_number() -> None:
    assert same({"a": [1, {"b": 2.0}]}, {"a": [1.0, {"b": 2}]})
    assert not same(True, 1)
    assert not same(0, False)
    assert not same([1], [1, 2])
    assert not same({"a": None}, {})


def test_changes_are_told_field_by_field() -> None:
    was = {"spec": {"a": 1, "list": [1, 2], "gone": {"x": 1}}, "same": 1}
    now = {"spec": {"a": 2, "list": [1, 3]}, "same": 1, "new": {"y": {"z": ""}}}
    told = [(change.field, change.was_text, change.now_text) for change in changes(was, now)]
    assert told == [
        ("spec.a", "1", "2"),
        ("spec.list[1]", "2", "3"),
        ("spec.gone.x", "1", ""),
        ("new.y.z", "", '""'),
    ]


def test_a_diff_shows_three_lines_around_each_change_and_counts_the_rest() -> None:
    was = "".join(f"line {number}\n" for number in range(1, 31))
    now = was.replace("line 10\n", "line ten\n").replace("line 25\n", "")
    kinds = [(line.kind, line.text) for line in diff_lines(was, now) if line.kind != "same"]
    assert kinds == [
        ("gap", "6 lines as they were"),
        ("del", "line 10"),
        ("add", "line ten"),
        ("gap", "8 lines as they were"),
        ("del", "line 25"),
        ("gap", "2 lines as they were"),
    ]
    assert diff_lines(was, was) == ()
    assert len(diff_lines("a\n" * 5000, "b\n" * 5000)) == 10_000


def test_schemas_are_found_in_openapi_and_in_crds_and_references_are_followed() -> None:
    widget = {
        "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "Widget"}],
        "properties": {"spec": {"allOf": [{"$ref": "#/components/schemas/g.Spec"}], "description": "mine"}},
    }
    spec = {"description": "theirs", "properties": {"size": {"type": "integer"}}}
    openapi = {"components": {"schemas": {"g.Widget": widget, "g.Spec": spec, "g.Other": {}}}}
    found = kind_schema(openapi, "g", "v1", "Widget")
    assert found is not None
    assert found.child("spec").node["description"] == "mine"
    assert found.child("spec").child("size").node == {"type": "integer"}
    assert found.child("metadata").child("finalizers").list_keys == ("",)
    assert set(found.definitions) == {"g.Spec"}
    assert kind_schema(openapi, "g", "v1", "Gadget") is None
    crd = {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"spec": spec}}}}]}}
    of_crd = crd_schema(crd, "v1")
    assert of_crd is not None
    assert of_crd.child("spec").child("size")
    assert crd_schema(crd, "v2") is None


def test_causes_without_a_field_are_placed_by_their_message() -> None:
    causes = (
        Cause("FieldValueInvalid", 'Invalid value: "": "spec.ip" must validate at least one schema (anyOf)', "<nil>"),
        Cause("FieldValueInvalid", "too small", "spec.ports[0].port"),
    )
    refusal = refusal_of(
        Invalid(Status(code=422, reason="Invalid", message="no", details=StatusDetails(causes=causes)))
    )
    assert [problem.field for problem in refusal.problems] == ["spec.ip", "spec.ports[0].port"]
    assert [problem.server_message for problem in refusal.problems] == [cause.message for cause in causes]


@pytest.mark.parametrize(
    ("error", "words", "code", "again"),
    [
        (
            Forbidden(Status(code=403, message="no")),
            "access rules do not let Deltaboard's account read what became of it",
            403,
            None,
        ),
        (
            TooManyRequests(Status(code=429, message="no"), retry_after=3),
            "busy and asks you to try again later",
            429,
            3,
        ),
        (Unauthorized(Status(code=401, message="no")), "did not accept the credentials", 401, None),
        (
            ServerError(Status(code=500, message="no")),
            "The API server failed while handling it",
            503,
            DEFAULT_RETRY_AFTER,
        ),
        (Unreachable("no"), "No answer came from the API server", 503, DEFAULT_RETRY_AFTER),
        (CredentialsError("no"), "credentials for the cluster could not be obtained", 503, None),
    ],
)
def test_what_is_not_known_of_a_write_is_said_with_what_reading_it_met_with(
    error: InformerdError, words: str, code: int, again: float | None
) -> None:
    refusal = unanswered_refusal(error, "It may or may not be saved", "It is not known.", is_unverified=True)
    assert words in refusal.problems[0].words
    assert (refusal.code, refusal.auto_retry_after, refusal.unsure) == (code, again, True)


def test_strict_decoding_and_wrong_types_are_placed_at_their_fields() -> None:
    strict = BadRequest(
        Status(
            code=400, reason="BadRequest", message='strict decoding error: unknown field "spec.a", duplicate field "b"'
        )
    )
    assert [(each.field, each.server_message) for each in refusal_of(strict).problems] == [
        ("spec.a", 'unknown field "spec.a"'),
        ("b", 'duplicate field "b"'),
    ]
    typed = BadRequest(
        Status(
            code=400, message="json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool"
        )
    )
    assert [each.field for each in refusal_of(typed).problems] == ["spec.hostNetwork"]


@pytest.mark.parametrize(
    ("go", "field", "words"),
    [
        ("array into Go struct field .labels of type string", "metadata.labels", "A list cannot stand here."),
        ("number into Go struct field ObjectMeta.metadata.name of type string", "metadata.name", "A number cannot"),
        ("object into Go struct field ObjectMeta.finalizers of type []string", "metadata.finalizers", "A map cannot"),
        ("bool into Go struct field .kind of type string", "kind", "True or false cannot stand here."),
        ("string into Go value of type map[string]interface {}", "", "A text cannot stand here."),
        ("number 1e3 into Go struct field S.spec.a of type int32", "spec.a", "A number cannot stand here."),
    ],
)
def test_what_go_cannot_take_is_said_in_the_texts_words(go: str, field: str, words: str) -> None:
    [problem] = refusal_of(BadRequest(Status(code=400, message=f"json: cannot unmarshal {go}"))).problems
    assert (problem.field, problem.words.startswith(words)) == (field, True)


def test_what_is_sent_is_the_edit_on_top_of_what_only_servers_write() -> None:
    live = {
        "kind": "X",
        "metadata": {
            "name": "one", "namespace": "n", "uid": "u", "resourceVersion": "7", "generation": 2,
            "managedFields": [{}], "creationTimestamp": "t", "annotations": {"a": "b"},
        },
        "spec": {"a": 1},
        "status": {"ok": True},
    }  # fmt: skip
    mine = editable_part(live)
    assert mine == {
        "kind": "X",
        "metadata": {"name": "one", "namespace": "n", "annotations": {"a": "b"}},
        "spec": {"a": 1},
    }
    sent = update_body({"kind": "X", "spec": {"a": 2}, "status": {"ok": False}, "metadata": {"uid": "other"}}, live)
    assert sent == {
        "kind": "X",
        "metadata": {"name": "one", "namespace": "n", "uid": "u", "resourceVersion": "7"},
        "spec": {"a": 2},
        "status": {"ok": True},
    }


def test_a_draft_survives_its_way_through_a_page() -> None:
    base = Base("u", "7", {"kind": "X", "spec": {"é": ["\n", True, None, 1.5]}})
    path: Path = ("spec", "ports", ItemKey((("port", 80), ("name", 'quo"te'))), 0)
    post = {
        "yaml": "a: 1\r\nb: 2\r\n", "base_uid": "u", "base_version": "7", "base": dump_base(base),
        choice_name(path): "theirs", choice_name(("x",)): "neither", "choice.nonsense!": "mine", "seen": "s",
    }  # fmt: skip
    draft = submission_of(post)
    assert draft is not None
    assert draft.text == "a: 1\nb: 2\n"
    assert draft.base == base
    assert [format_path(each) for each in draft.choices] == [format_path(path)]
    assert choice_name(path).removeprefix("choice.").replace("_", "").replace("-", "").isalnum()
    for missing in ("base", "base_uid", "base_version"):
        assert submission_of({**post, missing: ""}) is None
    assert submission_of({**post, "base": "[1]"}) is None


@pytest.mark.parametrize(
    "path", ['[{"key": [["port", [1]]]}]', '[{"key": [["port", {}]]}]', '[{"key": 1}]', "[[1]]", "{}"]
)
def test_an_answer_to_a_conflict_that_no_page_asked_about_is_left_out(path: str) -> None:
    name = f"choice.{urlsafe_b64encode(path.encode()).decode().rstrip('=')}"
    post = {"yaml": "a: 1\n", "base_uid": "u", "base_version": "7", "base": "{}", name: "mine"}
    assert submission_of(post) == Submission("a: 1\n", Base("u", "7", {}))


def test_addresses_hold_any_name_and_what_is_said_there_is_shown() -> None:
    target = Target(TARGET.kind, "default", "odd: 50%?/é")
    assert target.href == "/resources/mydemos.crddemo.k8s.io/default/odd%3A%2050%25%3F%2F%C3%A9/"
    response = HttpResponse()
    flash(response, target.href, "Saved.")
    request = HttpRequest()
    request.path = "/resources/mydemos.crddemo.k8s.io/default/odd: 50%?/é/"
    request.COOKIES[COOKIE] = response.cookies[COOKIE].value
    assert flash_for(request) is not None


def test_the_mark_of_a_review_is_for_one_text_state_object_and_purpose() -> None:
    draft = Submission("a: 1\n", Base("u", "7", {"a": 0}))
    beside = {"spec.a": "d1"}
    mark = sign_review(READER, TARGET, draft, "save", beside)
    assert unsign_review(READER, TARGET, draft, "save", mark) == beside
    assert unsign_review(READER, TARGET, draft, "create", mark) is None
    assert unsign_review(READER, TARGET, Submission("a: 2\n", draft.base), "save", mark) is None
    assert unsign_review(READER, TARGET, Submission(draft.text, Base("v", "7", {"a": 0})), "save", mark) is None
    assert unsign_review(READER, TARGET, Submission(draft.text, Base("u", "7", {"a": 1})), "save", mark) is None
    assert unsign_review(READER, Target(TARGET.kind, "default", "two"), draft, "save", mark) is None
    assert unsign_review(READER, TARGET, Submission(draft.text, Base("u", "8", {"a": 0})), "save", mark) == beside, (
        "status changes do not matter"
    )


def test_what_is_said_is_shown_where_it_is_meant_and_nowhere_else() -> None:
    response = HttpResponse()
    flash(response, "/there/", "Saved <b>.", "warn")
    request = HttpRequest()
    request.path = "/there/"
    assert flash_for(request) is None
    request.COOKIES[COOKIE] = response.cookies[COOKIE].value
    said = flash_for(request)
    assert said is not None
    assert (said.words, said.tone) == ("Saved <b>.", "warn")
    request.path = "/elsewhere/"
    assert flash_for(request) is None
    request.path = "/there/"
    request.COOKIES[COOKIE] += "x"
    assert flash_for(request) is None
