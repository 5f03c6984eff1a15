"""Serves the explorer to a browser on this machine, and to nobody else.

- It listens on the loopback address only.
- Every address has a secret token, which only the printed address tells.
- It answers only to its own host name, so that a foreign name that leads here finds nothing.
- It takes questions only as JSON, which a form on a foreign page cannot send.
"""

from __future__ import annotations

import errno
import json
import secrets
import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any, cast

from finale.checker.page.document import all_visible
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.system import System
from finale.model.trace import Trace

from .page import explorer_page
from .plainly import Plainly
from .walk import Walk, violated, walk_of

HOST = "127.0.0.1"
#: A question is a path and a name.
BODY_MAX = 1_000_000

Question = Mapping[str, object]


class Explorer:
    """What the server answers: the page, and questions about runs of one system.

    `written` turns a trace into the text of a file.
    """

    def __init__(
        self, spec: Spec, system: System, start: Walk, written: Callable[[Trace], str]
    ) -> None:
        self.spec = spec
        self.system = system
        self.plainly = Plainly(spec)
        self.token = secrets.token_urlsafe(16)
        self.page = explorer_page(spec, system, start, self.plainly.names())
        self._searching = Lock()
        self.answers: Mapping[str, Callable[[Question], object]] = {
            "here": lambda asked: all_visible(self._walk(asked).here()),
            "blocked": lambda asked: all_visible(self._walk(asked).blocked(self.plainly)),
            "source": self._source,
            "value": self._value,
            "violated": lambda _: self._violated,
            "search": self._search,
            "itf": lambda asked: written(self._walk(asked).trace),
        }

    def _walk(self, asked: Question) -> Walk:
        return walk_of(self.system, asked.get("start"), asked.get("rules"))

    def _source(self, asked: Question) -> object:
        return all_visible(self._walk(asked).source(asked.get("rule"), self.plainly))

    def _value(self, asked: Question) -> object:
        walk = self._walk(asked)
        return all_visible(self.plainly.value_of(str(asked.get("expression")), walk.state))

    @cached_property
    def _violated(self) -> object:
        with self._searching:
            return all_visible(violated(self.spec, self.system))

    def _search(self, asked: Question) -> object:
        with self._searching:  # one at a time: each takes memory
            return self._walk(asked).search(str(asked.get("property")))


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # Ctrl-C does not wait for a search

    def __init__(self, port: int, explorer: Explorer) -> None:
        self.explorer = explorer
        super().__init__((HOST, port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the error, but not that a client went away."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        """The address to open, with the token."""
        return f"http://{HOST}:{self.server_port}/{self.explorer.token}/"


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "finale", ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    @property
    def explorer(self) -> Explorer:
        return cast(_Server, self.server).explorer

    def do_GET(self) -> None:
        if self._name() == "":
            self._send(HTTPStatus.OK, "text/html", self.explorer.page)
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        answer = self.explorer.answers.get(self._name() or "")
        length = self.headers.get("Content-Length", "")
        if answer is None:
            self._refuse(HTTPStatus.NOT_FOUND)
        elif self.headers.get_content_type() != "application/json" or not length.isdecimal():
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        elif len(length) > len(str(BODY_MAX)) or int(length) > BODY_MAX:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._answer(answer, self.rfile.read(int(length)))

    def _answer(self, answer: Callable[[Question], object], body: bytes) -> None:
        try:
            asked = json.loads(body)
            if not isinstance(asked, dict):
                raise ValueError("no object")
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        try:
            status, told = HTTPStatus.OK, answer(cast(Question, asked))
        except FinaleError as error:
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            words = {"code": error.code, "message": error.message, "advice": error.advice}
            told = all_visible(words)
        self._send(status, "application/json", json.dumps(told))

    def _name(self) -> str | None:
        """What is asked for below the token; nothing without the token or from another host."""
        host = f"{HOST}:{cast(_Server, self.server).server_port}"
        before, token, name = (*self.path.split("/", 2), "", "")[:3]
        known = secrets.compare_digest(token.encode(), self.explorer.token.encode())
        is_ours = not before and known and self.headers.get("Host") == host
        return name if is_ours else None

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True  # what is left of the question is not read
        self._send(status, "text/plain", status.phrase)

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the page shows what happens."""


def serving(explorer: Explorer, port: int) -> _Server:
    """A server that listens; `port` 0 means any free port. Raises `port-taken`, `bad-value`."""
    if not 0 <= port < 2**16:
        raise FinaleError(
            "bad-value", f"--port is {port}", advice="write a number between 1 and 65535, or 0"
        )
    try:
        return _Server(port, explorer)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        why = "is taken" if error.errno == errno.EADDRINUSE else "is reserved for the system"
        raise FinaleError(
            "port-taken",
            f"the port {port} {why}",
            advice="choose another --port, or leave it out: then any free port is taken",
        ) from None


__all__ = ["Explorer", "serving"]
