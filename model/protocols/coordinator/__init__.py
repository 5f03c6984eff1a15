"""The checkpoint coordinator: plan, trigger, acknowledgement, completion, abort, and its store."""
