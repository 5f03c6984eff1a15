"""Calls a function in a process of its own, which ends by itself if it takes too long."""

from __future__ import annotations

import json
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

#: Processor time after which a process never ends.
SECONDS_MAX = 60


def apart(call: Callable[[], Any], seconds: float = SECONDS_MAX) -> Any:
    """What a call returns, as JSON; a text if the process ended otherwise."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
            with os.fdopen(writing, "w") as answer:
                json.dump(call(), answer)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return json.loads(text) if text else "nothing was said"
