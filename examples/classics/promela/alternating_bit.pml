/* The alternating bit protocol over channels that lose, written by hand.
   -DCONSTANT: the sender does not turn its bit. */
chan messages = [2] of { bit, byte };
chan acknowledgements = [2] of { bit };
bit now, acknowledged, expected;
byte sent = 1, received = 1;
bool begun;
hidden byte b;
hidden byte d;

#define start(x, s, r) atomic { !begun -> begun = true; \
	now = x; acknowledged = x; expected = x; sent = s; received = r }
#ifdef CONSTANT
#define turn acknowledged = 1 - acknowledged
#else
#define turn now = 1 - now
#endif
#define next(v) atomic { begun && acknowledged == now && nfull(messages) -> \
	sent = v; turn; messages!now, v }

active proctype All()
{
	do
	:: start(0, 1, 1) :: start(0, 1, 2) :: start(0, 2, 1) :: start(0, 2, 2)
	:: start(1, 1, 1) :: start(1, 1, 2) :: start(1, 2, 1) :: start(1, 2, 2)
	:: next(1)
	:: next(2)
	:: atomic { begun && acknowledged != now && nfull(messages) -> messages!now, sent }
	:: atomic { begun && nempty(messages) -> messages?expected, received }
	:: atomic { begun && nfull(acknowledgements) -> acknowledgements!expected }
	:: atomic { begun && nempty(acknowledgements) -> acknowledgements?acknowledged }
	:: atomic { begun && nempty(messages) -> messages?_, _ }
	:: atomic { begun && len(messages) == 2 -> messages?b, d; messages?_, _; messages!b, d }
	:: atomic { begun && nempty(acknowledgements) -> acknowledgements?_ }
	:: atomic { begun && len(acknowledgements) == 2 ->
		acknowledgements?b; acknowledgements?_; acknowledgements!b }
	od
}

ltl new_data_meet_a_receiver { [] (begun && acknowledged == now -> expected == now) }
