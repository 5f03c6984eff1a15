"""Shows values in a trace: `model/value_text.py` has the texts, which labels of steps share."""

from model.value_text import (
    ARROW,
    ValueChange,
    changes,
    label_of,
    queue_moves,
    queue_text,
    value_text,
)

__all__ = ["ARROW", "ValueChange", "changes", "label_of", "queue_moves", "queue_text", "value_text"]
