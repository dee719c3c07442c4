"""The application: requests to the workbench, and events from it.

Every request must name this server as its host, come from its own page, if it says where it comes from, and
have the token in its path. All others are refused with status 403.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from collections.abc import Set as AbstractSet
from hmac import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from aligner.errors import AlignerError, ConfigError
from aligner.files.json_text import parse_json
from aligner.messages import excerpt
from aligner.serve.edits import ConflictError
from aligner.serve.saved_file import SavedFile
from aligner.serve.workbench import Event, Workbench

_EVENTS = "text/event-stream"
_LARGEST_BODY = 1 << 20
_PYTHON = TypeError, LookupError, UnicodeError, json.JSONDecodeError
_Action = Callable[..., Any]
_COMMANDS = ("suggest", "learn", "refuse", "accept", "discard", "use", "release")


class Guard:
    """A wrapper that refuses requests of other hosts, of other origins and without the token.

    Parameters
    ----------
    app
        The application, whose paths begin behind the token.
    host
        The host and the port of the server.
    token
        The token.
    ticket
        A token that leads to the page once. Other users may see it on the command line of the browser.
    """

    def __init__(self, app: ASGIApp, host: str, token: str, ticket: str) -> None:
        self._app, self._host, self._token, self._ticket = app, host, token, ticket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token, slash, rest = scope["path"][1:].partition("/")
        is_ticket = bool(self._ticket) and compare_digest(token.encode(), self._ticket.encode())
        reason = self._refusal(Headers(scope=scope), self._token if is_ticket else token)
        answer = self._app
        if reason or not slash:  # a refused connection has no second request
            said = f"Refused. {reason or 'The address ends with a slash.'}\n"
            answer = PlainTextResponse(said, 403, {"connection": "close"})
        elif is_ticket:
            self._ticket = ""
            answer = RedirectResponse(f"/{self._token}/", 303)
        await answer(dict(scope, path=f"/{rest}", raw_path=None), receive, send)

    def _refusal(self, headers: Headers, token: str) -> str:
        """Return why a request is refused, or an empty string."""
        if headers.getlist("host") != [self._host]:
            return "It is not for this host."
        if headers.getlist("origin") not in ([], [f"http://{self._host}"]):
            return "It comes from another origin."
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "It comes from another site."
        if not compare_digest(token.encode(), self._token.encode()):
            return "It does not have the token: open the address that align serve shows."
        return ""


class Hub:
    """The windows that hear of events.

    Events come from any thread, and go to a queue of each window.
    """

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def publish(self, event: Event | None) -> None:
        """Send an event to all windows; None ends their connections."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, event)

    def _put(self, event: Event | None) -> None:
        for queue in self._queues:
            queue.put_nowait(event)

    async def events(self, first: Callable[[], Event]) -> AsyncIterator[str]:
        """Yield the events for a window, in the format of server-sent events, after a first one."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self._queues.add(queue)
        try:
            event: Event | None = first()
            while event is not None:
                yield f"data: {json.dumps(event)}\n\n"
                event = await queue.get()
        finally:
            self._queues.discard(queue)


def make_app(workbench: Workbench) -> Starlette:
    """Return the application of a workbench, whose events go to its windows."""
    hub = Hub()
    workbench.publish = hub.publish

    routes = [
        Route("/events", lambda _: StreamingResponse(hub.events(workbench.state), media_type=_EVENTS)),
        question("/", workbench.page, HTMLResponse),
        question("/changes", workbench.changes, lambda found: JSONResponse({"changes": found}), _number),
        question("/rows", workbench.rows, JSONResponse, _number),
        question("/unsure", workbench.unsure, lambda found: JSONResponse({"cells": found}), _number),
        question("/saving", workbench.saved, lambda saved: JSONResponse(saved.facts)),
        question("/file", workbench.saved, file_of),
        question("/ungrouped", workbench.ungrouped, lambda found: JSONResponse({"cells": found}), _number),
        command("/acts", workbench.act, {str, int, list}),
        *(command(f"/{name}", getattr(workbench, name)) for name in _COMMANDS),
    ]
    return Starlette(routes=routes, exception_handlers=REFUSALS)


def file_of(saved: SavedFile) -> Response:
    """Return a file, with what is in it as a header."""
    said: list[str] = []
    content = saved.content(said.append)
    facts = json.dumps(saved.facts | {"said": said})
    return Response(content, headers={"x-facts": facts}, media_type="application/octet-stream")


def question(path: str, find: _Action, answer: _Action, kind: _Action = str) -> Route:
    """Return the route of a question, whose arguments are the parameters of the query, read by ``kind``."""

    def respond(request: Request) -> Response:
        return answer(find(**{name: kind(text) for name, text in request.query_params.items()}))

    return Route(path, respond)


def command(path: str, action: _Action, types: AbstractSet[type] = frozenset({str, int})) -> Route:
    """Return the route of an action, whose arguments are the members of the JSON object that is posted.

    The action runs in a thread, since the disk may be slow.
    """

    async def respond(request: Request) -> Response:
        if request.headers.get("content-type") != "application/json":
            raise ValueError("found another type of content; expected application/json")
        if int(request.headers.get("content-length", _LARGEST_BODY + 1)) > _LARGEST_BODY:
            raise ValueError(
                f"found no Content-Length up to {_LARGEST_BODY:,} bytes; send the length, and less"
            )
        content = dict(**parse_json((await request.body()).decode()))
        if not {*map(type, content.values())} <= types:
            raise ValueError("found a value of another type; expected texts and whole numbers")
        return JSONResponse(await run_in_threadpool(action, **content) or {})

    return Route(path, respond, methods=["POST"])


def _refuse(request: Request, error: Exception) -> Response:
    """Return an error as an answer: 409 for a conflict, 500 if the server cannot do it, else 400."""
    if isinstance(error, ConflictError):
        return JSONResponse({"error": _sentence(error), "line": error.line, "text": error.text}, 409)
    status = 500 if isinstance(error, AlignerError) and not isinstance(error, ConfigError) else 400
    return JSONResponse({"error": _sentence(error)}, status)


def _sentence(error: Exception) -> str:
    """Return a message as a sentence. Python's own would name functions of the server."""
    text = "the request has another form than expected" if isinstance(error, _PYTHON) else str(error)
    start = text[0].upper() if text.split()[0].isalpha() else text[0]  # not of a path
    return f"{start}{text[1:]}{'' if text[-1] in '.?' else '.'}"


def _number(text: str) -> int:
    """Return the number in a query; ValueError for anything else."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"found {excerpt(text)}; expected a whole number")
    return int(text)


REFUSALS = dict.fromkeys((AlignerError, ValueError, TypeError, LookupError), _refuse)
"""The answers to errors, for an application."""
