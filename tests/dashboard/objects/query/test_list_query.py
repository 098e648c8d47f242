"""Tests of addresses and filters: their meaning, their error messages, and equal addresses for equal states."""

from __future__ import annotations

import random
import re

import pytest
import zstandard
from django.http import QueryDict

from dashboard.objects.kinds.catalog import KINDS
from dashboard.objects.kinds.row import Cell, Row
from dashboard.objects.paths.field_path import FieldPath
from dashboard.objects.printers import columns_for
from dashboard.objects.printers.printer import Order
from dashboard.objects.query.list_query import Query
from dashboard.objects.query.terms import ColumnTerm, LabelTerm, PathTerm, Term, WordTerm
from dashboard.objects.query.value_order import MAX_SORTED_LENGTH, descending_key, natural_key, sort_value
from dashboard.objects.query.wildcard import Pattern
from informerd.objects import Blob

NOW = 1_800_000_000.0
COLUMNS = columns_for("pods")
BLOB = Blob(
    zstandard.compress(b'{"spec":{"ip":"10.0.0.1","port":8080,"ok":true,"containers":[{"image":"a"},{"image":"b"}]}}')
)


def is_sentence(message: str) -> bool:
    """Whether it begins with a capital letter or the typed text in quotation marks, and ends with a full stop."""
    return (message[0].isupper() or message[0] == "'") and message.endswith(".")


def pod(name: str = "web-1", **cells: Cell) -> Row:
    """A pod's row; cells by column id, with underscores for dashes."""
    values: dict[str, Cell] = {"namespace": "shop", "name": name, "status": "Running", "ready": "1/1", "restarts": 0}
    values |= {"age": NOW - 60, "ip": "10.0.0.9", "node": "node-3"}
    values |= {key.replace("_", "-"): value for key, value in cells.items()}
    return Row(
        uid=f"uid-{values['namespace']}-{name}",
        namespace=str(values["namespace"]),
        name=name,
        version="1",
        created=NOW - 60,
        status=str(values["status"]),
        tone="ok",
        cells=tuple(values.get(column.id) for column in COLUMNS),
        labels={"app": "web", "example.org/tier": "Back", "empty": ""},
        reason="not ready: api is not ready",
        owner=("ReplicaSet", "web-79b", "u"),
        blob=BLOB,
    )


def parse(q: str = "", key: str = "pods", **params: str) -> Query:
    return Query.parse({"q": [q], **{name: [value] for name, value in params.items()}}, key)


@pytest.mark.parametrize(
    ("q", "yes", "no"),
    [
        ("web", pod("my-web-1"), pod("db")),
        ("WEB -2", pod("web-1"), pod("web-2")),
        ("-web", pod("db"), pod("web")),
        ("web-*", pod("web-1"), pod("my-web-1")),
        ("shop/web", pod("web"), pod("web", namespace="search")),
        ("status=running", pod(), pod(status="Pending")),
        ("status=Pending,Error", pod(status="Error"), pod()),
        ("-status=Running", pod(status="Error"), pod()),
        ("status!=Running", pod(status="Error"), pod()),
        ("-status!=Running", pod(), pod(status="Error")),
        ("status=Init:*", pod(status="Init:0/1"), pod()),
        ("restarts>3", pod(restarts=4), pod(restarts=3)),
        ("restarts>=3", pod(restarts=3), pod(restarts=2)),
        ("restarts=3", pod(restarts=3), pod(restarts=30)),
        ("Restarts!=0", pod(restarts=1), pod()),
        ("age<1h", pod(age=NOW - 3599), pod(age=NOW - 3601)),
        ("age>=1h30m", pod(age=NOW - 5400), pod(age=NOW - 5399)),
        ("last-restart=", pod(), pod(last_restart=NOW)),
        ("lastrestart<5m", pod(last_restart=NOW - 10), pod()),
        ("ready<1", pod(ready="1/2"), pod(ready="2/2")),
        ("ready=0/1", pod(ready="0/1"), pod()),
        ("node=node-3", pod(), pod(node="node-31")),
        ("node=", pod(node=None), pod()),
        ("-node=", pod(), pod(node=None)),
        ("node>node-9", pod(node="node-10"), pod(node="node-8")),
        ("ip>10.0.0.9", pod(ip="10.0.0.10"), pod(ip="10.0.0.8")),
        ("-ns=shop", pod(namespace="search"), pod()),
        ("reason=*api*", pod(), None),
        ("owner=web-79b health=ok", pod(), None),
        ("tone=ok", pod(), None),
        ("label:app", pod(), None),
        ("label:app=db,web", pod(), None),
        ("label:empty=", pod(), None),
        ("label:example.org/tier=Back", pod(), None),
        ("label:app=Web", None, pod()),
        ("-label:app", None, pod()),
        ("label:app!=web", None, pod()),
        (".spec.ip=10.0.0.1", pod(), None),
        (".spec.ok=true .spec.port>8000 .spec.containers[*].image=b .spec.containers[0].image=a", pod(), None),
        (".spec.ip", pod(), None),
        (".spec.absent", None, pod()),
        (".spec.containers[0].image=b", None, pod()),
        ('"web 1"', None, pod()),
        ('"web-*"', None, pod()),
    ],
)
def test_a_filter_picks_rows(q: str, yes: Row | None, no: Row | None) -> None:
    query = parse(q)
    assert query.problems == ()
    if yes is not None:
        assert query.matches(yes, NOW)
    if no is not None:
        assert not query.matches(no, NOW)


