"""SubjectAccessReviews, asked as an administrator: the API server's own authorizer says what somebody may do."""

from __future__ import annotations

import json

from dashboard.access.person import Person
from informerd.resource import Resource
from informerd.rest.client import Client
from tests.support.access.marked_objects import resource_of

PATH = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


class AccessReviews:
    """What one person may do."""

    def __init__(self, client: Client, person: Person) -> None:
        self._client = client
        self._person = person
        self._answers: dict[tuple[str, str, str, str, str], bool] = {}

    async def allows(
        self, verb: str, kind: str | Resource, namespace: str = "", name: str = "", *, subresource: str = ""
    ) -> bool:
        """Whether the API server would let them. Each question is asked once."""
        resource = resource_of(kind) if isinstance(kind, str) else kind
        question = verb, resource.key, namespace, name, subresource
        if question not in self._answers:
            self._answers[question] = await self._ask(resource, *question)
        return self._answers[question]

    async def _ask(self, resource: Resource, verb: str, _: str, namespace: str, name: str, subresource: str) -> bool:
        attributes = {
            "verb": verb, "group": resource.group, "version": resource.version, "resource": resource.plural,
            "namespace": namespace, "name": name, "subresource": subresource,
        }  # fmt: skip
        who = {"user": self._person.name, "groups": [*self._person.groups, "system:authenticated"]}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {**who, "resourceAttributes": attributes},
        }
        answer = await self._client.request("POST", PATH, body=review)
        return bool(json.loads(answer.body)["status"]["allowed"])
