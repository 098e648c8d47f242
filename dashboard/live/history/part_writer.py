"""Writer of one part: changes become rows, in one transaction a batch."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from dashboard.live.history.change_queue import Change, Covered, Item, ListBegin, ListEnd, NamespaceLost, Tick
from dashboard.live.history.cluster_identity import CONNECTION
from dashboard.live.history.object_states import KindStates, ObjectState, load_states, read_last
from dashboard.live.history.part import PartConnection, set_meta
from dashboard.live.history.part_rows import PartRows
from dashboard.live.history.spans import SpanWriter
from dashboard.live.history.version import Operation, StoredVersion
from dashboard.live.history.version_author import version_author
from dashboard.live.history.version_codec import MAX_DIFFERENCES, DamagedVersion, Template, pack, unpack
from dashboard.live.history.version_json import is_heartbeat, split_version
from informerd.log_throttle import LogThrottle

logger = logging.getLogger(__name__)

LAST = "last"
COMPLETE = "complete"
"""Names in the table meta: the time of the newest change; the part's bytes when it had all that existed when it began,
missing before.
"""


@dataclass
class Counts:
    """What was written so far, for metrics."""

    written: int = 0
    heartbeats: int = 0
    bytes: int = 0
    """Of packed versions, without what the database adds."""
    gaps: int = 0
    unreadable: int = 0
    """Changes that could not be read, and are not there."""


class PartWriter:
    """Writes into the part of `connection`. After an exception it must not be used any more: the next one reads what
    was written, and leaves that out of a batch that is written again.
    """

    def __init__(self, connection: PartConnection, counts: Counts) -> None:
        self.connection = connection
        self.part = connection.part
        self.counts = counts
        self._failures = LogThrottle()
        meta = dict(connection.query("SELECT name, value FROM {meta}"))
        self.format = meta.get("format")
        self.is_complete = COMPLETE in meta
        self.begun_with = int(meta.get(COMPLETE, 0))
        """Bytes of the part when it had all that existed."""
        self._stored_last = int(meta.get(LAST, 0))
        self._connections = {name for name in meta if name.startswith(CONNECTION)}
        self.last_time = max(self.part.begin, self._stored_last)
        self._kinds: dict[str, KindStates] = {}
        self._spans = SpanWriter(connection)
        self._rows = PartRows(connection)

    def write(self, items: Sequence[Item]) -> None:
        """Write a batch and commit. Raises HistoryUnavailable."""
        for item in items:
            try:
                self._apply(item)
            except (msgspec.MsgspecError, RecursionError) as error:
                self.counts.unreadable += 1
                if self._failures.count("unreadable"):
                    logger.warning("a change is not in the history, because it cannot be read: %s", error)
        self.commit()

    def note_connection(self, key: str, now: int) -> None:
        """Note that the cluster is recorded by this connection from `now` on, see cluster_identity.py."""
        name = CONNECTION + key
        set_meta(self.connection, name, str(now), is_new=name not in self._connections)
        self.connection.commit()

    def commit(self) -> None:
        """Write what has gathered, and commit."""
        self._rows.insert()
        if self.last_time != self._stored_last:
            set_meta(self.connection, LAST, str(self.last_time), is_new=not self._stored_last)
        self.connection.commit()
        self._stored_last = self.last_time
        for states in self._kinds.values():
            states.template.release()

    def take_over(self, before: PartWriter) -> None:
        """Go on from the part before: know its objects, none of which this part has yet."""
        self.last_time = max(self.last_time, before.last_time)
        for key, states in before._kinds.items():
            own = self._kinds[key] = self._new_kind(key, states.template.json)
            own.missing = states.missing
            for uid, state in states.by_uid.items():
                if state.ended is None:
                    state.id = state.depth = 0
                    own.by_uid[uid] = state

    def carry(self, stored: StoredVersion) -> None:
        """Write the version that an object had when the part began."""
        version, name = stored.version, stored.version.object
        states = self.states(name.kind, stored.json)
        known = states.by_uid.get(name.uid)
        if known is None:
            known = ObjectState(0, name.namespace, name.name, version.time, version.resource_version, 0)
            known.is_confirmed = False
            states.by_uid[name.uid] = known
        if not known.id:
            self._rows.add_object(states, known, name.uid)
            known.depth = 0
        self._rows.carry(known.id, version, states.template.pack(stored.json))

    def mark_complete(self, size: int = 0) -> None:
        """Note that the part has all that existed when it began, and has `size` bytes by that."""
        set_meta(self.connection, COMPLETE, str(size), is_new=True)
        self.commit()
        self.is_complete, self.begun_with = True, size
        for states in self._kinds.values():
            _forget_ended(states)

    def states(self, key: str, sample: bytes = b"") -> KindStates:
        """The objects of a kind. Where the part does not have the kind yet, `sample` becomes its template."""
        states = self._kinds.get(key)
        if states is None:
            rows = self.connection.query("SELECT id, template FROM {kind} WHERE name = ?", key)
            if rows:
                states = KindStates(rows[0][0], Template(unpack([bytes(rows[0][1])])))
                for step in load_states(self.connection, states.id, all_ended=not self.is_complete):
                    states.by_uid |= step
            else:
                states = self._new_kind(key, sample)
            self._kinds[key] = states
        if sample and not states.template.json and not states.by_uid:
            self.connection.execute("UPDATE {kind} SET template = ? WHERE id = ?", pack(sample), states.id)
            states.template = Template(sample)
        return states

    def _new_kind(self, key: str, template: bytes) -> KindStates:
        number = (self.connection.query("SELECT MAX(id) FROM {kind}")[0][0] or 0) + 1
        self.connection.insert("kind", ("id", "name", "template"), [(number, key, pack(template))])
        return KindStates(number, Template(template))

    def _apply(self, item: Item) -> None:
        match item:
            case Change():
                self._change(item)
            case Tick():
                for covered in item.covered:
                    self._cover(covered)
            case ListBegin():
                states = self.states(item.kind)
                states.missing = {uid: state for uid, state in states.by_uid.items() if state.ended is None}
            case ListEnd():
                self._end_list(self.states(item.kind), item)
            case NamespaceLost():
                states = self.states(item.kind)
                seen = {uid: state for uid, state in states.by_uid.items() if state.namespace == item.namespace}
                self._end(states, seen, Operation.UNSEEN, item.time)

    def _cover(self, covered: Covered) -> None:
        self.last_time = max(covered.until, self.last_time)
        kind = self.states(covered.kind).id
        self.counts.gaps += self._spans.extend(kind, covered, self.last_time)

    def _end_list(self, states: KindStates, end: ListEnd) -> None:
        missing, states.missing = states.missing or {}, None
        gone = {uid: state for uid, state in missing.items() if state.key not in end.unreadable}
        unseen = {uid: state for uid, state in gone.items() if not end.has_listed(state.namespace)}
        self._end(states, unseen, Operation.UNSEEN, end.time)
        self._end(states, {uid: gone[uid] for uid in gone if uid not in unseen}, Operation.MISSING, end.time)
        if self.is_complete:
            _forget_ended(states)

    def _change(self, change: Change) -> None:
        obj = change.obj
        if obj.blob is None:
            return
        json, managed = split_version(obj.blob.json())
        states = self.states(change.kind, json)
        meta, operation = obj.metadata, change.operation
        if states.missing is not None:
            states.missing.pop(meta.uid, None)
        state = states.by_uid.get(meta.uid)
        before: bytes | None = None
        managed_before = b""
        if state is not None:
            if state.is_recorded(operation, meta.resource_version):
                return
            if state.ended is None:
                before, managed_before = self._last(states, state)
                if before is not None and not operation.is_end and is_heartbeat(before, json):
                    self.counts.heartbeats += 1
                    state.is_confirmed = True
                    return
                if operation is Operation.FOUND:
                    operation = Operation.DIFFERS
        else:
            state = states.by_uid[meta.uid] = ObjectState(0, meta.namespace, meta.name, 0, "", 0)
        if not state.id:
            self._rows.add_object(states, state, meta.uid)
            before, state.depth = None, 0
        manager = version_author(managed, managed_before, before, json)
        state.version, state.blob = meta.resource_version, obj.blob
        self._add(states, state, operation, manager, change.time, json, before)
        if operation.is_end and self.is_complete:
            del states.by_uid[meta.uid]

    def _last(self, states: KindStates, state: ObjectState) -> tuple[bytes | None, bytes]:
        """JSON of the last version, None where the part does not have it, or cannot say; and of its managedFields,
        which are not in the part.
        """
        if state.blob is not None:
            return split_version(state.blob.json())
        if not state.id:
            return None, b""
        try:
            return read_last(self.connection, state, states.template), b""
        except DamagedVersion as error:
            if self._failures.count("damaged"):
                logger.warning("a version in the history is damaged: %s", error)
            return None, b""

    def _end(self, states: KindStates, objects: Mapping[str, ObjectState], operation: Operation, time: int) -> None:
        """End objects without a last word about them: their last versions stand once more."""
        for uid, state in objects.items():
            json = self._last(states, state)[0] if state.ended is None else None
            if json is None:
                continue
            before: bytes | None = json
            if not state.id:
                self._rows.add_object(states, state, uid)
                before = None
            self._add(states, state, operation, "", time, json, before)

    def _add(
        self,
        states: KindStates,
        state: ObjectState,
        operation: Operation,
        manager: str,
        time: int,
        json: bytes,
        before: bytes | None,
    ) -> None:
        self.last_time = state.time = max(time, self.last_time + 1)
        if before is not None and state.depth < MAX_DIFFERENCES:
            data, state.depth = pack(json, before), state.depth + 1
        else:
            data, state.depth = states.template.pack(json), 0
        state.is_confirmed, state.ended = True, operation if operation.is_end else None
        self._rows.add_version(states, state, operation, manager, data)
        self.counts.written += 1
        self.counts.bytes += len(data)


def _forget_ended(states: KindStates) -> None:
    states.by_uid = {uid: state for uid, state in states.by_uid.items() if state.ended is None}
