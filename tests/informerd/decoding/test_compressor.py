"""Tests of compression with a dictionary of the objects' kind."""

from __future__ import annotations

import threading

import msgspec
import pytest
import zstandard

from informerd.decoding.compressor import MAX_SAMPLE_BYTES, MAX_SAMPLES, Compressor
from informerd.objects import Blob
from informerd.zstd_dictionaries import Dictionary, dictionary_id, train_dictionary
from tests.support.scripted_api_server import pod


def pods(count: int) -> list[bytes]:
    return [msgspec.json.encode(pod(f"web-{number}", str(number), uid=f"{number:032x}")) for number in range(count)]


def packed(count: int) -> list[Blob]:
    packer = Compressor()
    return [packer.compress(raw) for raw in pods(count)]


def test_whatever_was_packed_comes_out_as_it_was() -> None:
    assert [blob.json() for blob in packed(MAX_SAMPLES + 50)] == pods(MAX_SAMPLES + 50)


def test_once_trained_objects_take_less_than_half_and_name_their_dictionary() -> None:
    blobs = packed(MAX_SAMPLES + 1)
    assert len(blobs[-1].data) < len(blobs[0].data) / 2
    assert blobs[0].dictionary is None
    assert blobs[-1].dictionary is not None
    assert dictionary_id(blobs[-1].data) == blobs[-1].dictionary.id != 0 == dictionary_id(blobs[0].data)


def test_another_process_unpacks_with_the_dictionarys_bytes_and_not_without() -> None:
    blob = packed(MAX_SAMPLES + 1)[-1]
    assert blob.dictionary is not None
    assert Dictionary(blob.dictionary.data).decompress(blob.data) == blob.json()
    with pytest.raises(zstandard.ZstdError):
        Blob(blob.data).json()


def test_few_objects_get_no_dictionary() -> None:
    assert train_dictionary(pods(3)) is None
    assert packed(MAX_SAMPLES - 1)[-1].dictionary is None


def test_large_objects_before_them_do_not_keep_a_kind_from_its_dictionary() -> None:
    packer = Compressor()
    large = [bytes([number]) * MAX_SAMPLE_BYTES for number in range(4)]
    assert [packer.compress(raw).json() for raw in large] == large
    blobs = [packer.compress(raw) for raw in pods(MAX_SAMPLES + 1)]
    assert packer.dictionary is not None
    assert blobs[-1].dictionary is packer.dictionary


def test_objects_with_nothing_in_common_are_packed_without_a_dictionary() -> None:
    packer = Compressor()
    raws = [bytes([number % 256, number // 256]) for number in range(MAX_SAMPLES + 1)]
    blobs = [packer.compress(raw) for raw in raws]
    assert packer.dictionary is None
    assert [blob.json() for blob in blobs] == raws


def test_any_thread_may_unpack() -> None:
    blobs = packed(MAX_SAMPLES + 200)
    wanted = pods(MAX_SAMPLES + 200)
    wrong: list[object] = []

    def read() -> None:
        try:
            wrong.extend(raw for blob, raw in zip(blobs, wanted, strict=True) if blob.json() != raw)
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