@pytest.mark.parametrize(
    ("q", "marked", "expected"),
    [
        ("restarts>", "", "Write a number after >."),
        ("web restarts>many", "many", "Write a number after >."),
        ("restarts>1,2", "1,2", "Write a number"),
        ("age<soon", "soon", "an age such as 90s"),
        ("age=1h", "=", "Compare age with <, <=, > or >=, as in age<1h."),
        ("node-status=x", "node-status", "Did you mean"),
        ("colour=red", "colour", "Did you mean the label, label:colour=red? A filter may name namespace, name, ready"),
        ("!status=Running", "!", "Write a dash before what you do not want"),
        ("(status=Running)", "(status=Running)", "write one of several values as status=Running,Error."),
        ("(ns=a OR ns=b)", "(ns=a OR ns=b)", "write one of several values as status=Running,Error."),
        ("-((a) b)", "-((a) b)", "A filter has no brackets."),
        ("name=~^web", "~^web", "A filter has no regular expressions. Write * for any characters, as in name=web-*."),
        ("label:a=~b", "~b", "A filter has no regular expressions."),
        ("status=Running OR x", "OR", "Write one of several values as status=Running,Error."),
        ("x && y", "&&", "All parts of a filter must match anyway"),
        ("NOT x", "NOT", "Write a dash"),
        ("status = Running", "=", "right before the sign, without a space"),
        ("=red", "=", "Write the name of a column"),
        ("status>Running", ">", "Compare status with = or !="),
        ('"open', '"open', "closing quotation mark"),
        ('""', '""', "Write a word"),
        ("web -", "-", "Write a word"),
        ("label:=x", "", "Write a label's name"),
        ("label:a b label:/x=1", "/x", "Write a label's name"),
        ("label:a>1", ">", "Compare a label with = or !="),
        (".a[x]=1", "[x]", "Write a position, a star or a condition"),
        (".a..b=1", "..b", "Write a name between the dots"),
        (".a[?(@.type=1", "[?(@.type", "Write a closing bracket"),
        (".a>b", "b", "Write a number"),
        ("status:Running", "status:Running", "Write status=Running"),
    ],
)
def test_a_mistake_is_marked_with_what_was_expected(q: str, marked: str, expected: str) -> None:
    query = parse(f"good {q} status=Running" if '"open' not in q else q)
    (problem,) = query.problems
    assert query.input_text[problem.start : problem.end] == marked
    assert expected in problem.message
    assert is_sentence(problem.message)
    assert "open" in q or {str(term) for term in query.terms} >= {"good", "status=Running"}


def test_brackets_that_are_not_closed_go_to_the_end_and_those_between_quotation_marks_are_names() -> None:
    query = parse("good (ns=a OR web")
    assert ([problem.end for problem in query.problems], query.canonical) == ([len("good (ns=a OR web")], "good")
    assert query.namespaces == ()
    assert parse('"(a" b').problems == ()
    assert parse('name="~a"').problems == ()


