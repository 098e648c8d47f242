"""Tests of objects: their full copies."""

from __future__ import annotations

import msgspec
import pytest

from informerd.decoding.decoder import Decoder
from informerd.errors import MalformedAnswer
from informerd.objects import Object, ObjectMeta
from informerd.resource import PODS
from tests.support.scripted_api_server import pod


def test_the_full_copy_is_a_new_dict_each_time() -> None:
    obj = Decoder(PODS, Object).decode(msgspec.json.encode(pod("a", "1")))
    first, second = obj.full(), obj.full()
    assert first == second == pod("a", "1")
    assert first is not second


def test_an_object_without_a_full_copy_says_so() -> None:
    with pytest.raises(ValueError, match="there is no full copy of default/a"):
        Object(metadata=ObjectMeta(name="a", namespace="default")).full()


def test_a_part_that_was_skipped_and_cannot_be_read_is_told_of_the_object() -> None:
    raw = msgspec.json.encode(pod("a", "1"))[:-1] + b',"note":"\xff"}'
    obj = Decoder(PODS, Object).decode(raw)
    assert obj.key == "default/a"
    with pytest.raises(MalformedAnswer, match="Pod default/a cannot be read whole: "):
        obj.full()
