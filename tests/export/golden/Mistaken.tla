----------------------------------------- MODULE Mistaken ------------------------------------------
\* A tiny system
\* The protocol Mistaken; made by finale export from Mistaken.toml.
\*
\*   java -cp tla2tools.jar tlc2.TLC -workers 1 -config Mistaken.cfg Mistaken
\*
\* TLC generates the 1 initial state, then a state for each transition; the depth that it tells
\* counts states and not steps. A step that would be a fault is none: well_formed tells.
EXTENDS Integers

VARIABLES
  message_kind, message_value, number

message == <<message_kind, message_value>>
vars == <<message, number>>

kind_Number == 0
kind_Silence == 1

Init ==
  /\ message_kind = kind_Number
  /\ message_value = 1
  /\ number = 0

\* hush(): The message becomes silence.
hush ==
  IF (message_kind = kind_Number)
  THEN /\ message_kind' = kind_Silence
       /\ message_value' = 0
       /\ UNCHANGED <<number>>
  ELSE FALSE

\* read(): The number of the message is read.
read ==
  IF (message_kind = kind_Number)
  THEN /\ number' = message_value
       /\ UNCHANGED <<message>>
  ELSE FALSE \* a fault, see well_formed: field-of-another-variant

Next ==
  \/ hush
  \/ read

Spec == Init /\ [][Next]_vars

\* read() does what no rule may do.
read_faults ==
  ~(message_kind = kind_Number)

\* No rule does what no rule may do, and no property reads what is not there.
well_formed ==
  /\ ~read_faults

\* A rule that makes progress can be taken, or but for a bound; or all has ended.
is_terminal ==
  FALSE

at_bound ==
  FALSE

no_deadlock ==
  \/ is_terminal
  \/ at_bound
  \/ read_faults
  \/ ENABLED <<Next>>_vars

Fairness ==
  /\ TRUE
FairSpec == Spec /\ Fairness

====================================================================================================
