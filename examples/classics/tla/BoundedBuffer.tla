---------------------------- MODULE BoundedBuffer ----------------------------
\* A bounded buffer whose threads share one condition variable, written by hand.
EXTENDS Integers, FiniteSets
CONSTANTS Producers, Consumers, Capacity, WakesOther
VARIABLES filled, waiting
vars == <<filled, waiting>>
Threads == Producers \cup Consumers
Init == filled = 0 /\ waiting = {}
CanGoOn(t) == IF t \in Producers THEN filled < Capacity ELSE filled > 0
Others(t) == IF t \in Producers THEN Consumers ELSE Producers
Wakes(t) == waiting \cap (IF WakesOther THEN Others(t) ELSE Threads)
GoOn(t) == /\ t \notin waiting /\ CanGoOn(t)
           /\ filled' = IF t \in Producers THEN filled + 1 ELSE filled - 1
           /\ IF Wakes(t) = {} THEN UNCHANGED waiting
              ELSE \E w \in Wakes(t) : waiting' = waiting \ {w}
Wait(t) == /\ t \notin waiting /\ ~CanGoOn(t)
           /\ waiting' = waiting \cup {t} /\ UNCHANGED filled
Next == \E t \in Threads : GoOn(t) \/ Wait(t)
FairSpec == Init /\ [][Next]_vars
no_deadlock == ENABLED Next
somebody_is_awake == waiting # Threads
==============================================================================
