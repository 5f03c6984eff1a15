"""Options without effect: a spec that sets one of them is refused."""

from __future__ import annotations

from collections.abc import Sequence

from finale.model.errors import FinaleError, Place
from finale.model.protocols.task.sources import FetchingSource, Source
from finale.model.protocols.task.tasks import Task


def refuse_idle(toggles: object, tasks: Sequence[Task], *, has_watermarks: bool) -> None:
    """Refuse options that no task of the job can use. Raises `option-without-effect`."""
    late = has_watermarks and any(task.inputs for task in tasks)
    sources = [task for task in tasks if isinstance(task, Source)]
    fetched = any(isinstance(task, FetchingSource) and task.data for task in sources)
    for name, used, lacks in (
        ("interruptible_timers", late, "no task gets a watermark"),
        ("repeats_watermark", has_watermarks, "no source emits a watermark"),
        ("aligns_sources", has_watermarks and len(sources) > 1, "no two sources emit watermarks"),
        ("fetches_apart", fetched, "no source has records"),
    ):
        if getattr(toggles, name) and not used:
            raise FinaleError(
                "option-without-effect",
                f'the option "{name}" changes nothing here: {lacks}',
                place=Place(key=f"options.{name}"),
                advice="leave it out, or choose a job and bounds with which it matters",
            )
