/* A tiny system
   The protocol Coins; made by finale export from Coins.toml.

     spin -o2 -a Coins.pml
     gcc -O2 -DSAFETY -DNOREDUCE -DNOSTUTTER -o pan pan.c
     ./pan -E -m10000000 -w24
   Stored states are the states; stored and matched together are one more than the
   transitions. -DNOCLAIM leaves the properties of states out; spin -DREACHABLE also takes
   what is to be reached as if it must not be.
   There are 4 initial states: SPIN stores one state more, the one before the choice,
   and makes as many transitions more as there are initial states.
   An assertion that fails tells a property by its number:
     1  well-formed
     2  no-deadlock
*/

bool penny_heads = false;
bool dime_heads = false;

active proctype system() {
  if
  :: d_step { true }
  :: d_step { true; dime_heads = true }
  :: d_step { true; penny_heads = true }
  :: d_step { true; penny_heads = true; dime_heads = true }
  fi;
end:
  do
  /* flip(penny): A coin is flipped. */
  :: d_step { true ->
       penny_heads = !penny_heads
     }
  /* flip(dime): A coin is flipped. */
  :: d_step { true ->
       dime_heads = !dime_heads
     }
  od
}

never {
  do
  :: d_step {
       true;
       /* 2, no-deadlock: Something can change, or all has come to its end, or a bound is in the
          way. */
       if :: !(!(!penny_heads == penny_heads) || !(!dime_heads == dime_heads)) -> assert(2 == 0)
           :: else fi;
       skip
     }
  od
}