def test_two_signs_are_one_as_kubectl_has_it_and_what_begins_with_one_is_quoted() -> None:
    assert parse("status==Running label:app==web").canonical == "status=Running label:app=web"
    assert parse('status="=x"').canonical == 'status="=x"'
    assert parse('"OR" "!"').problems == ()


@pytest.mark.parametrize(
    ("param", "text", "meant"),
    [
        ("sort", "restart", "Did you mean restarts?"),
        ("sort", "restarts desc", "Did you mean -restarts?"),
        ("sort", "-restarts asc", "Did you mean restarts?"),
        ("sort", "restarts,age", "Did you mean restarts?"),
        ("columns", "statsu", "Did you mean status?"),
        ("namespace", "Shop", "Did you mean shop?"),
    ],
)
def test_what_is_nearly_right_in_the_address_is_named(param: str, text: str, meant: str) -> None:
    (problem,) = parse("", **{param: text}).problems
    assert meant in problem.message
    assert is_sentence(problem.message)


def test_kinds_without_namespace_say_so() -> None:
    assert "Nodes belong to no namespace" in parse("ns=a", "nodes").problems[0].message
    query = parse("", "nodes", namespace="a")
    assert query.namespaces == ()
    assert "Nodes belong to no namespace" in query.problems[0].message


def test_malformed_parameters_are_reported_and_left_out() -> None:
    query = parse("", sort="-colour", page="minus one", namespace="shop,No Good", columns="name,colour")
    assert [problem.param for problem in query.problems] == ["namespace", "sort", "page", "columns"]
    assert query == Query(key="pods", namespaces=("shop",), columns=("name",))
    assert parse("", page="0").problems
    assert parse("", page="9" * 400).problems
    assert parse("", page="٣").problems
    assert parse("x" * 5000).problems[-1].start == 2000
    assert "first 50" in parse(" ".join(f"w{i}" for i in range(60))).problems[0].message


def test_namespaces_in_the_filter_move_into_the_address() -> None:
    query = parse("ns=b,a web", namespace="c")
    assert query.namespaces == ("a", "b")
    assert query.href() == "/resources/pods/?namespace=a,b&q=web"
    assert query.matches(pod(namespace="a"), NOW)
    assert not query.matches(pod(namespace="c"), NOW)


def test_equal_states_have_equal_addresses() -> None:
    one = Query.parse(QueryDict("q=web+status!%3DRunning++restarts%3E3&namespace=b&namespace=a&sort=&page=1"), "pods")
    two = Query.parse(QueryDict("page=&namespace=a,b&q=restarts%3E3+-status%3DRunning+web+web"), "pods")
    assert one == two
    assert hash(one) == hash(two)
    assert one.href() == two.href()
    assert parse("status=A,B").href() == parse("status=B,A,B").href()
    assert parse("", "events", sort="last-seen") == parse("", "events")


def test_links_lead_to_the_neighbouring_states() -> None:
    query = parse("web", sort="name", page="3", namespace="a")
    assert query.with_(page=4).href() == "/resources/pods/?namespace=a&q=web&sort=name&page=4"
    assert query.with_sort("name").href() == "/resources/pods/?namespace=a&q=web&sort=-name"
    assert query.with_sort("age").sort == ("age", False)
    assert [query.with_sort(column).sort[1] for column in ("cpu", "memory", "restarts", "node")] == [True] * 3 + [False]
    assert not query.with_sort("cpu").with_sort("cpu").sort[1]
    assert query.hidden_inputs == (("namespace", "a"), ("sort", "name"))
    one = query.with_status("Running")
    two = one.with_status("CrashLoopBackOff")
    assert two.canonical == "web status=CrashLoopBackOff,Running"
    assert two.statuses == {"running", "crashloopbackoff"}
    assert two.with_status("running").canonical == "web status=CrashLoopBackOff"
    assert one.with_status("Running").canonical == "web"
    assert not two.matches(pod("web", namespace="a", status="Pending"), NOW)
    assert two.without_statuses().matches(pod("web", namespace="a", status="Pending"), NOW)
    assert not two.without_statuses().matches(pod("db", namespace="a"), NOW)


