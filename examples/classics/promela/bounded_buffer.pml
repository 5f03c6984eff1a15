/* Threads that share a buffer and one condition variable, written by hand.
   THREADS of them, the first PRODUCERS put; -DWAKES_OTHER: a thread wakes the other kind only. */
byte filled;
bool waiting[THREADS];
hidden byte i;

#define puts(t)      (t < PRODUCERS)
#define can_go_on    (puts(_pid) && filled < CAPACITY || !puts(_pid) && filled > 0)
#ifdef WAKES_OTHER
#define may_wake(t)  (waiting[t] && puts(t) != puts(_pid))
#else
#define may_wake(t)  (waiting[t])
#endif

inline go_on(t)
{
	d_step {
		!waiting[_pid] && can_go_on && may_wake(t) ->
		waiting[t] = false;
		if
		:: puts(_pid) -> filled++
		:: else -> filled--
		fi
	}
}

#if THREADS == 3
#define nobody (!may_wake(0) && !may_wake(1) && !may_wake(2))
#else
#define nobody (!may_wake(0) && !may_wake(1) && !may_wake(2) && !may_wake(3))
#endif

active [THREADS] proctype Thread()
{
	do
	:: go_on(0)
	:: go_on(1)
	:: go_on(2)
#if THREADS == 4
	:: go_on(3)
#endif
	:: d_step {
		!waiting[_pid] && can_go_on && nobody ->
		if
		:: puts(_pid) -> filled++
		:: else -> filled--
		fi
	   }
	:: d_step { !waiting[_pid] && !can_go_on -> waiting[_pid] = true }
	od
}

ltl somebody_is_awake { [] (!waiting[0] || !waiting[1] || !waiting[2]
#if THREADS == 4
	|| !waiting[3]
#endif
) }
