/* A tiny system
   The protocol Mistaken; made by finale export from Mistaken.toml.

     spin -o2 -a Mistaken.pml
     gcc -O2 -DSAFETY -DNOREDUCE -DNOSTUTTER -o pan pan.c
     ./pan -E -m10000000 -w24
   Stored states are the states; stored and matched together are one more than the
   transitions. -DNOCLAIM leaves the properties of states out; spin -DREACHABLE also takes
   what is to be reached as if it must not be.
   An assertion that fails tells a property by its number:
     1  well-formed
     2  no-deadlock
*/

#define kind_Number 0
#define kind_Silence 1
byte message_kind = kind_Number;
byte message_value = 1;
byte number = 0;

active proctype system() {
end:
  do
  /* hush(): The message becomes silence. */
  :: d_step { (message_kind == kind_Number) ->
       message_kind = kind_Silence;
       message_value = 0
     }
  /* read(): The number of the message is read. */
  :: d_step { (message_kind == kind_Number) ->
       number = message_value
     }
  od
}

never {
  do
  :: d_step {
       true;
       /* 1, well-formed: No rule does what no rule may do, no property reads what is not there. */
       if :: !(message_kind == kind_Number) -> assert(1 == 0) :: else fi;
       skip
     }
  od
}
