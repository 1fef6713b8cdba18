"""The explorer's page from a server of this machine: loopback only, and only for who has the token of the link."""

import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import PurePosixPath
from threading import Lock
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kubeproof.errors import InputError
from kubeproof.explore.explorer import Explorer
from kubeproof.explore.page import TYPES, page_files
from kubeproof.explore.run import MachineOf, Side, machine_of_release
from kubeproof.fix.fix import Fix, apply, systems_with
from kubeproof.fix.guarded import careful
from kubeproof.input.documents import json_value
from kubeproof.processes.supervise import has_supervisor
from kubeproof.systems.system import System
from kubeproof.unforeseen import tell_unforeseen
from model.machine import Machine
from model.releases import rules_for

HOST = "127.0.0.1"
_BODY = 1 << 20  # bytes of a question
# Nothing of another host is loaded, and no other page may show this one or learn its address.
_HEADERS = {
    "content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}


def machine_with(fix: Fix | None) -> MachineOf:
    """What makes the machine of a side, where `fix` stands in the place of the release's rules on the side with it."""
    if fix is None:
        return machine_of_release

    def machine_of(system: System, scope: Any, side: Side) -> Machine[Any]:
        rules = rules_for(system.rules_class, side.release)
        if not side.fix:
            return system.machine(scope, rules)
        systems_with(fix, [system])
        return careful(system.machine(scope, apply(system, rules, fix)), fix.outside)

    return machine_of


def application(explorer: Explorer, files: dict[str, str], token: str) -> Starlette:
    """The server. All of it stands below the token."""
    # An explorer answers one question at a time: so do the processes of a fix.
    turn = Lock()

    def answered(question: str, asked: Any) -> dict[str, Any]:
        with turn:
            return explorer.answer(question, asked)

    def known(request: Request) -> bool:
        return secrets.compare_digest(request.path_params["token"].encode(), token.encode())

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if not known(request) or name not in files:
            return Response("not found\n", 404, _HEADERS, "text/plain")
        return Response(files[name], 200, _HEADERS, TYPES[PurePosixPath(name).suffix])

    async def ask(request: Request) -> Response:
        if not known(request):
            return Response("not found\n", 404, _HEADERS, "text/plain")
        try:
            asked = json_value(await _body(request))
        except (ValueError, RecursionError):
            return JSONResponse({"error": f"no JSON of at most {_BODY >> 20} MiB: expected a question"}, 400, _HEADERS)
        try:
            answer = await run_in_threadpool(answered, request.path_params["question"], asked)
        except Exception as error:
            tell_unforeseen(error)
            said = f"not foreseen: {type(error).__name__}: `kubeproof explore` says where the traceback is"
            return JSONResponse({"error": said}, 500, _HEADERS)
        return JSONResponse(answer, 400 if "error" in answer else 200, _HEADERS)

    return Starlette(
        routes=[
            Route("/{token}/", file),
            Route("/{token}/ask/{question}", ask, methods=["POST"]),
            Route("/{token}/{name}", file),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"], www_redirect=False)],
    )


async def _body(request: Request) -> str:
    """The body. Raises ValueError for one that is too long, or not UTF-8."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _BODY:
            raise ValueError("too long")
    return body.decode()


class _Server(uvicorn.Server):
    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """The supervisor answers signals, and ends this process at once: nothing is lost by that."""
        return nullcontext() if has_supervisor() else super().capture_signals()


@contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    """Raises InputError if the port is taken or not allowed."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((HOST, port))
            listener.listen()
        except OSError as error:
            raise InputError(f"--port {port}: {error.strerror}: expected a free port, or 0 for any") from None
        yield listener


def serve(fix: Fix | None, port: int, begin: Callable[[str], None]) -> None:
    """Serve the page until a signal ends the process. `begin` is told the address. Raises InputError.

    `port`: 0 is any that is free.
    """
    files = page_files("server" if fix is None else "fix")
    token = secrets.token_urlsafe(16)
    app = application(Explorer(machine_with(fix)), files, token)
    with _listening(port) as listener:
        begin(f"http://{HOST}:{listener.getsockname()[1]}/{token}/")
        config = uvicorn.Config(app, log_config=None, log_level="critical", access_log=False, lifespan="off")
        _Server(config).run(sockets=[listener])
