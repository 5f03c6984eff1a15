------------------------------------------- MODULE Coins -------------------------------------------
\* A tiny system
\* The protocol Coins; made by finale export from Coins.toml.
\*
\*   java -cp tla2tools.jar tlc2.TLC -workers 1 -config Coins.cfg Coins
\*
\* TLC generates the 4 initial states, then a state for each transition; the depth that it tells
\* counts states and not steps. A step that would be a fault is none: well_formed tells.
EXTENDS Integers

VARIABLES
  penny_heads, dime_heads

vars == <<penny_heads, dime_heads>>

Init ==
  /\ \/ penny_heads = FALSE /\ dime_heads = FALSE
     \/ penny_heads = FALSE /\ dime_heads = TRUE
     \/ penny_heads = TRUE /\ dime_heads = FALSE
     \/ penny_heads = TRUE /\ dime_heads = TRUE

\* flip(penny): A coin is flipped.
flip_penny ==
  /\ penny_heads' = ~penny_heads
  /\ UNCHANGED <<dime_heads>>

\* flip(dime): A coin is flipped.
flip_dime ==
  /\ dime_heads' = ~dime_heads
  /\ UNCHANGED <<penny_heads>>

Next ==
  \/ flip_penny
  \/ flip_dime

Spec == Init /\ [][Next]_vars

\* No rule does what no rule may do, and no property reads what is not there.
well_formed ==
  /\ TRUE

\* A rule that makes progress can be taken, or but for a bound; or all has ended.
is_terminal ==
  FALSE

at_bound ==
  FALSE

no_deadlock ==
  \/ is_terminal
  \/ at_bound
  \/ ENABLED <<Next>>_vars

\* dime-follows: With the penny on heads the dime is, too: the third initial state has it otherwise.
dime_follows ==
  (~penny_heads \/ dime_heads)

\* penny-falls: A penny that starts on heads falls on tails some time: nobody promises to flip it.
penny_falls_cause_0 ==
  penny_heads

penny_falls_goal_0 ==
  ~penny_heads

penny_falls ==
  /\ (penny_falls_cause_0 => <>penny_falls_goal_0)

Fairness ==
  /\ TRUE
FairSpec == Spec /\ Fairness

====================================================================================================
