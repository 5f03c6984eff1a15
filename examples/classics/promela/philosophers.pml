/* Three dining philosophers, written by hand.
   -DRIGHT_HANDED: the last one takes the right fork first. */
byte holder[3];

#ifdef RIGHT_HANDED
#define first  (_pid == 2 -> 0 : _pid)
#define second (_pid == 2 -> 2 : (_pid + 1) % 3)
#else
#define first  _pid
#define second ((_pid + 1) % 3)
#endif

active [3] proctype Guest()
{
	do
	:: true;
hungry:	   atomic { holder[first] == 0 -> holder[first] = _pid + 1 };
	   atomic { holder[second] == 0 -> holder[second] = _pid + 1 };
eating:	   d_step { holder[first] = 0; holder[second] = 0 }
	od
}

ltl neighbours_take_turns { [] !(Guest[0]@eating && Guest[1]@eating) }
ltl each_philosopher_eats { [] (Guest[0]@hungry -> <> Guest[0]@eating) }
