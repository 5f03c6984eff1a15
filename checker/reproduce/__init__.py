"""Does a real Flink do what a counterexample claims?

Given the trace of a violated property, this room says in which order a real Flink must take its
steps, and judges the run that `reference/flink` made of this order. Start with `ordering.py`:

1. `happens_before.py`: which steps of the trace come before which, and which may come in any order.
2. `ordering.py`: the order of those steps that a hook of Flink takes.
3. `driven.py`: which protocols, options and parts of a job the driver builds. It refuses others.
4. `dangerous.py`: of a spec that holds there is no counterexample; which orders are tried instead?
5. `verdicts.py`: was the damage seen that the property forbids? Does the judge of logs accept the
   run's own log? `causes.py`: if no damage was seen, what can be the cause?
"""
