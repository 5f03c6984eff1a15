/* Peterson's mutual exclusion for two processes, written by hand.  -DTURN_FIRST swaps two lines. */
bool interested[2];
byte turn = 0;

active [2] proctype P()
{
	do
	:: true;
#ifdef TURN_FIRST
	   turn = 1 - _pid;
	   interested[_pid] = true;
#else
asked:	   interested[_pid] = true;
	   turn = 1 - _pid;
#endif
	   (!interested[1 - _pid] || turn == _pid);
critical:  skip;
leaving:   interested[_pid] = false
	od
}

#define inside(p) (P[p]@critical || P[p]@leaving)
ltl one_in_peterson { [] !(inside(0) && inside(1)) }
#ifndef TURN_FIRST
ltl peterson_lets_in { [] (P[0]@asked -> <> P[0]@critical) }
#endif
