"""How are complete event logs judged fast? Steps are looked up by what they read.

**The idea.** What a rule does to a state depends only on the variables that the rule reads, and the
same holds for what a property says. So each rule and each property is a function that is learned
path by path: the first time the Python body runs on a store that notes each read, and the reads
become a path of a decision tree whose leaf is the result. The next time, if the state has the same
values there, the tree gives the result and no Python runs. No rule is written a second time.

    line of the log      lines.py       a known form of event, and the number of a checkpoint
    event                shapes.py      the rule that the form tells, in a system that is shared by
                                        all sections with the same protocol, options, job and bounds
    step                 cache.py       rule and properties by their trees; if a path is missing ...
    learning             functions.py   ... the Python body runs once on a store of cells.py

**Properties.** A property is asked again only if a cell that it ever read has changed since then.
`property_monitor.py` is the reference: both give the same findings.

**Checkpoints.** A run has any number of checkpoints and a state has sixteen. Before an event that
can begin a checkpoint, each checkpoint that nothing names any more is forgotten, and those behind
it move down one place. Each cell then depends on one cell at most, so a tree for each cell gives
its new value. Most of what happens is learned once, for the first few places.

**Where the trees are walked.** Python walks a tree some hundred times slower than machine code. So
`cache.py` keeps trees, states and sets of properties in arrays, and the loop in
`checker/search/native/kernel/cache_follow.py` follows a run through them. It returns to Python if a
path is missing or a property fails, and goes on at the same event.

**What is not done here.** A run that cannot be followed is judged once more event by event, by the
rules themselves (`../judge.py`): that gives the reason. A log with gaps is searched
(`section_search.py`).
"""
