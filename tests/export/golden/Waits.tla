------------------------------------------- MODULE Waits -------------------------------------------
\* A tiny system
\* The protocol Waits; made by finale export from Waits.toml.
\*
\*   java -cp tla2tools.jar tlc2.TLC -workers 1 -config Waits.cfg Waits
\*
\* TLC generates the 1 initial state, then a state for each transition; the depth that it tells
\* counts states and not steps. A step that would be a fault is none: well_formed tells.
EXTENDS Integers

VARIABLES
  has_worked, failures

vars == <<has_worked, failures>>

Init ==
  /\ has_worked = FALSE
  /\ failures = 0

\* work(): The work is done.
work ==
  IF has_worked
  THEN FALSE
  ELSE /\ has_worked' = TRUE
       /\ UNCHANGED <<failures>>

\* fail(): A failure undoes the work.
fail ==
  IF (failures < 1)
  THEN /\ has_worked' = FALSE
       /\ failures' = (failures + 1)
  ELSE FALSE \* forbidden by the bound "failures" alone

Next ==
  \/ work
  \/ fail

Spec == Init /\ [][Next]_vars

\* No rule does what no rule may do, and no property reads what is not there.
well_formed ==
  /\ TRUE

\* The rules that a run can rely on.
Progress ==
  \/ work

\* A rule that makes progress can be taken, or but for a bound; or all has ended.
is_terminal ==
  FALSE

at_bound ==
  FALSE

no_deadlock ==
  \/ is_terminal
  \/ at_bound
  \/ ENABLED <<Progress>>_vars

Fairness ==
  /\ WF_vars(work)
FairSpec == Spec /\ Fairness

====================================================================================================
