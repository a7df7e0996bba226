"""The pages: a new chat, a conversation with its history, and what is said when there is none."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from uuid import uuid4

from redis.exceptions import RedisError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from app.measures import Paint
from app.store import StoredTurn
from web.frames import take
from web.markdown import Frame
from web.questions import id_in
from web.security import HEADERS
from web.state import door_of, owner_of
from web.view import View
from web.words import LANGUAGE_COOKIE, LANGUAGES, words_for


async def home(request: Request) -> Response:
    return await _page(request, uuid4().hex, [])


async def conversation(request: Request) -> Response:
    """The history, drawn by the same macros as the live stream; a turn that still runs goes on live."""
    door, owner, id_ = door_of(request), owner_of(request), id_in(request, "conversation")
    store = door.services.store
    turns = await store.conversations.turns(owner, id_)
    if not turns:
        raise HTTPException(404)
    await door.paints.flush()
    seen = {turn: measured.paint for turn, measured in (await store.measures.of(owner, id_)).items()}
    # Drawing a long history, with its listings and formulas, would hold up everybody's streams.
    drawn = await asyncio.to_thread(
        lambda: [_replay(turn, seen.get(turn.id), _is_replaced(turn, turns)) for turn in turns]
    )
    return await _page(request, id_, drawn)


async def delete(request: Request) -> Response:
    door, owner = door_of(request), owner_of(request)
    id_ = id_in(request, "conversation")
    for turn in await door.services.store.conversations.turns(owner, id_):
        if turn.status == "running":
            with suppress(RedisError, OSError):  # what cannot be stopped now ends unseen
                await door.services.runner.stop(turn.id)
    if not await door.services.store.conversations.remove(owner, id_):
        raise HTTPException(404)
    here = _came_from(request)
    return RedirectResponse("/" if id_ in here.replace("-", "") else here, status_code=303)


async def language(request: Request) -> Response:
    chosen = request.path_params["language"]
    if chosen not in LANGUAGES:
        raise HTTPException(404)
    response = RedirectResponse(_came_from(request), status_code=303)
    response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=31_536_000, samesite="lax", httponly=True)
    return response


def _came_from(request: Request) -> str:
    """The path of the page that sent the form; never another site's, for two slashes would lead there."""
    return "/" + request.headers.get("referer", "").partition("://")[2].partition("/")[2].lstrip("/\\")


async def refusal(request: Request, error: Exception) -> Response:
    """An error as its reader can use it: JSON for programs, a line for scripts, a page for people."""
    if not isinstance(error, HTTPException):  # Starlette calls it with nothing else
        raise error
    words = words_for(request)
    detail = words("not_found") if error.status_code == 404 else error.detail
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": detail}, error.status_code, headers=error.headers)
    if request.method != "GET" or "text/html" not in request.headers.get("accept", ""):
        return PlainTextResponse(detail, error.status_code, headers=error.headers)
    page = door_of(request).renderer.page("refusal.html", words=words, detail=detail)
    return HTMLResponse(page, error.status_code, headers=error.headers)


async def fault(request: Request, error: Exception) -> Response:
    """What nobody foresaw; the server logs it. It is sent outside of all middleware."""
    line = "Something went wrong here. It has been logged."
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": line}, 500, headers=HEADERS)
    return PlainTextResponse(line, 500, headers=HEADERS)


async def _page(request: Request, id_: str, turns: list[tuple[View, Frame]]) -> Response:
    door, owner = door_of(request), owner_of(request)
    page = door.renderer.page(
        "page.html",
        words=words_for(request),
        conversation=id_,
        conversations=await door.services.store.conversations.listed(owner),
        turns=turns,
        passages=door.passages,
        banner=not door.services.settings.is_language_model,
        measuring=door.services.settings.chat_model if door.services.settings.is_for_measuring else "",
        ollama=door.ollama,
    )
    return HTMLResponse(page, headers={"cache-control": "no-store"})


def _replay(turn: StoredTurn, paint: Paint | None, replaced: bool) -> tuple[View, Frame]:
    view = View(turn.id, turn.question, paint=paint, replaced=replaced)
    view.apply(turn.events(merged=True))
    return view, take(view)


def _is_replaced(turn: StoredTurn, turns: Sequence[StoredTurn]) -> bool:
    """As app.store.replacing has it, of turns in the order in which they were asked."""
    later = turns[turns.index(turn) + 1 :]
    targets = {turn.id, turn.replaces} - {""}
    return any(other.replaces in targets and other.status != "failed" for other in later)
