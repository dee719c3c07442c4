"""The application: requests to the workbench, and events from it.

Every request must name this server as its host, come from its own page, if it says where it comes from, and
have the token in its path. All others are refused with status 403.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from hmac import compare_digest
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from aligner.errors import AlignerError
from aligner.serve.journal import EDIT, REDO, UNDO, ConflictError
from aligner.serve.workbench import Event, Workbench

_LARGEST_BODY = 1 << 20
_MOST_CHANGES = 100

_HEADERS = [
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]


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
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        token, slash, rest = scope["path"][1:].partition("/")
        is_ticket = bool(self._ticket) and compare_digest(token.encode(), self._ticket.encode())
        reason = self._refusal(scope, self._token if is_ticket else token)
        reason = reason or ("" if slash else "The address ends with a slash.")
        if scope["type"] != "http" or reason:
            refusal = PlainTextResponse(f"Refused. {reason}\n", 403)
            return await refusal(scope, receive, send_with_headers)
        if is_ticket:
            self._ticket = ""
            return await RedirectResponse(f"/{self._token}/", 303)(scope, receive, send_with_headers)
        await self._app(dict(scope, path=f"/{rest}", raw_path=None), receive, send_with_headers)

    def _refusal(self, scope: Scope, token: str) -> str:
        """Return why a request is refused, or an empty string."""
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if headers.get("host") != [self._host]:
            return "It is not for this host."
        if headers.get("origin", [f"http://{self._host}"]) != [f"http://{self._host}"]:
            return "It comes from another origin."
        if headers.get("sec-fetch-site", ["none"])[0] not in ("none", "same-origin"):
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


def make_app(workbench: Workbench, hub: Hub) -> Starlette:
    """Return the application of a workbench, whose events go to a hub."""
    workbench.publish = hub.publish

    def page(request: Request) -> Response:
        return Response(workbench.page(), media_type="text/html; charset=utf-8")

    async def events(request: Request) -> Response:
        return StreamingResponse(hub.events(workbench.state), media_type="text/event-stream")

    async def acts(request: Request) -> Response:
        return await _answer(request, lambda act: _act(workbench, act))

    def command(action: Callable[..., Any]) -> Callable[[Request], Any]:
        async def respond(request: Request) -> Response:
            return await _answer(request, lambda content: action(**content) or {})

        return respond

    def changes(request: Request) -> Response:
        first, count = (int(request.query_params[name]) for name in ("first", "count"))
        return JSONResponse({"changes": workbench.changes(max(first, 0), min(count, _MOST_CHANGES))})

    def known_links(request: Request) -> Response:
        return _download(workbench.known_links(), "known-links.tsv")

    def gold(request: Request) -> Response:
        return _download(workbench.gold(request.query_params["format"]), "gold.txt")

    posts = {
        "acts": acts,
        "suggest": command(workbench.suggest),
        "learn": command(workbench.learn),
        "accept": command(workbench.accept),
        "discard": command(workbench.discard),
        "use": command(workbench.use),
    }
    gets = {"": page, "events": events, "changes": changes, "known-links": known_links, "gold": gold}
    routes = [Route(f"/{path}", endpoint, methods=["POST"]) for path, endpoint in posts.items()]
    routes += [Route(f"/{path}", endpoint) for path, endpoint in gets.items()]
    refused = dict.fromkeys((AlignerError, ValueError, TypeError, KeyError), _refuse)
    return Starlette(routes=routes, exception_handlers=refused)


def _act(workbench: Workbench, act: dict[str, Any]) -> dict[str, Any]:
    """Do an act of the page, and return the act that the journal has."""
    id, kind = _text(act["id"]), act["kind"]
    if kind == EDIT:
        line = act["line"]
        if not isinstance(line, int):
            raise ValueError("found no line")
        return asdict(workbench.edit(id, line, _text(act["before"]), _text(act["after"])))
    if kind not in (UNDO, REDO):
        raise ValueError("found another kind of act")
    done = workbench.travel(id, kind)
    return {} if done is None else asdict(done)


def _text(value: object) -> str:
    """Return a value that is a string; ValueError for any other."""
    if not isinstance(value, str):
        raise ValueError("found a value of another type; expected a string")
    return value


async def _answer(request: Request, action: Callable[[Any], dict[str, Any]]) -> Response:
    """Answer a request by an action on its content, in a thread, since the disk may be slow."""
    if request.headers.get("content-type") != "application/json":
        raise ValueError("found another type of content; expected application/json")
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LARGEST_BODY:
            raise ValueError("found too much content")
    return JSONResponse(await run_in_threadpool(action, json.loads(body)))


def _download(text: str, name: str) -> Response:
    """Return a text as a file to save."""
    header = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(), media_type="text/plain; charset=utf-8", headers=header)


def _refuse(request: Request, error: Exception) -> Response:
    """Return an error as an answer: 409 for a conflict, 500 if the server cannot do it, else 400."""
    if isinstance(error, ConflictError):
        return JSONResponse({"error": _sentence(error), "line": error.line, "text": error.text}, 409)
    status = 500 if isinstance(error, AlignerError) else 400
    return JSONResponse({"error": _sentence(error)}, status)


def _sentence(error: Exception) -> str:
    """Return a message as a sentence."""
    text = str(error) or "The request has another form than expected"
    return f"{text[0].upper()}{text[1:].rstrip('.')}."
