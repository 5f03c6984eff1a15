"""Does a complete event log tell a run of the protocol?

The input is an event log. The output is whether a run explains the log, and the findings of that
run: start with `judge.py`, the one entry point. A complete log is followed by `step_cache`, fast.
For any other log `acceptance.py` asks `section_search.py` for a run. `section_setting.py` reads the
protocol and its options from the first line of a section.
"""
