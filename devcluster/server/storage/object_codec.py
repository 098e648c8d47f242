"""Stored objects: conversion from a plain dict to a record with its JSON, labels and selectable fields, and back."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec

from devcluster.server.kinds import Kind
from devcluster.server.storage.selectable_fields import selectable_values
from devcluster.server.storage.store import Record

Object = dict[str, Any]
"""A decoded Kubernetes object."""

_META_ORDER = (
    "name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers",
    "managedFields",
)  # fmt: skip


def decode(record: Record) -> Object:
    """A new dict of the whole object."""
    decoded: Object = msgspec.json.decode(record.raw)
    return decoded


def encode(obj: Object, kind: Kind, revision: int) -> Record:
    """The record of an object at `revision`, which becomes its resourceVersion."""
    metadata = {**obj["metadata"], "resourceVersion": str(revision)}
    return make_record({**obj, "metadata": metadata}, kind, revision)


def make_record(obj: Object, kind: Kind, revision: int) -> Record:
    """The same without touching the object's resourceVersion."""
    metadata = obj["metadata"]
    return Record(
        key=(metadata.get("namespace", ""), metadata["name"]),
        uid=metadata["uid"],
        revision=revision,
        raw=msgspec.json.encode(order_members(obj, kind)),
        labels=metadata.get("labels") or {},
        fields=selectable_values(obj, kind),
        owners=tuple(owner["uid"] for owner in metadata.get("ownerReferences") or ()),
        deleting="deletionTimestamp" in metadata,
    )


def order_members(obj: Object, kind: Kind) -> Object:
    """The object with kind, apiVersion and metadata first, metadata in the usual order and without empty maps."""
    old = obj["metadata"]
    metadata = {key: old[key] for key in _META_ORDER if old.get(key) not in (None, {}, [], "")}
    rest = {key: value for key, value in obj.items() if key not in ("kind", "apiVersion", "metadata")}
    return {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata, **rest}


def with_revision(record: Record, revision: int) -> Record:
    """The same state under another resource version, as a deletion's last word carries it.

    The first text of that form is the object's own version: metadata comes first, and only names come before it.
    """
    before, after = (b'"resourceVersion":"%d"' % number for number in (record.revision, revision))
    return dataclasses.replace(record, revision=revision, raw=record.raw.replace(before, after, 1))


def compact_json(obj: Object) -> str:
    """The object as compact JSON with sorted keys, as Go prints it in messages."""
    return msgspec.json.encode(obj, order="sorted").decode()
