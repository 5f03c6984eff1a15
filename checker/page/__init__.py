"""How does an answer become one HTML file that anybody can open?

Given stories of traces, tables and texts, this room hands on whole pages: escaped, without anything
that is loaded from elsewhere, readable on paper and without scripts. Start with `document.py` (the
page around everything), then `parts.py` (sections, tables, verdicts) and `told.py` (a trace).
"""
