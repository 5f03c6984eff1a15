------------------------------- MODULE Safra -------------------------------
\* Termination detection with messages under way (EWD 998), written by hand.
EXTENDS Integers
CONSTANTS N, Messages, Blackens
VARIABLES active, black, count, pending, at, tokenBlack, sum, sent
vars == <<active, black, count, pending, at, tokenBlack, sum, sent>>
Nodes == 0 .. N - 1
Zero == [n \in Nodes |-> 0]
Init == /\ active \in [Nodes -> BOOLEAN] /\ black = [n \in Nodes |-> FALSE]
        /\ count = Zero /\ pending = Zero /\ at = 0 /\ tokenBlack = TRUE /\ sum = 0 /\ sent = 0
Detected == at = 0 /\ ~tokenBlack /\ ~black[0] /\ ~active[0] /\ sum + count[0] = 0
Terminated == \A n \in Nodes : ~active[n] /\ pending[n] = 0
Initiate == /\ at = 0 /\ ~(~tokenBlack /\ ~black[0] /\ sum + count[0] = 0)
            /\ at' = N - 1 /\ tokenBlack' = FALSE /\ sum' = 0
            /\ black' = [black EXCEPT ![0] = FALSE] /\ UNCHANGED <<active, count, pending, sent>>
PassOn(n) == /\ n # 0 /\ at = n /\ ~active[n] /\ at' = n - 1 /\ sum' = sum + count[n]
             /\ tokenBlack' = (tokenBlack \/ black[n]) /\ black' = [black EXCEPT ![n] = FALSE]
             /\ UNCHANGED <<active, count, pending, sent>>
Send(n, m) == /\ n # m /\ active[n] /\ sent < Messages /\ sent' = sent + 1
              /\ count' = [count EXCEPT ![n] = @ + 1] /\ pending' = [pending EXCEPT ![m] = @ + 1]
              /\ UNCHANGED <<active, black, at, tokenBlack, sum>>
Receive(n) == /\ pending[n] > 0 /\ pending' = [pending EXCEPT ![n] = @ - 1]
              /\ count' = [count EXCEPT ![n] = @ - 1] /\ active' = [active EXCEPT ![n] = TRUE]
              /\ black' = IF Blackens THEN [black EXCEPT ![n] = TRUE] ELSE black
              /\ UNCHANGED <<at, tokenBlack, sum, sent>>
Stop(n) == /\ active[n] /\ active' = [active EXCEPT ![n] = FALSE]
           /\ UNCHANGED <<black, count, pending, at, tokenBlack, sum, sent>>
Next == \/ Initiate \/ \E n \in Nodes : PassOn(n) \/ Receive(n) \/ Stop(n)
        \/ \E n, m \in Nodes : Send(n, m)
FairSpec == Init /\ [][Next]_vars /\ WF_vars(Initiate) /\ \A n \in Nodes : WF_vars(PassOn(n))
detected_is_terminated == Detected => Terminated
termination_is_found == Terminated ~> Detected
=============================================================================
