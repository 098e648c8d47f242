"""Reader of the API server's audit log: what accounts did, which was refused, and which of their rights they used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
FLAGS = ("--audit-policy-file=audit-policy.json", "--audit-log-path=audit.log", "--audit-log-mode=blocking")
IMPERSONATE_ON = "impersonate-on:user-info:"


def write_policy(folder: Path) -> None:
    """To be called before an API server with FLAGS starts in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    rules = [
        {"level": "Metadata", "userGroups": ["system:serviceaccounts"], "omitStages": ["RequestReceived"]},
        {"level": "None"},
    ]
    policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules}
    (folder / "audit-policy.json").write_text(json.dumps(policy))


class Right(NamedTuple):
    """A verb on a resource (with its API group), or on an address."""

    verb: str
    group: str
    resource: str


class Request(NamedTuple):
    """A request of an account, maybe in the name of somebody else."""

    account: str
    right: Right
    namespace: str
    name: str
    code: int
    person: Json | None
    line: str


def requests_in(log: Path, begin: int = 0) -> Iterator[Request]:
    """The requests after the byte `begin` of a log: when they were answered, watches also when they began."""
    for line in log.read_bytes()[begin:].decode().splitlines():
        event = json.loads(line)
        subject = event.get("objectRef", {})
        resource = "/".join(filter(None, (subject.get("resource"), subject.get("subresource"))))
        address = event["requestURI"].partition("?")[0]
        yield Request(
            account=event["user"]["username"].rpartition(":")[2],
            right=Right(event["verb"], subject.get("apiGroup", ""), resource or address),
            namespace=subject.get("namespace", ""),
            name=subject.get("name", ""),
            code=event.get("responseStatus", {}).get("code", 0),
            person=event.get("impersonatedUser"),
            line=line,
        )


def rights_used(requests: Iterable[Request]) -> set[Right]:
    """The rights that these requests needed: of the account itself where it acted for itself, else to impersonate."""
    used = set()
    for request in requests:
        if request.person is None:
            used.add(request.right)
            continue
        used.add(request.right._replace(verb=IMPERSONATE_ON + request.right.verb))
        for part, resource in (("username", "users"), ("groups", "groups"), ("uid", "uids")):
            if request.person.get(part):
                used.add(Right("impersonate:user-info", "authentication.k8s.io", resource))
                group = "authentication.k8s.io" if resource == "uids" else ""
                used.add(Right("impersonate", group, resource))
    return used


def granted(rules: Iterable[Json]) -> set[Right]:
    """What rules give, with their wildcards as they are."""
    found = set()
    for rule in rules:
        for verb in rule["verbs"]:
            found |= {Right(verb, "", url) for url in rule.get("nonResourceURLs", ())}
            found |= {
                Right(verb, group, each) for group in rule.get("apiGroups", ()) for each in rule.get("resources", ())
            }
    return found


def is_used(right: Right, used: set[Right]) -> bool:
    """Whether one of the `used` rights is given by `right`."""
    return any(
        right.verb == each.verb
        and right.group in ("*", each.group)
        and (right.resource in ("*", each.resource) or _is_below(each.resource, right.resource))
        for each in used
    )


def _is_below(address: str, pattern: str) -> bool:
    return pattern.endswith("/*") and address.startswith(pattern[:-1])
