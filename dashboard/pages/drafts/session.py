"""The draft that one request of an editing page is about: kept with every button, taken over, ended."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from dashboard.drafts import secret
from dashboard.drafts.cookies import browser_of, drafts_of, remember_browser, remember_count
from dashboard.drafts.draft import Content, Draft, Kept, Save, Subject, Whose
from dashboard.drafts.shelf import Full, Shelf, Unavailable, new_key
from dashboard.live.context import live_of, user_of

_KEY = re.compile(r"[0-9a-f]{32}")
_LONGEST_NUMBER = 12
DISCARD = "discard"
"""The button of a page without JavaScript."""
NOT_KEPT = "What you type is not kept as a draft just now, because the database cannot be used: {}"
NO_COOKIE = (
    "What you type is not kept as a draft: your browser did not send the cookie that says whose drafts are whose. "
    "Allow cookies here, or go on without drafts."
)
ANOTHERS = (
    "This page was opened by {}, but {} is signed in now: what is typed here is nobody's draft until {} is signed in "
    "again. The text stays on this page."
)
NOBODYS = (
    "This page was opened while nobody was signed in, but “{}” is signed in now: what is typed here is nobody's draft. "
    "The text stays on this page: copy it, and open the page again to go on with it as yours."
)
FULL = "What you type is not kept as a draft: {}"


class Writing:
    """Never raises: where drafts cannot be kept, `problem` says so and the page goes on without."""

    def __init__(self, request: HttpRequest, subject: Subject) -> None:
        post = request.POST
        browser = browser_of(request)
        self.subject = subject
        self.problem = "" if self.keeps else secret.WORDS
        """Why drafts are not kept, as a sentence; empty while they are."""
        self.for_good = False
        """Whether the same text would not be kept if it were sent again, either."""
        self.forked = False
        """Whether another tab wrote to the same draft, so that this text has become one of its own."""
        self.others = 0
        """Other drafts of the same object."""
        self._request = request
        self._whose = Whose(user_of(request), browser or new_key())
        self._is_new_browser = not browser
        seen = _number(post.get("draft_seen", ""))
        self.save = Save(
            _key(post.get("draft", "")) or new_key(),
            _key(post.get("draft_tab", "")) or new_key(),
            seen,
            max(seen, _number(post.get("draft_number", ""))),
            pressed=True,
        )
        self.count: int | None = None
        """Drafts of this browser; None where nobody has counted."""

    @property
    def keeps(self) -> bool:
        """Whether drafts of this are kept at all."""
        return self.subject.resource != secret.RESOURCE

    @property
    def whose(self) -> Whose:
        return self._whose

    async def keep(self, content: Content) -> None:
        """Keep what came with a button."""
        save = replace(self.save, number=self.save.number + 1)
        kept = await self.kept(content, save)
        if kept is not None:
            self.save = replace(save, draft=kept.draft, number=kept.number)
            self.forked = kept.forked

    async def kept(self, content: Content, save: Save) -> Kept | None:
        """What became of a save; None where it was not kept, and `problem` says why."""
        if not self.keeps or secret.holds_secret(content.text):
            self.for_good = await self.end()  # it may have been begun before the text had its kind
            self.problem = secret.WORDS
            return None
        nobody = self._is_new_browser and not self._whose.owner  # who sends no cookie could fill the shelf of all
        self.problem = self.subject.problem or self._anothers or content.problem or (NO_COOKIE if nobody else "")
        self.for_good = self.problem == content.problem != ""
        if self.problem:
            return None
        try:
            kept = await self._shelf.keep(self._whose, self.subject, content, save)
            self.count = await self._shelf.count(self._whose)
        except Full as full:
            self.problem = FULL.format(full)
        except Unavailable as error:
            self.problem = NOT_KEPT.format(error)
        else:
            self.others = kept.others
            return kept
        return None

    @property
    def _anothers(self) -> str:
        """Why nothing is kept of a page that somebody else opened in this browser; empty where nobody else did."""
        opened_by, now = self._request.POST.get("draft_owner", self._whose.owner), self._whose.owner
        if opened_by == now:
            return ""
        if not opened_by:
            return NOBODYS.format(now)
        return ANOTHERS.format(f"“{opened_by}”", f"“{now}”" if now else "nobody", f"“{opened_by}”")

    async def resume(self, key: str) -> Draft | None:
        """The draft to go on with, which is this request's from now on; None where there is none."""
        try:
            draft = await self._shelf.find(self._whose, key) if _key(key) else None
        except Unavailable as error:
            self.problem = NOT_KEPT.format(error)
            return None
        if draft is not None:
            self.save = replace(self.save, draft=draft.key, seen=draft.number, number=draft.number)
        return draft

    async def offers(self) -> tuple[Draft, ...]:
        """Drafts of the same object that there are, newest first, but for this request's own."""
        if self._is_new_browser:
            return ()
        try:
            found = await self._shelf.about(self._whose, self.subject)
        except Unavailable as error:
            self.problem = NOT_KEPT.format(error)
            return ()
        return tuple(draft for draft in found if draft.key != self.save.draft)

    async def end(self) -> bool:
        """The draft is saved, or nobody wants it any more; whether it is gone."""
        try:
            await self._shelf.end(self._whose, (self.save.draft,))
            self.count = await self._shelf.count(self._whose)
        except Unavailable:
            return False  # it is offered once more then, which is better than lost
        return True

    async def discarded(self, href: str) -> HttpResponse:
        """Throw the draft away and go there. Where that cannot be done just now, the draft is offered once more."""
        if self.keeps and not self.subject.problem and not self._is_new_browser:
            with suppress(Unavailable):
                await self._shelf.discard(self._whose, self.subject, self.save.draft)
                self.count = await self._shelf.count(self._whose)
        response = HttpResponseRedirect(href)
        response.status_code = 303
        return self.leave(response)

    def leave(self, response: HttpResponse) -> HttpResponse:
        """The same response, with what the browser has to know for its drafts."""
        if self._is_new_browser:
            remember_browser(response, self._whose.browser)
        if self.count is not None and self.count != drafts_of(self._request):
            remember_count(response, self.count)
        return response

    @property
    def _shelf(self) -> Shelf:
        return live_of(self._request).drafts


def _key(text: str) -> str:
    return text if _KEY.fullmatch(text) else ""


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else 0
