"""Tests of the chain: what is appended verifies, and each kind of tampering is found, with SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.db.models import F

from dashboard.pages.audit.chain import append_entries, cut_entries
from dashboard.pages.audit.entry import Operation, Outcome, canonical, intent_entry, outcome_entry
from dashboard.pages.audit.models import AuditEntry, AuditHead
from dashboard.pages.audit.seal import GENESIS, Sealer
from dashboard.pages.audit.sealed_row import Broken
from dashboard.pages.audit.verify import Report, verify_record
from tests.dashboard.pages.audit.conftest import ANNA, SEALER, SERVER, entries, in_thread, pair, write_pairs

Tamper = Callable[[str], object]


def rows(alias: str, seq: int) -> AuditEntry:
    return AuditEntry.objects.using(alias).get(seq=seq)


def change_content(alias: str) -> None:
    row = rows(alias, 3)
    row.content = row.content.replace("anna", "bob!")
    row.save(using=alias)


def change_column(alias: str) -> None:
    AuditEntry.objects.using(alias).filter(seq=3).update(person="bob")


def forge_without_the_key(alias: str) -> None:
    """Change an entry, and seal it and all after it anew with a key of one's own that has the real one's name."""
    forger, previous = Sealer(["guess"]), rows(alias, 2).hash
    for row in AuditEntry.objects.using(alias).filter(seq__gte=3).order_by("seq"):
        row.content = row.content.replace("anna", "bob!")
        row.previous, row.hash = previous, forger.hash(previous, row.content)
        previous = row.hash
        row.save(using=alias)
    AuditHead.objects.using(alias).update(hash=previous)


def delete_one(alias: str) -> None:
    AuditEntry.objects.using(alias).filter(seq=3).delete()


def delete_one_and_close_the_gap(alias: str) -> None:
    delete_one(alias)
    for seq in range(4, 9):
        AuditEntry.objects.using(alias).filter(seq=seq).update(seq=F("seq") - 1)


def delete_the_oldest(alias: str) -> None:
    AuditEntry.objects.using(alias).filter(seq__lte=2).delete()


def delete_the_newest(alias: str) -> None:
    AuditEntry.objects.using(alias).filter(seq__gte=7).delete()
    last = rows(alias, 6)
    AuditHead.objects.using(alias).update(seq=6, hash=last.hash)


def delete_the_newest_with_the_head(alias: str) -> None:
    AuditEntry.objects.using(alias).filter(seq__gte=7).delete()
    AuditHead.objects.using(alias).all().delete()


def delete_everything_but_the_head(alias: str) -> None:
    AuditEntry.objects.using(alias).all().delete()


def insert_at_the_end(alias: str) -> None:
    row = rows(alias, 8)
    row.seq, row.previous, row.record = 9, row.hash, "f" * 32
    row.content = canonical({**json.loads(row.content), "seq": 9, "record": "f" * 32})
    row.hash = Sealer(["guess"]).hash(row.previous, row.content)
    row.save(using=alias, force_insert=True)
    AuditHead.objects.using(alias).update(seq=9, hash=row.hash)


def insert_past_the_head(alias: str) -> None:
    row = rows(alias, 8)
    row.seq, row.record = 9, "f" * 32
    row.save(using=alias, force_insert=True)


def swap(alias: str) -> None:
    """Two entries take each other's place."""
    for seq, to in ((3, 100), (5, 3), (100, 5)):
        AuditEntry.objects.using(alias).filter(seq=seq).update(seq=to)


def claim_a_cut(alias: str) -> None:
    """Delete the oldest, and change an entry into a checkpoint that says so."""
    first = rows(alias, 3)
    delete_the_oldest(alias)
    content = {**json.loads(rows(alias, 8).content), "type": "checkpoint", "through": 2, "hash": first.previous}
    AuditEntry.objects.using(alias).filter(seq=8).update(type="checkpoint", content=canonical(content))


