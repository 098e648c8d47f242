"""Objects of a real cluster whose names, labels, fields and messages are marks: texts that occur nowhere else."""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Any

from dashboard.objects.kinds.catalog import KINDS
from informerd.resource import Resource
from informerd.rest.client import Client

Json = dict[str, Any]

MARK = re.compile(r"zq[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
"""A mark, or a uid: nobody guesses one, so it tells of its object as well."""
_TAG = re.compile(r"<[^<>]*>")

PODS, CONFIG_MAPS, SECRETS, EVENTS = "pods", "configmaps", "secrets", "events"
DEPLOYMENTS, REPLICA_SETS = "deployments.apps", "replicasets.apps"
MYDEMOS, LEASES = "mydemos.crddemo.k8s.io", "leases.coordination.k8s.io"
NODES, NAMESPACES, VOLUMES = "nodes", "namespaces", "persistentvolumes"
MOST_DELETED = 60
"""Deleted objects that are looked for: the last ones. The feed forgets the others in time, too."""
NAMESPACED = (PODS, CONFIG_MAPS, SECRETS, DEPLOYMENTS, REPLICA_SETS, MYDEMOS, LEASES, EVENTS)
CLUSTER_SCOPED = (NODES, NAMESPACES, VOLUMES)
ALL_KINDS = (*NAMESPACED, *CLUSTER_SCOPED)
OWNERS = MappingProxyType({REPLICA_SETS: DEPLOYMENTS, PODS: REPLICA_SETS})
"""Kinds whose objects have a controller, and its kind."""


@dataclass(eq=False)
class MarkedObject:
    """An object, also after its deletion."""

    key: str
    namespace: str
    """Empty where the kind has none."""
    name: str
    uid: str
    marks: set[str] = field(default_factory=set)
    """Every mark that ever stood in it, its name and its uid included."""
    hidden_text: str = ""
    """A Secret's value: no list shows it to anybody."""
    message: str = ""
    """The mark in an Event's message."""
    subject: MarkedObject | None = None
    """The object that an Event is about."""
    owner: MarkedObject | None = None
    """Its controller."""
    is_marked: bool = True
    """Whether it was made here; else it was there, and of marks it has its uid only."""
    is_deleted: bool = False
    is_going: bool = False
    """Whether its deletion was asked for, and waits for ever until what it owns is orphaned: nobody does that here."""
    version: str = ""
    """The resourceVersion; empty where the cluster itself may change it."""

    @property
    def address(self) -> str:
        return f"/resources/{self.key}/{self.namespace or '-'}/{self.name}/"

    @property
    def open_parameter(self) -> str:
        return f"{self.namespace or '-'}/{self.name}"

    def __repr__(self) -> str:
        return f"{self.key} {self.namespace}/{self.name}"


def marks_in(text: str) -> set[str]:
    """The marks in a text, those too that markup interrupts."""
    found = set(MARK.findall(text))
    return found | set(MARK.findall(_TAG.sub("", text))) if "<" in text else found


def resource_of(key: str) -> Resource:
    return KINDS[key].resource


def _owned_by(owner: MarkedObject) -> Json:
    resource = resource_of(owner.key)
    named = {"apiVersion": resource.api_version, "kind": resource.kind, "name": owner.name}
    return {"ownerReferences": [{**named, "uid": owner.uid, "controller": True}]}


class MarkedObjects:
    """All that were made, and what they are made with."""

    def __init__(self, client: Client, random: Random) -> None:
        self.client = client
        self._random = random
        self.objects: list[MarkedObject] = []
        self.by_mark: dict[str, MarkedObject] = {}
        """The object that has a mark as its name, uid or a text of its own."""
        self._forgotten: set[str] = set()
        """Marks of objects that were forgotten: others may name these still."""
        self.changed: list[MarkedObject] = []
        """What `change_some` has made or changed the last time."""

    def mark(self) -> str:
        return f"zq{self._random.getrandbits(32):08x}"

    def of(self, *keys: str, namespace: str | None = None, deleted: bool = False) -> list[MarkedObject]:
        return [
            each
            for each in self.objects
            if each.key in keys
            and (namespace is None or each.namespace == namespace)
            and (deleted or not each.is_deleted)
        ]

    @property
    def namespaces(self) -> list[str]:
        """The names of those that were made here."""
        return [each.name for each in self.of(NAMESPACES) if each.is_marked]

    @property
    def all_namespaces(self) -> list[str]:
        return [each.name for each in self.of(NAMESPACES)]

    async def note_existing(self) -> None:
        """Take in what the cluster has of these kinds by itself. Of marks it has uids only."""
        for key in ALL_KINDS:
            for stored in json.loads((await self.client.list(resource_of(key))).body)["items"]:
                metadata = stored["metadata"]
                found = MarkedObject(
                    key, metadata.get("namespace", ""), metadata["name"], metadata["uid"], is_marked=False
                )
                self._note(found, stored)
                self.objects.append(found)

    async def fill(self, namespaces: int = 4, nodes: int = 2) -> None:
        """A cluster of so many namespaces, with some objects of each kind in each."""
        await self.note_existing()
        await self._all(self.create(NAMESPACES) for _ in range(namespaces))
        await self._all(self.create(NODES) for _ in range(nodes))
        await self._all(self.create(VOLUMES) for _ in range(2))
        for keys in ((CONFIG_MAPS, SECRETS, DEPLOYMENTS, LEASES, MYDEMOS), (REPLICA_SETS,), (PODS, PODS)):
            await self._all(self.create(key, name) for key in keys for name in self.namespaces for _ in range(2))
        await self._all(self._begin_deletion(name) for name in self.namespaces)
        await self._all(self.create(EVENTS, name) for name in self.namespaces for _ in range(5))
        await self._all(
            self.create(EVENTS, "default", subject=each) for each in self.of(*CLUSTER_SCOPED) if each.is_marked
        )

    async def create(
        self, key: str, namespace: str = "", *, name: str = "", subject: MarkedObject | None = None
    ) -> MarkedObject:
        """Make an object that refers to others of its namespace; an Event about `subject`, or about any of those."""
        if key == EVENTS and subject is None:
            others = [each for each in self.objects if each.namespace == namespace and each.key != EVENTS]
            subject = self._random.choice(others)
        name = name or (f"{subject.name}.{self.mark()}" if subject is not None else self.mark())
        metadata: Json = {"labels": {"app": self.mark()}, "annotations": {"note": self.mark()}}
        owner = self._random.choice(self.of(OWNERS[key], namespace=namespace)) if key in OWNERS else None
        body = {**self._body(key, namespace, subject), "apiVersion": resource_of(key).api_version}
        body["kind"] = resource_of(key).kind
        body["metadata"] = {**(_owned_by(owner) if owner is not None else {}), **metadata, "name": name}
        value = self.mark()
        if key == SECRETS:
            body["data"] = {"password": b64encode(value.encode()).decode()}
        stored = json.loads((await self.client.create(resource_of(key), body, namespace)).body)
        made = MarkedObject(key, namespace, name, stored["metadata"]["uid"], subject=subject, owner=owner)
        made.message = str(body.get("message", "")).rpartition(" ")[2]
        made.hidden_text = body["data"]["password"] if key == SECRETS else ""
        self._note(made, stored)
        self.objects.append(made)
        return made

    async def relabel(self, each: MarkedObject) -> str:
        """Give an object another label, which is returned."""
        label = self.mark()
        patch = {"metadata": {"labels": {"app": label}}}
        answer = await self.client.patch(resource_of(each.key), each.name, each.namespace, patch)
        self._note(each, json.loads(answer.body))
        return label

    async def delete(self, each: MarkedObject) -> None:
        await self.client.delete(resource_of(each.key), each.name, each.namespace, grace_period=0)
        each.is_deleted = True

    async def change_some(self) -> list[MarkedObject]:
        """Make, relabel and delete some objects. Returns, and keeps as `changed`, those that were made or changed."""
        random = self._random
        kinds = random.sample([PODS, CONFIG_MAPS, MYDEMOS, EVENTS, EVENTS, SECRETS, DEPLOYMENTS, REPLICA_SETS], 3)
        made = [await self.create(key, random.choice(self.namespaces)) for key in kinds]
        marked = [
            each for each in self.of(PODS, CONFIG_MAPS, MYDEMOS, DEPLOYMENTS, NODES, NAMESPACES) if each.is_marked
        ]
        changed = random.sample(marked, 3)
        for each in changed:
            await self.relabel(each)
        for key in {each.key for each in made}:
            await self.delete(random.choice(self._superfluous(key)))
        self._forget_oldest()
        self.changed = [each for each in (*made, *changed) if not each.is_deleted]
        return self.changed

    def _forget_oldest(self) -> None:
        """Forget the objects that were deleted first, with their marks, which the feed may still have. Those that an
        Event is about are kept.
        """
        subjects = {each.subject for each in self.objects}
        deleted = [each for each in self.objects if each.is_deleted and each not in subjects]
        for each in deleted[:-MOST_DELETED]:
            self.objects.remove(each)
            self._forgotten |= {mark for mark, owner in self.by_mark.items() if owner is each}
        self.by_mark = {mark: owner for mark, owner in self.by_mark.items() if mark not in self._forgotten}

    async def _begin_deletion(self, namespace: str) -> None:
        """Delete a ReplicaSet that owns pods, so that these stay: the page of its progress says how many there are."""
        going = self._random.choice([each.owner for each in self.of(PODS, namespace=namespace) if each.owner])
        resource = resource_of(going.key)
        await self.client.delete(resource, going.name, namespace, propagation_policy="Orphan")
        going.is_going = True
        self._note(going, json.loads((await self.client.get(resource, going.name, namespace)).body))

    def _superfluous(self, key: str) -> list[MarkedObject]:
        """Objects of a kind of whose namespace there are others, so that what is made can refer to one."""
        marked = [each for each in self.of(key) if each.is_marked and not each.is_going]
        return [each for each in marked if sum(other.namespace == each.namespace for other in marked) > 1]

    async def remove(self) -> None:
        """Delete all that was made: a namespace's content stays, and is named nowhere else."""
        await self._all(self.delete(each) for each in self.of(*ALL_KINDS) if each.is_marked)
        for each in self.of(REPLICA_SETS, NAMESPACES, VOLUMES, deleted=True):  # no controller takes finalizers away
            if each.is_marked and each.key == NAMESPACES:
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": each.name}}
                await self.client.request("PUT", f"/api/v1/namespaces/{each.name}/finalize", body=body)
            elif each.is_going or (each.is_marked and each.key == VOLUMES):
                nothing = {"metadata": {"finalizers": None}}
                await self.client.patch(resource_of(each.key), each.name, each.namespace, nothing)

    def _note(self, each: MarkedObject, stored: Json) -> None:
        stored["metadata"].pop("managedFields", None)
        each.version = stored["metadata"]["resourceVersion"] if each.is_marked else ""
        found = set(MARK.findall(json.dumps(stored)))
        each.marks |= found
        for mark in found - self._forgotten:
            self.by_mark.setdefault(mark, each)

    def _body(self, key: str, namespace: str, subject: MarkedObject | None) -> Json:
        if key == EVENTS:
            assert subject is not None
            return self._event(subject)
        plain: dict[str, Json] = {
            CONFIG_MAPS: {"data": {"text": self.mark()}},
            SECRETS: {},
            LEASES: {"spec": {"holderIdentity": self.mark(), "leaseDurationSeconds": 15}},
            MYDEMOS: {"spec": {"ip": "10.0.0.1", "port": 8080}},
            NODES: {},
            NAMESPACES: {},
        }
        if key in plain:
            return plain[key]
        if key == VOLUMES:
            volume = {"accessModes": ["ReadWriteOnce"], "hostPath": {"path": f"/{self.mark()}"}}
            return {"spec": {**volume, "capacity": {"storage": "1Gi"}}}
        pod = {"containers": [{"name": "main", "image": f"{self.mark()}:1"}]}
        if key != PODS:
            app = {"app": self.mark()}
            template = {"metadata": {"labels": app}, "spec": pod}
            return {"spec": {"replicas": 1, "selector": {"matchLabels": app}, "template": template}}
        return {"spec": {**pod, **self._pod_references(namespace)}}

    def _pod_references(self, namespace: str) -> Json:
        """The fields of a pod that name a node, a ConfigMap and a Secret."""
        choose = self._random.choice
        node, config_map, secret = (
            choose(self.of(NODES)),
            choose(self.of(CONFIG_MAPS, namespace=namespace)),
            choose(self.of(SECRETS, namespace=namespace)),
        )  # fmt: skip
        volumes = [
            {"name": "config", "configMap": {"name": config_map.name}},
            {"name": "secret", "secret": {"secretName": secret.name}},
        ]
        return {"nodeName": node.name, "volumes": volumes}

    def _event(self, subject: MarkedObject) -> Json:
        resource = resource_of(subject.key)
        about = {"apiVersion": resource.api_version, "kind": resource.kind, "name": subject.name, "uid": subject.uid}
        if subject.namespace:
            about["namespace"] = subject.namespace
        kind = self._random.choice(["Warning", "Warning", "Normal"])
        return {"involvedObject": about, "type": kind, "reason": f"R{self.mark()}", "message": f"it is {self.mark()}"}

    async def _all(self, calls: Iterable[Any]) -> None:
        await asyncio.gather(*calls)

    def __iter__(self) -> Iterator[MarkedObject]:
        return iter(self.objects)
