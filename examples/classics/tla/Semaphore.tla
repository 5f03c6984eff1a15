------------------------------ MODULE Semaphore ------------------------------
\* Processes that share a binary semaphore, written by hand.
EXTENDS Integers
CONSTANTS Customers, Strong
VARIABLE at
Init == at = [c \in Customers |-> "idle"]
Ask(c) == at[c] = "idle" /\ at' = [at EXCEPT ![c] = "waiting"]
Take(c) == /\ at[c] = "waiting" /\ \A d \in Customers : at[d] # "critical"
           /\ at' = [at EXCEPT ![c] = "critical"]
Release(c) == at[c] = "critical" /\ at' = [at EXCEPT ![c] = "idle"]
Next == \E c \in Customers : Ask(c) \/ Take(c) \/ Release(c)
Fair == \A c \in Customers : /\ WF_at(Release(c))
                             /\ IF Strong THEN SF_at(Take(c)) ELSE WF_at(Take(c))
FairSpec == Init /\ [][Next]_at /\ Fair
one_holds_the_semaphore ==
  \A c, d \in Customers : at[c] = "critical" /\ at[d] = "critical" => c = d
semaphore_lets_in == \A c \in Customers : at[c] = "waiting" ~> at[c] = "critical"
==============================================================================
