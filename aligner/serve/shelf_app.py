"""The application of the shelf: the page that opens texts, its requests, and the workbenches below it."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from aligner.errors import ConfigError
from aligner.files.opening import open_output
from aligner.serve.app import REFUSALS, command, make_app, question
from aligner.serve.draft import LARGEST_FILE
from aligner.serve.shelf import Shelf
from aligner.serve.workbench import Workbench
from aligner.view.page import filled, page_file


def make_shelf_app(shelf: Shelf) -> Starlette:
    """Return the application of a shelf."""
    apps: WeakKeyDictionary[Workbench, ASGIApp] = WeakKeyDictionary()

    async def below(scope: Scope, receive: Receive, send: Send) -> None:
        """Answer requests of the workbench of a text, which is opened if need be."""
        workbench = await run_in_threadpool(shelf.text(scope["path_params"]["name"]).open)
        if workbench not in apps:
            apps[workbench] = make_app(workbench)
        await apps[workbench](scope, receive, send)

    async def take_file(request: Request) -> JSONResponse:
        """Write a file that is posted into the folder of the draft, and check it."""
        query = request.query_params
        if int(request.headers.get("content-length", LARGEST_FILE + 1)) > LARGEST_FILE:
            raise ConfigError(f"{query['name']}: found over {LARGEST_FILE >> 20} MB; expected a smaller file")
        path = shelf.draft.place(query["side"], query["name"], int(query["depth"]))
        with open_output(path, compress=False, durable=False) as file:
            async for part in request.stream():
                file.write(part)
        await run_in_threadpool(shelf.draft.check, path, query["name"])
        return JSONResponse({})

    routes = [
        question("/", lambda: "".join(_page()), HTMLResponse),
        question("/texts", shelf.state, JSONResponse),
        Route("/file", take_file, methods=["POST"]),
        command("/begin", shelf.draft.begin),
        command("/look", shelf.draft.look),
        command("/align", shelf.align),
        command("/train", lambda name: shelf.text(name).training.begin()),
        command("/stop", lambda name: shelf.text(name).training.stop()),
        command("/open", lambda name: shelf.text(name).open() and {}),
        command("/remove", shelf.remove),
        Mount("/{name}", app=below),
    ]
    return Starlette(routes=routes, exception_handlers=REFUSALS)


def _page() -> Iterator[str]:
    """Yield the text of the page."""
    room = "aligner.serve"
    style = page_file("page.css") + page_file("server.css", room) + page_file("shelf.css", room)
    scripts = [page_file("elements.js"), page_file("texts.js"), page_file("shelf.js", room)]
    yield from filled("shelf.html", style, scripts, {}, room)
