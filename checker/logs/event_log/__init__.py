"""Does a complete event log tell a run of the protocol?

The input is an event log. The output is whether a run explains the log, and the findings of that
run: start with `acceptance.py`. `section_search.py` looks for the run; `section_setting.py` reads
the protocol and its options from the first line of a section. `step_cache` judges many complete
logs fast.
"""
