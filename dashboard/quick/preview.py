"""What pressing an action's button would do by now, as its page shows it before."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.edits.exchange import Exchange
from dashboard.edits.fields import same
from dashboard.edits.place import Place
from dashboard.edits.problems import Refusal, refusal_of
from dashboard.quick.action import Action, Asked, Form, State, WrongInput
from dashboard.quick.trial import Trial, try_out
from informerd.errors import InformerdError

PATIENCE = 3.0
"""Seconds that a page waits for a dry run; the write has one of its own."""


@dataclass(frozen=True, slots=True)
class Preview:
    """One of them, or none where nothing would change."""

    trial: Trial | None = None
    refusal: Refusal | None = None
    """Why the API server would not take it."""
    words: str = ""
    """Why what was typed cannot be sent."""


async def preview(action: Action, place: Place, state: State, asked: Asked, form: Form) -> Preview:
    """Try out what stands in the inputs. Writes nothing, raises nothing."""
    shown = asked.hidden.get("wanted") or next((each.value for each in asked.inputs), "")
    try:
        wanted = await action.wanted(place, state, {**form, "wanted": shown})
        if same(wanted, state.value):
            return Preview()
        exchange = Exchange(place.client, place.target, time_limit=PATIENCE)
        return Preview(await try_out(action, exchange, state, wanted))
    except WrongInput as wrong:
        return Preview(words=str(wrong) if "wanted" in form else "")
    except InformerdError as error:
        return Preview(refusal=refusal_of(error))
