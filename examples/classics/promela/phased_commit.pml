/* Two- and three-phase commit when the coordinator may crash, written by hand.
   MEMBERS of them; -DTWO_PHASES: no third phase; -DALONE: each member goes on by itself. */
mtype = { working, ready, prepared, committed, aborted,
	  collecting, preparing, committing, aborting };
mtype status[MEMBERS] = working;
bool prepare_sent[MEMBERS], outcome_sent[MEMBERS];
mtype phase = collecting;
bool alive = true;

#if MEMBERS == 2
#define all(x)  (x(0) && x(1))
#define some(x) (x(0) || x(1))
#else
#define all(x)  (x(0) && x(1) && x(2))
#define some(x) (x(0) || x(1) || x(2))
#endif
#define has_voted(m)    (status[m] != working)
#define has_aborted(m)  (status[m] == aborted)
#define has_committed(m) (status[m] == committed)
#define has_prepared(m) (status[m] == prepared)
#define was_told(m)     prepare_sent[m]
#define has_ended(m)    (status[m] == committed || status[m] == aborted)
#define decided         (phase == committing || phase == aborting)
#ifdef TWO_PHASES
#define next committing
#define goes_on false
#else
#define next preparing
#define goes_on (!alive)
#endif
#ifdef ALONE
#define may_commit(m) (status[m] == prepared)
#else
#define may_commit(m) some(was_told)
#endif

active proctype Coordinator()
{
end:	do
	:: d_step { alive -> alive = false }
	:: d_step { alive && phase == collecting && all(has_voted) ->
		phase = (some(has_aborted) -> aborting : next) }
	:: d_step { alive && phase == preparing && all(has_prepared) -> phase = committing }
	od
}

active [MEMBERS] proctype Member()
{
#define me (_pid - 1)
end:	do
	:: d_step { status[me] == working -> status[me] = ready }
	:: d_step { status[me] == working -> status[me] = aborted }
	:: d_step { alive && phase == preparing && !prepare_sent[me] -> prepare_sent[me] = true }
	:: d_step { prepare_sent[me] && status[me] == ready -> status[me] = prepared }
	:: d_step { alive && decided && !outcome_sent[me] -> outcome_sent[me] = true }
	:: d_step { outcome_sent[me] && !has_ended(me) ->
		status[me] = (phase == committing -> committed : aborted) }
	:: d_step { goes_on && !outcome_sent[me] && !has_ended(me) ->
		status[me] = (may_commit(me) -> committed : aborted) }
	od
}

ltl members_agree { [] !(some(has_committed) && some(has_aborted)) }
