"""Notifications to handlers, one for each change of each object."""

from __future__ import annotations

from typing import Generic, TypeAlias, TypeVar

import msgspec

from informerd.objects import Object

T = TypeVar("T", bound=Object)


class Add(msgspec.Struct, Generic[T], gc=False):
    object: T
    is_in_initial_list: bool

    @property
    def key(self) -> str:
        return self.object.key


class Update(msgspec.Struct, Generic[T], gc=False):
    old: T
    new: T

    @property
    def key(self) -> str:
        return self.new.key


class Delete(msgspec.Struct, Generic[T], gc=False):
    object: T
    final_state_unknown: bool

    @property
    def key(self) -> str:
        return self.object.key


Notification: TypeAlias = Add[T] | Update[T] | Delete[T]