@pytest.mark.parametrize("key", KINDS)
def test_every_kind_has_columns_that_can_be_filtered_and_sorted(key: str) -> None:
    for column in columns_for(key):
        query = parse(f"{column.id}=", key, sort=f"-{column.id}")
        assert query.problems == ()
        assert query.sort == (column.id, True)


def names(rows: list[Row], sort: str) -> list[str]:
    query = parse("", sort=sort)
    assert query.problems == ()
    return [row.name for row in sorted(rows, key=query.sort_key)]


@pytest.mark.parametrize("order", ["text", "natural", "ip", "fraction", "number", "age"])
def test_descending_is_ascending_the_other_way_round(order: Order) -> None:
    rng = random.Random(order)
    texts = ["", "a", "ab", "abc", "b", "a1", "a10", "a9", "a9b", "9", "10", "é", "\U0001f600", "1/2", "2/4", "50%",
             "10.0.0.9", "10.0.0.10", "::1", *("".join(rng.choices("ab01/.-", k=5)) for _ in range(200))]  # fmt: skip
    numbers = [0, 1, -1, 0.5, 1.8e9, *(rng.uniform(-9, 9) for _ in range(50))]
    keys = [sort_value(order, value) for value in (numbers if order in {"number", "age"} else texts)]
    for one in keys:
        for other in keys:
            assert (one < other) == (descending_key(one) > descending_key(other))


def test_sorting_goes_by_value_and_leaves_what_is_missing_at_the_end() -> None:
    rows = [
        pod("a", restarts=10, ip="10.0.0.10", node="node-10", ready="1/2", age=NOW - 10),
        pod("b", restarts=9, ip="10.0.0.9", node="node-9", ready="2/2", age=NOW - 9),
        pod("c", restarts=100, ip="fe80::1", node=None, ready="0/3", age=NOW - 100),
        pod("d", restarts=9, ip=None, node="node-9", ready="1/2", age=NOW - 8),
    ]
    assert names(rows, "restarts") == ["b", "d", "a", "c"]
    assert names(rows, "-restarts") == ["c", "a", "b", "d"]
    assert names(rows, "ip") == ["b", "a", "c", "d"]
    assert names(rows, "-ip") == ["c", "a", "b", "d"]
    assert names(rows, "node") == ["b", "d", "a", "c"]
    assert names(rows, "-node") == ["a", "b", "d", "c"]
    assert names(rows, "ready") == ["c", "a", "d", "b"]
    assert names(rows, "age") == ["d", "b", "a", "c"]
    assert names(rows, "-age") == ["c", "a", "b", "d"]


@pytest.mark.parametrize("digits", ["9" * 5000, "٣" * 5000], ids=["ascii", "arabic"])
def test_a_name_may_hold_more_digits_than_python_reads(digits: str) -> None:
    """int() refuses more than 4,300; an event about an object of any name can be made by anybody."""
    long, short, shorter = f"node-{digits}", "node-10", f"node-{digits[:-1]}"
    assert sorted([long, short, shorter], key=natural_key) == [short, shorter, long]


@pytest.mark.parametrize("sort", ["node", "-node"])
def test_an_order_compares_the_beginning_of_a_long_text(sort: str) -> None:
    same = "x" * MAX_SORTED_LENGTH
    rows = [pod("a", node=f"{same}2"), pod("b", node=f"{same}1"), pod("c", node=f"a{same}")]
    assert names(rows, sort) == (["c", "a", "b"] if sort == "node" else ["a", "b", "c"])


def test_numbers_in_names_compare_by_value_in_any_script() -> None:
    rows = [pod("a", node="n٣"), pod("b", node="n10"), pod("c", node="n02"), pod("d", node="n0"), pod("e", node="nx")]
    assert names(rows, "node") == ["d", "c", "a", "b", "e"]


