"""Facts about all jobs: methods of the model over graphs of any shape and size, proven by z3.

In reading order: `window` (how a method is read off for all jobs), `logic` (what formulas are made
of: z3, or plain values), `reading` (what was read off, as formulas), `fact` (what a fact is, and
how it is asked), and the facts: `plans`, `calls`, `alignment`, `starts`; `facts` lists them, and
`compared` holds what was read off against small jobs.
"""