TAMPERING: dict[Tamper, str] = {
    change_content: "Entry 3 was changed",
    change_column: "Entry 3 was changed: its column person",
    forge_without_the_key: "Entry 3 was changed",
    delete_one: "Entry 3 was removed",
    delete_one_and_close_the_gap: "Entry 3 is not in its place: it was written as entry 4",
    delete_the_oldest: "Entries up to 2 were removed",
    delete_the_newest: "The head of the audit log was changed",
    delete_the_newest_with_the_head: "The head of the audit log is missing",
    delete_everything_but_the_head: "Entries 1 to 8 were removed",
    insert_at_the_end: "Entry 9 was sealed with a key that is not known|Entry 9 was changed, or inserted",
    insert_past_the_head: "Entry 9 was inserted",
    swap: "Entry 3 is not in its place: it was written as entry 5",
    claim_a_cut: "Entry 8 was changed",
}


async def verified(alias: str) -> Report:
    return await in_thread(verify_record, alias, SEALER)


async def test_what_was_appended_verifies(alias: str) -> None:
    assert (await verified(alias)).count == 0
    await in_thread(write_pairs, alias, 1.0, 2.0)
    report = await verified(alias)
    assert (report.count, report.first, report.last, report.unanswered, report.cut_at) == (4, 1, 4, 0, "")
    found = await in_thread(entries, alias)
    assert [each.previous for each in found] == [GENESIS, *(each.hash for each in found[:-1])]
    assert report.last_hash == found[-1].hash


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
async def test_tampering_is_found_and_the_first_entry_named(alias: str, tamper: Tamper) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0, 3.0, 4.0)
    await verified(alias)
    await in_thread(tamper, alias)
    with pytest.raises(Broken, match=TAMPERING[tamper]):
        await verified(alias)


@pytest.mark.parametrize("tamper", [delete_the_newest, delete_the_newest_with_the_head], ids=lambda each: each.__name__)
async def test_entries_that_come_later_do_not_hide_that_the_newest_were_removed(alias: str, tamper: Tamper) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0, 3.0, 4.0)
    await in_thread(tamper, alias)
    await in_thread(write_pairs, alias, 5.0, 6.0)
    with pytest.raises(Broken, match="missing or changed before entry 7"):
        await verified(alias)


async def test_a_cut_of_retention_verifies_and_its_checkpoint_says_when(alias: str) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0, 3.0, 4.0)
    checkpoint = await in_thread(cut_entries, alias, SEALER, 10**9, 2.5, 10.0)
    assert checkpoint is not None
    content = json.loads(checkpoint.content)
    assert (content["through"], content["entries"], content["reason"]) == (4, 4, "age")
    report = await verified(alias)
    assert (report.first, report.last, report.cut_at) == (5, 9, "1970-01-01T00:00:10.000000Z")
    assert await in_thread(cut_entries, alias, SEALER, 10**9, 2.5, 11.0) is None
    await in_thread(write_pairs, alias, 12.0)
    assert (await verified(alias)).last == 11
    await in_thread(lambda alias: AuditEntry.objects.using(alias).filter(seq=5).delete(), alias)
    with pytest.raises(Broken, match="Entries up to 5 were removed"):
        await verified(alias)


async def test_retention_by_size_deletes_the_oldest_until_the_rest_fits(alias: str) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0, 3.0, 4.0)
    head = await in_thread(lambda alias: AuditHead.objects.using(alias).get(), alias)
    checkpoint = await in_thread(cut_entries, alias, SEALER, head.bytes * 6 // 8, 0.0, 10.0)
    assert checkpoint is not None
    assert json.loads(checkpoint.content)["reason"] == "size"
    report = await verified(alias)
    assert 1 < report.first < 5
    left = await in_thread(lambda alias: AuditHead.objects.using(alias).get(), alias)
    found = await in_thread(entries, alias)
    assert left.bytes == sum(len(each.content) + 600 for each in found)


def make_old(alias: str) -> None:
    AuditEntry.objects.using(alias).filter(seq__lte=4).update(at=-1.0)


def make_large(alias: str) -> None:
    AuditHead.objects.using(alias).update(bytes=10**12)


def cut_a_hole(alias: str) -> None:
    AuditEntry.objects.using(alias).filter(seq=2).delete()


@pytest.mark.parametrize("tamper", [make_old, make_large])
async def test_retention_does_not_delete_what_somebody_else_wants_deleted(alias: str, tamper: Tamper) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0, 3.0, 4.0)
    await in_thread(tamper, alias)
    assert await in_thread(cut_entries, alias, SEALER, 10**9, 0.0, 10.0) is None
    assert len(await in_thread(entries, alias)) == 8


