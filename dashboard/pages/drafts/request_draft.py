"""Draft of one editor request: saved with every button, resumed, ended."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from dashboard.access.draft_count_cookie import draft_count_of, remember_count
from dashboard.access.identity import Identity, browser_of, remember_browser, user_of
from dashboard.access.rights import RIGHTS
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import find_kind
from dashboard.pages.drafts import secret_detection
from dashboard.pages.drafts.draft import Content, Draft, Save, SaveResult, Subject
from dashboard.pages.drafts.draft_difference import with_differences
from dashboard.pages.drafts.store import DRAFTS, DraftLimitReached, DraftStore, Unavailable, new_key
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.thread_pools import run_in_thread_if_large

_KEY = re.compile(r"[0-9a-f]{32}")
_LONGEST_NUMBER = 12
MAX_OFFERS = 3
"""Most drafts that an editor offers one by one."""
DISCARD = "discard"
"""The button of a page without JavaScript."""
DATABASE_UNAVAILABLE = "Your text is not saved as a draft at the moment, because the database is not available: {}"
NO_COOKIE = (
    "Your text is not saved as a draft: your browser did not send the cookie that identifies your drafts. "
    "Allow cookies for this site, or continue without drafts."
)
OPENED_BY_ANOTHER = (
    "This page was opened by {}, but {} is signed in now: the text is not saved as a draft until {} is signed in "
    "again. The text stays on this page."
)
OPENED_SIGNED_OUT = (
    "This page was opened without a sign-in, but “{}” is signed in now: the text is not saved as a draft. "
    "The text stays on this page: copy it, open the page again and paste it there."
)
LIMIT_REACHED = "Your text is not saved as a draft: {}"


def may_see_subject(state: AppState, subject: Subject) -> bool:
    """Whether whoever asks may see the object that a draft is about, or it is about a new one."""
    kind = find_kind(subject.kind, state[REPLICAS].kinds) if subject.resource else None
    if subject.is_new or kind is None:
        return subject.is_new or state[RIGHTS].sees_all
    replicas = state[REPLICAS]
    if kind.key in replicas and replicas.get(kind.key).get(subject.namespace, subject.name) is not None:
        return True  # an Event with what it is about, which its name does not tell
    return state[RIGHTS].may_see(kind.key, subject.namespace, subject.name)


class DraftSession:
    """Draft of one request. Never raises: where drafts cannot be stored, `problem` has the reason and the page works
    without.
    """

    def __init__(self, request: HttpRequest, subject: Subject) -> None:
        post = request.POST
        browser = browser_of(request)
        self.subject = subject
        self.problem = "" if self.can_have_drafts else secret_detection.NOT_KEPT
        """Why drafts are not stored, as a sentence; empty while they are."""
        self.is_permanent = False
        """Whether the same text would fail again if it were sent again."""
        self.is_fork = False
        """Whether another tab wrote to the same draft, so that this text has become one of its own."""
        self.other_count = 0
        """Other drafts of the same object."""
        self._request = request
        self._identity = Identity(user_of(request), browser or new_key())
        self._is_new_browser = not browser
        seen = _number(post.get("draft_seen", ""))
        self.save = Save(
            _key(post.get("draft", "")) or new_key(),
            _key(post.get("draft_tab", "")) or new_key(),
            seen,
            max(seen, _number(post.get("draft_number", ""))),
            by_button=True,
        )
        self.count: int | None = None
        """Drafts of this browser; None where they were not counted."""

    @property
    def can_have_drafts(self) -> bool:
        """Whether the subject can have drafts at all."""
        return self.subject.resource != secret_detection.SECRETS

    @property
    def identity(self) -> Identity:
        return self._identity

    async def keep(self, content: Content) -> None:
        """Store the content that came with a button."""
        save = replace(self.save, number=self.save.number + 1)
        result = await self.try_keep(content, save)
        if result is not None:
            self.save = replace(save, draft=result.draft, number=result.number)
            self.is_fork = result.is_fork

    async def try_keep(self, content: Content, save: Save) -> SaveResult | None:
        """The result of a save; None where it failed, with the reason in `problem`."""
        text = content.text
        if not self.can_have_drafts or await run_in_thread_if_large(
            secret_detection.holds_secret, text, size=len(text)
        ):
            self.is_permanent = await self.end()  # it may have been begun before the text had its kind
            self.problem = secret_detection.NOT_KEPT
            return None
        nobody = self._is_new_browser and not self._identity.owner  # who sends no cookie could fill the shelf of all
        self.problem = self.subject.problem or self._anothers or content.problem or (NO_COOKIE if nobody else "")
        self.is_permanent = self.problem == content.problem != ""
        if self.problem:
            return None
        try:
            result = await self._store.keep(self._identity, self.subject, content, save)
            self.count = await self._store.count(self._identity)
        except DraftLimitReached as full:
            self.problem = LIMIT_REACHED.format(full)
        except Unavailable as error:
            self.problem = DATABASE_UNAVAILABLE.format(error)
        else:
            self.other_count = result.other_count
            return result
        return None

    @property
    def _anothers(self) -> str:
        """Why nothing is stored from a page that another user opened in this browser; empty where no other user did."""
        opened_by, now = self._request.POST.get("draft_owner", self._identity.owner), self._identity.owner
        if opened_by == now:
            return ""
        if not opened_by:
            return OPENED_SIGNED_OUT.format(now)
        return OPENED_BY_ANOTHER.format(f"“{opened_by}”", f"“{now}”" if now else "nobody", f"“{opened_by}”")

    async def resume(self, key: str) -> Draft | None:
        """The draft to continue, which belongs to this request from now on; None where there is none."""
        try:
            draft = await self._store.find(self._identity, key) if _key(key) else None
        except Unavailable as error:
            self.problem = DATABASE_UNAVAILABLE.format(error)
            return None
        if draft is not None and not may_see_subject(state_of(self._request), draft.subject):
            return None  # its base is what the object was
        if draft is not None:
            self.save = replace(self.save, draft=draft.key, base_number=draft.number, number=draft.number)
        return draft

    async def offers(self) -> tuple[Draft, ...]:
        """Other drafts of the same object, newest first; the first MAX_OFFERS are told apart."""
        if self._is_new_browser:
            return ()
        try:
            stored = await self._store.for_subject(self._identity, self.subject)
            others = [draft for draft in stored if draft.key != self.save.draft]
            first = await with_differences(self._store, self._identity, others[:MAX_OFFERS])
        except Unavailable as error:
            self.problem = DATABASE_UNAVAILABLE.format(error)
            return ()
        return (*first, *others[MAX_OFFERS:])

    async def end(self) -> bool:
        """End the draft: it is saved or discarded. Returns whether it is gone."""
        try:
            await self._store.end(self._identity, (self.save.draft,))
            self.count = await self._store.count(self._identity)
        except Unavailable:
            return False  # it is offered once more then, which is better than lost
        return True

    async def discard(self, href: str) -> HttpResponse:
        """Discard the draft and redirect. Where that fails, the draft is offered again."""
        if self.can_have_drafts and not self.subject.problem and not self._is_new_browser:
            with suppress(Unavailable):
                await self._store.discard(self._identity, self.subject, self.save.draft)
                self.count = await self._store.count(self._identity)
        response = HttpResponseRedirect(href)
        response.status_code = 303
        return self.set_cookies(response)

    def set_cookies(self, response: HttpResponse) -> HttpResponse:
        """The same response, with the cookies for drafts."""
        if self._is_new_browser:
            remember_browser(response, self._identity.browser)
        if self.count is not None and self.count != draft_count_of(self._request):
            remember_count(response, self.count)
        return response

    @property
    def _store(self) -> DraftStore:
        return state_of(self._request)[DRAFTS]


def _key(text: str) -> str:
    return text if _KEY.fullmatch(text) else ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else 0
