"""What was worked out before: parts of systems, and reports of searches.

Question: has this already been worked out, from exactly the same things?
Given: what a part of a system is made from, or what a search was asked.
Hands on: the part or the report as it was, or nothing. A cache never fails a check: what cannot be
read or written is worked out again.
Start reading in `parts.py`; `code.py` says what a rule is made from.
"""

from __future__ import annotations

import time

#: When this process began to load what it depends on, in seconds since 1970. A file that was
#: changed later may be another one than the one that was loaded.
BEGAN = time.time()
