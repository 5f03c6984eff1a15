---------------------------- MODULE Philosophers ----------------------------
\* Dining philosophers who take one fork after the other, written by hand.
EXTENDS Integers
CONSTANTS N, RightHanded, Strong
VARIABLES at, holder
vars == <<at, holder>>
Guests == 0 .. N - 1
Nobody == -1
Left(g) == g
Right(g) == (g + 1) % N
First(g) == IF RightHanded /\ g = N - 1 THEN Right(g) ELSE Left(g)
Second(g) == IF RightHanded /\ g = N - 1 THEN Left(g) ELSE Right(g)
Init == at = [g \in Guests |-> "thinking"] /\ holder = [f \in Guests |-> Nobody]
GetHungry(g) == at[g] = "thinking" /\ at' = [at EXCEPT ![g] = "hungry"] /\ UNCHANGED holder
TakeFirst(g) == /\ at[g] = "hungry" /\ holder[First(g)] = Nobody
                /\ holder' = [holder EXCEPT ![First(g)] = g]
                /\ at' = [at EXCEPT ![g] = "half"]
TakeSecond(g) == /\ at[g] = "half" /\ holder[Second(g)] = Nobody
                 /\ holder' = [holder EXCEPT ![Second(g)] = g]
                 /\ at' = [at EXCEPT ![g] = "eating"]
PutBack(g) == /\ at[g] = "eating" /\ at' = [at EXCEPT ![g] = "thinking"]
              /\ holder' = [holder EXCEPT ![Left(g)] = Nobody, ![Right(g)] = Nobody]
Next == \E g \in Guests : GetHungry(g) \/ TakeFirst(g) \/ TakeSecond(g) \/ PutBack(g)
FairSpec == /\ Init /\ [][Next]_vars
            /\ \A g \in Guests : /\ WF_vars(GetHungry(g)) /\ WF_vars(PutBack(g))
                                 /\ WF_vars(TakeFirst(g)) /\ WF_vars(TakeSecond(g))
                                 /\ Strong => SF_vars(TakeFirst(g)) /\ SF_vars(TakeSecond(g))
neighbours_take_turns ==
  \A g \in Guests : at[g] = "eating" => holder[Left(g)] = g /\ holder[Right(g)] = g
no_deadlock == ENABLED Next
each_philosopher_eats == \A g \in Guests : at[g] = "hungry" ~> at[g] = "eating"
=============================================================================
