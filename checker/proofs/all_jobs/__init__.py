"""Proves facts about jobs of any shape and size: what methods of the model do on any graph.

Read in this order: `window` (how a method is read off for all jobs), `logic` (what formulas are
made of), `reading` (the methods as formulas), `fact` (what a fact is, and how z3 is asked). Then
the facts: `plans`, `calls`, `alignment`, `starts`. `facts` lists them, and `compared` tests the
formulas on small jobs.
"""
