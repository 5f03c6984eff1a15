---------------------------- MODULE RaftElection ----------------------------
\* Raft's leader election with restarts, written by hand.
EXTENDS Integers, FiniteSets
CONSTANTS Servers, Nobody, Terms, Restarts, Remembers
VARIABLES term, role, votedFor, granted, messages, restarted
vars == <<term, role, votedFor, granted, messages, restarted>>
Init == /\ term = [s \in Servers |-> 0] /\ role = [s \in Servers |-> "follower"]
        /\ votedFor = [s \in Servers |-> Nobody] /\ granted = [s \in Servers |-> {}]
        /\ messages = {} /\ restarted = 0
TimeOut(s) == /\ role[s] # "leader" /\ term[s] < Terms
              /\ term' = [term EXCEPT ![s] = @ + 1] /\ role' = [role EXCEPT ![s] = "candidate"]
              /\ votedFor' = [votedFor EXCEPT ![s] = s] /\ granted' = [granted EXCEPT ![s] = {s}]
              /\ messages' = messages \cup {<<"ask", s, term[s] + 1>>} /\ UNCHANGED restarted
Grant(s, c, t) ==
  /\ s # c /\ <<"ask", c, t>> \in messages
  /\ t >= term[s] /\ ~(t = term[s] /\ votedFor[s] # Nobody)
  /\ term' = [term EXCEPT ![s] = t]
  /\ role' = IF t > term[s] THEN [role EXCEPT ![s] = "follower"] ELSE role
  /\ granted' = IF t > term[s] THEN [granted EXCEPT ![s] = {}] ELSE granted
  /\ votedFor' = [votedFor EXCEPT ![s] = c]
  /\ messages' = messages \cup {<<"vote", s, c, t>>} /\ UNCHANGED restarted
Collect(s, v) ==
  /\ role[s] = "candidate" /\ <<"vote", v, s, term[s]>> \in messages /\ v \notin granted[s]
  /\ granted' = [granted EXCEPT ![s] = @ \cup {v}]
  /\ UNCHANGED <<term, role, votedFor, messages, restarted>>
Win(s) == /\ role[s] = "candidate" /\ 2 * Cardinality(granted[s]) > Cardinality(Servers)
          /\ role' = [role EXCEPT ![s] = "leader"]
          /\ UNCHANGED <<term, votedFor, granted, messages, restarted>>
Restart(s) == /\ ~(role[s] = "follower" /\ votedFor[s] = Nobody)
              /\ restarted < Restarts /\ restarted' = restarted + 1
              /\ role' = [role EXCEPT ![s] = "follower"] /\ granted' = [granted EXCEPT ![s] = {}]
              /\ votedFor' = IF Remembers THEN votedFor ELSE [votedFor EXCEPT ![s] = Nobody]
              /\ UNCHANGED <<term, messages>>
Next == \/ \E s \in Servers : TimeOut(s) \/ Win(s) \/ Restart(s)
        \/ \E s, c \in Servers, t \in 1 .. Terms : Grant(s, c, t)
        \/ \E s, v \in Servers : Collect(s, v)
FairSpec == Init /\ [][Next]_vars
one_leader_in_a_term ==
  \A s, t \in Servers : role[s] = "leader" /\ role[t] = "leader" /\ term[s] = term[t] => s = t
=============================================================================