def test_wildcards_take_time_with_the_length_of_the_text_only() -> None:
    """A regular expression would try the pieces at every place: hours for one row, and the loop serves everybody."""
    pattern = Pattern(("", *["e"] * 40, "!"))
    text = "e" * 200_000
    assert not pattern.matches(text)
    assert pattern.matches(text + "!")
    assert not Pattern(("", *["ee"] * 20, "x", "")).matches(text)


@pytest.mark.slow
def test_wildcards_mean_what_a_regular_expression_would() -> None:
    rng = random.Random(11)
    for _ in range(5000):
        pieces = tuple("".join(rng.choices("abA\n.", k=rng.randrange(3))) for _ in range(rng.randrange(2, 5)))
        text = "".join(rng.choices("abB\n.", k=rng.randrange(7)))
        meant = re.fullmatch(".*".join(map(re.escape, pieces)), text, re.DOTALL | re.IGNORECASE) is not None
        assert Pattern(pieces).matches(text) is meant, (pieces, text)


def test_time_alone_moves_rows_and_says_when() -> None:
    query = parse("age<1h")
    row = pod(age=NOW - 3000)
    assert query.is_time_dependent
    assert query.matches(row, NOW)
    assert query.next_due(row, NOW) == NOW + 600
    assert not query.matches(row, NOW + 600)
    assert query.next_due(row, NOW + 600) is None
    assert not parse("restarts>1").is_time_dependent


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice('ab-Z0./*,=<>!:"\\ \tß[]') for _ in range(rng.randrange(1, 8)))


def random_patterns(rng: random.Random) -> tuple[Pattern, ...]:
    found = {
        Pattern(tuple(random_text(rng) for _ in range(rng.choice([1, 1, 1, 2, 3])))) for _ in range(rng.randrange(1, 4))
    }
    return tuple(sorted(found, key=lambda pattern: pattern.pieces))


def random_term(rng: random.Random) -> Term:
    negative = rng.random() < 0.3
    kind = rng.randrange(6)
    if kind == 0:
        return WordTerm(random_patterns(rng)[0], negative)
    if kind == 1:
        return LabelTerm(rng.choice(["app", "a.b/c_d"]), rng.choice([None, random_patterns(rng)]), negative)
    if kind == 2:
        return PathTerm(FieldPath(".spec.a[*].b-c[2]"), "=", rng.choice([None, random_patterns(rng)]), negative)
    if kind == 3:
        return ColumnTerm("restarts", 4, "number", rng.choice(["<", "<=", ">", ">="]), (Pattern(("3",)),), negative)
    if kind == 4:
        return ColumnTerm("age", 6, "age", rng.choice(["<", "<=", ">", ">="]), (Pattern(("1h",)),), negative)
    return ColumnTerm("node", 8, "natural", "=", random_patterns(rng), negative)


@pytest.mark.slow
def test_what_is_written_down_reads_back_the_same() -> None:
    rng = random.Random(20261121)
    for _ in range(3000):
        query = Query(key="pods").with_(
            terms=[random_term(rng) for _ in range(rng.randrange(4))],
            namespaces=rng.sample(["a", "b-1", "c"], rng.randrange(3)),
            sort=(rng.choice(["name", "age", "restarts"]), rng.random() < 0.5),
            page=rng.randrange(1, 5),
            columns=tuple(rng.sample(["name", "ip", "status"], rng.randrange(4))),
        )
        found = Query.parse(QueryDict(query.query_string()), "pods")
        assert found.problems == (), query.canonical
        assert found == query, query.canonical
        assert found.href() == query.href()


@pytest.mark.slow
def test_whatever_is_typed_is_answered_without_an_exception() -> None:
    rng = random.Random(7)
    pieces = [
        "label:",
        "-",
        "status",
        "restarts",
        "age",
        "ns",
        ".spec",
        "=",
        "<",
        ">",
        "!=",
        '"',
        "\\",
        " ",
        "*",
        ",",
        "x",
        "1h",
    ]
    for _ in range(5000):
        query = parse("".join(rng.choice(pieces) for _ in range(rng.randrange(12))))
        query.matches(pod(), NOW)
        again = parse(query.canonical)
        assert again.terms == query.terms, query.input_text
        for problem in query.problems:
            assert 0 <= problem.start <= problem.end <= len(query.input_text)
            assert problem.message
