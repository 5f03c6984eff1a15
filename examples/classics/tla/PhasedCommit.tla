---------------------------- MODULE PhasedCommit ----------------------------
\* Two- and three-phase commit when the coordinator may crash, written by hand.
CONSTANTS Members, ThreePhases, Together
VARIABLES status, prepareSent, outcomeSent, phase, alive
vars == <<status, prepareSent, outcomeSent, phase, alive>>
Ended(m) == status[m] \in {"committed", "aborted"}
Init == /\ status = [m \in Members |-> "working"] /\ prepareSent = {} /\ outcomeSent = {}
        /\ phase = "collecting" /\ alive = TRUE
Crash == alive /\ alive' = FALSE /\ UNCHANGED <<status, prepareSent, outcomeSent, phase>>
Become(m, s) == status' = [status EXCEPT ![m] = s]
                /\ UNCHANGED <<prepareSent, outcomeSent, phase, alive>>
Vote(m) == status[m] = "working" /\ (Become(m, "ready") \/ Become(m, "aborted"))
Decide == /\ alive /\ phase = "collecting" /\ \A m \in Members : status[m] # "working"
          /\ phase' = IF \E m \in Members : status[m] = "aborted" THEN "aborting"
                      ELSE IF ThreePhases THEN "preparing" ELSE "committing"
          /\ UNCHANGED <<status, prepareSent, outcomeSent, alive>>
SendPrepare(m) == /\ alive /\ phase = "preparing" /\ m \notin prepareSent
                  /\ prepareSent' = prepareSent \cup {m}
                  /\ UNCHANGED <<status, outcomeSent, phase, alive>>
Prepare(m) == m \in prepareSent /\ status[m] = "ready" /\ Become(m, "prepared")
DecideCommit == /\ alive /\ phase = "preparing" /\ \A m \in Members : status[m] = "prepared"
                /\ phase' = "committing" /\ UNCHANGED <<status, prepareSent, outcomeSent, alive>>
SendOutcome(m) == /\ alive /\ phase \in {"committing", "aborting"} /\ m \notin outcomeSent
                  /\ outcomeSent' = outcomeSent \cup {m}
                  /\ UNCHANGED <<status, prepareSent, phase, alive>>
Learn(m) == /\ m \in outcomeSent /\ ~Ended(m)
            /\ Become(m, IF phase = "committing" THEN "committed" ELSE "aborted")
GoOn(m) == /\ ThreePhases /\ ~alive /\ m \notin outcomeSent /\ ~Ended(m)
           /\ LET prepared == IF Together THEN prepareSent # {} ELSE status[m] = "prepared"
              IN Become(m, IF prepared THEN "committed" ELSE "aborted")
OfMember(m) == \/ Vote(m) \/ SendPrepare(m) \/ Prepare(m) \/ SendOutcome(m) \/ Learn(m) \/ GoOn(m)
Next == Crash \/ Decide \/ DecideCommit \/ \E m \in Members : OfMember(m)
FairSpec == /\ Init /\ [][Next]_vars /\ WF_vars(Decide) /\ WF_vars(DecideCommit)
            /\ \A m \in Members :
                 /\ WF_vars(Vote(m)) /\ WF_vars(SendPrepare(m)) /\ WF_vars(Prepare(m))
                 /\ WF_vars(SendOutcome(m)) /\ WF_vars(Learn(m)) /\ WF_vars(GoOn(m))
members_agree == ~(\E m, n \in Members : status[m] = "committed" /\ status[n] = "aborted")
no_deadlock == ENABLED Next \/ \A m \in Members : Ended(m)
members_end == <>(\A m \in Members : Ended(m))
=============================================================================
