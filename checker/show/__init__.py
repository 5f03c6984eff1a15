"""How results look: tables, traces, drawings of jobs and life cycles, in a terminal or a pipe."""
