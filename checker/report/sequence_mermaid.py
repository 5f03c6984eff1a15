"""Writes a sequence diagram as Mermaid, which many wikis and code reviews draw."""

from __future__ import annotations

import json
from collections.abc import Iterator

from finale.model.visible import visible

from .sequence import Diagram, Message, Moment

#: Characters that Mermaid, or the HTML that it makes, would read as its own.
_RESERVED = {character: f"#{ord(character)};" for character in '#;<>&"%{}[]'}


def sequence_mermaid(diagram: Diagram, title: str) -> str:
    """The diagram as Mermaid. A message that takes time is drawn where it arrives."""
    heading = json.dumps(visible(title), ensure_ascii=False)
    lines = ["---", f"title: {heading}", "---", "sequenceDiagram"]
    for number, lane in enumerate(diagram.lanes):
        lines.append(f"    participant p{number} as {_text(lane.name)}")
    for moment in diagram.moments:
        if diagram.loop is not None and moment.number == diagram.loop + 1:
            lines.append("    loop repeats forever")
        lines += _moment(diagram, moment)
        if moment.number == diagram.no_return:
            lines.append(f"    Note over {_all(diagram)}: from here on the violation is inevitable")
    if diagram.loop is not None and diagram.loop < len(diagram.moments):
        lines.append("    end")
    for message in diagram.messages:
        if message.ended is None:
            note = f"{message.label}, sent in step {message.sent}, is still under way"
            lines.append(f"    p{message.source}--)p{message.target}: {_text(note)}")
    return "\n".join(lines) + "\n"


def _all(diagram: Diagram) -> str:
    return ",".join(dict.fromkeys(["p0", f"p{len(diagram.lanes) - 1}"]))


def _moment(diagram: Diagram, moment: Moment) -> Iterator[str]:
    star = "★ " if moment.is_decisive else ""
    fault = ", a fault" if moment.is_fault else ""
    if moment.is_decisive:
        yield "    rect rgba(240, 180, 40, 0.25)"
    lanes = ",".join(f"p{lane}" for lane in (moment.lane, *moment.beside[-1:]))
    yield f"    Note over {lanes}: {star}{_text(f'{moment.number} {moment.text}{fault}')}"
    for message in diagram.messages:
        if message.ended == moment.number:
            yield f"    {_arrow(message)}"
    if moment.is_decisive:
        yield "    end"


def _arrow(message: Message) -> str:
    if message.is_instant:
        return f"p{message.source}->>p{message.target}: {_text(message.label)}"
    sent = f"{message.label}, sent in step {message.sent}"
    if message.arrived:
        return f"p{message.source}-)p{message.target}: {_text(sent)}"
    return f"p{message.source}-xp{message.target}: {_text(f'{sent}, is lost')}"


def _text(text: str) -> str:
    """A text that Mermaid takes as it is."""
    return "".join(_RESERVED.get(character, character) for character in visible(text))
