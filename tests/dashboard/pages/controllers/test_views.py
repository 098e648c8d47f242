"""Tests of the controllers page over HTTP, and of the responses to its button."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dashboard.pages.controllers.worker_client import ANSWER_TIMEOUT
from dashboard.pages.controllers.worker_messages import RequeueRequest, RequeueResult, encoder, requeue_request_decoder
from tests.support.controllers.report_samples import controller, failed, report
from tests.support.pages.site_without_cluster import Site, WiredClient
from tests.support.wait import eventually

POISONED = controller(failed=(failed("default/poison"),))


class Asked:
    """A site whose worker the test plays."""

    def __init__(self, *controllers: Any) -> None:
        self.site = Site()
        self.link = self.site.parts.controllers
        self.link._inbox.channel_name = "web"
        if controllers:
            self.link.reports.receive(report(*controllers))

    @property
    def questions(self) -> list[RequeueRequest]:
        return [
            requeue_request_decoder.decode(each["data"])
            for _, each in self.site.layer.sent
            if each["type"] == "controllers.requeue"
        ]

    async def post(self, item: str | None, *, htmx: bool = False, answer: RequeueResult | None = None) -> Any:
        """The response; the worker gives `answer`, or none ever."""
        data = {} if item is None else {"item": item}
        headers = {"HX-Request": "true"} if htmx else {}
        posting = asyncio.create_task(self.site.client.post("/controllers/requeue/", data, headers=headers))
        await eventually(lambda: posting.done() or self.questions)
        if self.questions:
            await self._play_worker(answer)
        return await posting

    async def _play_worker(self, answer: RequeueResult | None) -> None:
        if answer is None:
            await self.site.clock.wait_for_sleeper(ANSWER_TIMEOUT)
            await self.site.clock.advance(ANSWER_TIMEOUT)
            return
        said = RequeueResult(self.questions[0].id, answer.done, answer.words)
        await self.link.receive({"type": "controllers.answer", "data": encoder.encode(said)})


async def test_the_page_shows_controllers_with_their_errors() -> None:
    response = await Asked(POISONED).site.client.get("/controllers/")
    html = response.content.decode()
    assert response.status_code == 200
    assert "ValueError: spec.port is 0" in html
    assert 'value="crddemo/default/poison"' in html
    assert 'aria-current="page"' in html


@pytest.mark.parametrize("method", ["post", "put", "delete"])
async def test_the_page_itself_is_only_read(method: str) -> None:
    response = await getattr(Asked(POISONED).site.client, method)("/controllers/")
    assert response.status_code == 405


async def test_a_key_is_requeued_and_the_browser_goes_back_with_a_sentence() -> None:
    asked = Asked(POISONED)
    response = await asked.post("crddemo/default/poison", answer=RequeueResult("", done=True))
    assert (response.status_code, response["Location"]) == (303, "/controllers/")
    assert (asked.questions[0].controller, asked.questions[0].key) == ("crddemo", "default/poison")
    assert asked.questions[0].reply_channel == "web"
    page = await asked.site.client.get("/controllers/")
    assert "default/poison is requeued." in page.content.decode()


async def test_htmx_gets_a_sentence_for_the_page_it_is_on() -> None:
    asked = Asked(POISONED)
    response = await asked.post("crddemo/default/poison", htmx=True, answer=RequeueResult("", done=True))
    assert response.status_code == 200
    assert "default/poison is requeued." in response.content.decode()
    assert "<html" not in response.content.decode()


@pytest.mark.parametrize("htmx", [True, False])
@pytest.mark.parametrize(
    ("item", "status", "words"),
    [
        ("nobody/default/poison", 404, "The controller 'nobody' does not run here. Running controllers: crddemo."),
        ("crddemo/default/other", 404, "'default/other' is not a failed key of crddemo"),
        ("<script>/x", 404, "The controller '<script>' does not run here."),
        ("crddemo", 400, "The request must name a controller and a key"),
        ("/default/poison", 400, "The request must name a controller and a key"),
        ("", 400, "The request must name a controller and a key"),
        (None, 400, "The request must name a controller and a key"),
    ],
)
async def test_nonsense_is_answered_with_a_sentence_and_nobody_is_asked(
    item: str | None, status: int, words: str, htmx: bool
) -> None:
    asked = Asked(POISONED)
    response = await asked.post(item, htmx=htmx)
    html = response.content.decode().replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">")
    assert response.status_code == status
    assert words in html
    assert "<script>/" not in response.content.decode()
    assert asked.questions == []


async def test_what_the_worker_refuses_is_a_404_with_its_words() -> None:
    answer = RequeueResult("", done=False, words="It may have succeeded meanwhile.")
    response = await Asked(POISONED).post("crddemo/default/poison", answer=answer)
    assert response.status_code == 404
    assert "It may have succeeded meanwhile." in response.content.decode()


async def test_a_worker_that_does_not_answer_is_said() -> None:
    asked = Asked(POISONED)
    response = await asked.post("crddemo/default/poison", htmx=True)
    assert response.status_code == 504
    assert "has not answered within 3 s, so default/poison may or may not be requeued" in response.content.decode()
    assert asked.link._pending == {}


async def test_without_a_worker_that_is_heard_nothing_is_asked() -> None:
    asked = Asked()
    assert (await asked.post("crddemo/default/poison")).status_code == 503
    asked.link.reports.receive(report(POISONED))
    asked.site.clock.skip(60)
    assert (await asked.post("crddemo/default/poison")).status_code == 503
    assert asked.questions == []


async def test_to_get_it_is_refused() -> None:
    assert (await Asked(POISONED).site.client.get("/controllers/requeue/")).status_code == 405


async def test_a_request_without_the_csrf_token_is_refused() -> None:
    asked = Asked(POISONED)
    strict = WiredClient(asked.site.parts)
    strict.handler.enforce_csrf_checks = True
    response = await strict.post("/controllers/requeue/", {"item": "crddemo/default/poison"})
    assert response.status_code == 403
    assert asked.questions == []
