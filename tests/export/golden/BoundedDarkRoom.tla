-------------------------------------- MODULE BoundedDarkRoom --------------------------------------
\* A tiny system
\* The protocol BoundedDarkRoom; made by finale export from BoundedDarkRoom.toml.
\*
\*   java -cp tla2tools.jar tlc2.TLC -workers 1 -config BoundedDarkRoom.cfg BoundedDarkRoom
\*
\* TLC generates the 1 initial state, then a state for each transition; the depth that it tells
\* counts states and not steps. A step that would be a fault is none: well_formed tells.
EXTENDS Integers

VARIABLES
  light, left

vars == <<light, left>>

Init ==
  /\ light = FALSE
  /\ left = FALSE

\* switch(): The light is switched.
switch ==
  IF left
  THEN FALSE
  ELSE /\ light' = ~light
       /\ UNCHANGED <<left>>

\* leave(): Who is in leaves.
leave ==
  IF left
  THEN FALSE
  ELSE FALSE \* forbidden by the bound "exits" alone

Next ==
  \/ switch
  \/ leave

Spec == Init /\ [][Next]_vars

\* No rule does what no rule may do, and no property reads what is not there.
well_formed ==
  /\ TRUE

\* A rule that makes progress can be taken, or but for a bound; or all has ended.
is_terminal ==
  left

at_bound ==
  ~left

no_deadlock ==
  \/ is_terminal
  \/ at_bound
  \/ ENABLED <<Next>>_vars

\* leaves: The room is left.
leaves_cause_0 ==
  TRUE

leaves_goal_0 ==
  left

leaves ==
  /\ (leaves_cause_0 => <>leaves_goal_0)

leave_at_bound ==
  ~left

Fairness ==
  /\ WF_vars(switch)
  /\ WF_vars(leave)
FairSpec == Spec /\ Fairness

\* What a bound blocks counts as enabled: violated here is violated without it.
StrictFairness ==
  /\ WF_vars(switch)
  /\ ([]<>~(ENABLED <<leave>>_vars \/ leave_at_bound) \/ []<><<leave>>_vars)
StrictSpec == Spec /\ StrictFairness

====================================================================================================