async def test_retention_stops_at_an_entry_that_is_missing(alias: str) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0, 3.0, 4.0)
    await in_thread(cut_a_hole, alias)
    checkpoint = await in_thread(cut_entries, alias, SEALER, 10**9, 99.0, 10.0)
    assert checkpoint is not None
    assert json.loads(checkpoint.content)["through"] == 1
    with pytest.raises(Broken, match="Entries up to 2 were removed"):
        await verified(alias)


async def test_all_but_the_last_entry_may_be_too_old(alias: str) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0)
    assert await in_thread(cut_entries, alias, SEALER, 0, 99.0, 10.0) is not None
    report = await verified(alias)
    assert (report.first, report.last) == (4, 5)


async def test_a_former_secret_verifies_what_it_sealed_and_is_asked_for_where_it_is_missing(alias: str) -> None:
    await in_thread(write_pairs, alias, 1.0)
    both = Sealer(["a new secret", "a secret of the tests"])
    await in_thread(append_entries, alias, both, pair(2.0))
    assert (await in_thread(verify_record, alias, both)).count == 4
    with pytest.raises(Broken, match=r"Entry 1 was sealed with a key that is not known.*DELTABOARD_AUDIT_KEY"):
        await in_thread(verify_record, alias, Sealer(["a new secret"]))


async def test_a_part_of_the_record_verifies_by_itself(alias: str) -> None:
    await in_thread(write_pairs, alias, 1.0, 2.0, 3.0, 4.0)
    await in_thread(change_content, alias)
    assert (await in_thread(verify_record, alias, SEALER, 3.0)).first == 5
    assert (await in_thread(verify_record, alias, SEALER, 0.0, 2.0)).last == 2
    with pytest.raises(Broken, match="Entry 3"):
        await in_thread(verify_record, alias, SEALER, 2.0, 3.0)


async def test_an_intent_without_an_outcome_is_counted(alias: str) -> None:
    await in_thread(append_entries, alias, SEALER, pair(1.0)[:1])
    assert (await verified(alias)).unanswered == 1


async def test_an_entry_is_stored_once_and_an_outcome_without_its_intent_is_left_out(alias: str) -> None:
    operation = Operation("update", "pods")
    intent = intent_entry("1" * 32, 1.0, SERVER, ANNA, operation)
    outcome = outcome_entry("1" * 32, 1.0, SERVER, ANNA, operation, Outcome("done"), may_be_stored=True)
    lonely = outcome_entry("2" * 32, 1.0, SERVER, ANNA, operation, Outcome("not sent"), needs_intent=True)
    await in_thread(append_entries, alias, SEALER, [intent, lonely])
    assert len(await in_thread(append_entries, alias, SEALER, [outcome])) == 1
    assert await in_thread(append_entries, alias, SEALER, [outcome]) == ()
    assert [(each.record[0], each.type) for each in await in_thread(entries, alias)] == [
        ("1", "intent"), ("1", "outcome")
    ]  # fmt: skip


async def test_text_that_a_database_refuses_is_stored_and_verifies(alias: str) -> None:
    operation = Operation("patch", "pods", "a\0b", "\ud800" + "x" * 400, options={"a": "\0"})
    await in_thread(append_entries, alias, SEALER, [intent_entry("1" * 32, 1.0, SERVER, ANNA, operation)])
    assert (await verified(alias)).count == 1


async def test_an_outcome_that_came_late_is_no_gap_in_a_part_of_the_record(alias: str) -> None:
    one, other = pair(1.0, "one"), pair(5.0, "other")
    await in_thread(append_entries, alias, SEALER, [one[0], other[0], other[1], one[1]])
    report = await in_thread(verify_record, alias, SEALER, 4.0)
    assert (report.first, report.last) == (2, 4)
    assert (await in_thread(verify_record, alias, SEALER, 0.0, 4.0)).last == 4
    assert (await in_thread(verify_record, alias, SEALER, 9.0)).count == 0
