"""Tests of explanations, which say in plain words which rule of the cluster refused a request, whatever its message."""

from __future__ import annotations

import pytest

from dashboard.objects.problems.write_refusal import refusal_of
from informerd.errors import Status
from informerd.errors.api import error_from_status

MYDEMO = "mydemos.crddemo.k8s.io"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
POLICIES, BINDINGS = f"{ADMISSION}/validatingadmissionpolicies", f"{ADMISSION}/validatingadmissionpolicybindings"


@pytest.mark.parametrize(
    ("code", "message", "title", "words", "field"),
    [
        (403, 'x is forbidden: User "bob" cannot create resource "mydemos" in API group "g" in the namespace "n"',
         "You may not create mydemos.g", "bob has no right to create mydemos.g in namespace n;", ""),
        (403, 'x is forbidden: User "bob" cannot create resource "pods/eviction" in API group "" at the cluster scope',
         "You may not create pods/eviction", "bob has no right to create pods/eviction in the whole cluster;", ""),
        (403, 'x is forbidden: User "" cannot create resource "pods" in API group "" in the namespace "n"',
         "You may not create pods", "The account has no right to create pods in namespace n;", ""),
        (403, 'roles "r" is forbidden: user "bob" (groups=["b"]) is attempting to grant RBAC permissions not held',
         "You may not do this", "The cluster's access rules refused it.", ""),
        (403, 'pods "p" is forbidden: violates PodSecurity "restricted:latest": privileged',
         "The API server refused it", "The namespace's Pod Security standard (restricted:latest) forbids it.", ""),
        (403, 'x is forbidden: unable to create new content in namespace n because it is being terminated',
         "The API server refused it", "The namespace is being deleted:", ""),
        (403, 'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c',
         "The API server refused it", "The quota q of the namespace requires more values to be set.", ""),
        (403, 'pods "p" is forbidden: no PriorityClass with name high was found',
         "The API server refused it", "There is no PriorityClass high.", "spec.priorityClassName"),
        (403, 'pods "p" is forbidden: error looking up service account n/robot: serviceaccount "robot" not found',
         "The API server refused it", "There is no ServiceAccount robot in the namespace n.",
         "spec.serviceAccountName"),
        (403, 'pods "p" is forbidden: pod rejected: RuntimeClass "runsc" not found',
         "The API server refused it", "There is no RuntimeClass runsc.", "spec.runtimeClassName"),
        (403, 'pods "p" is forbidden: PodNodeSelector: conflict', "The API server refused it",
         "A rule of the cluster (admission) refused it.", ""),
        (400, 'admission webhook "w.example.com" denied the request: spec.containers[0].image must not be latest',
         "The API server refused it", "A rule of the cluster (admission) refused it.", "spec.containers[0].image"),
        (500, 'Internal error occurred: failed calling webhook "w.example.com": context deadline exceeded',
         "The API server failed", "The cluster has to ask w.example.com (an admission webhook) first,", ""),
        (404, 'namespaces "n" not found', "The API server refused it", "There is no namespace “n”.",
         "metadata.namespace"),
        (405, "the server does not allow this method on the requested resource", "The API server refused it",
         "The API server does not do this with such objects.", ""),
        (413, "HTTP 413 Request Entity Too Large", "The API server refused it",
         "It is too large for the API server, or for a proxy in front of it.", ""),
        (403, "HTTP 403 Forbidden", "The API server refused it",
         "A Kubernetes API server does not give such an answer", ""),
        (401, "HTTP 401 Unauthorized", "The API server refused it",
         "The API server did not accept the credentials.", ""),
    ],
)  # fmt: skip
def test_a_refusal_says_which_rule_it_was_and_who_may_help(
    code: int, message: str, title: str, words: str, field: str
) -> None:
    refusal = refusal_of(error_from_status(Status(code=code, message=message)))
    [problem] = refusal.problems
    assert refusal.title == title
    assert problem.words.startswith(words)
    assert (problem.field, problem.server_message) == (field, message)


def test_a_word_that_yaml_takes_for_true_is_asked_to_stand_in_quotes() -> None:
    said = "json: cannot unmarshal bool into Go struct field ObjectMeta.name of type string"
    [problem] = refusal_of(error_from_status(Status(code=400, message=said))).problems
    assert (problem.field, problem.words) == (
        "metadata.name", "True or false cannot stand here. A text like this stands in quotes."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            'Internal error occurred: failed calling webhook "w.example.com": Post "https://w.n.svc/": ',
            "The cluster has to ask w.example.com (an admission webhook) first, and its Service w",
        ),
        (
            'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://w.n.svc/": ',
            "A webhook converts objects of this kind between versions (example.com/v1, Kind=Widget), and its Service w",
        ),
    ],
)
def test_a_webhook_that_does_not_exist_is_not_said_to_pass_and_nothing_is_tried_again(message: str, words: str) -> None:
    missing = refusal_of(error_from_status(Status(code=500, message=f'{message}service "w" not found')))
    assert missing.auto_retry_after is None
    assert missing.problems[0].words.startswith(words)
    assert "may pass" not in missing.problems[0].words
    restarting = refusal_of(error_from_status(Status(code=500, message=f"{message}connect: connection refused")))
    assert restarting.auto_retry_after is not None
    assert restarting.problems[0].words.endswith("This may pass: try again.")
