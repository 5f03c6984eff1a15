/* Two-phase commit by hand, as model/protocols/two_phase_commit.py has it: the sets of managers that
   are prepared are bits. MANAGERS, from 3 to 10, is given with -D.                               */

#define WORKING   0
#define PREPARED  1
#define COMMITTED 2
#define ABORTED   3

#define NONE   0
#define COMMIT 1
#define ABORT  2

byte status[MANAGERS];
bit sent[MANAGERS];
bit received[MANAGERS];
byte decision;

#if MANAGERS > 3
#define R3 && received[3]
#else
#define R3
#endif
#if MANAGERS > 4
#define R4 && received[4]
#else
#define R4
#endif
#if MANAGERS > 5
#define R5 && received[5]
#else
#define R5
#endif
#if MANAGERS > 6
#define R6 && received[6]
#else
#define R6
#endif
#if MANAGERS > 7
#define R7 && received[7]
#else
#define R7
#endif
#if MANAGERS > 8
#define R8 && received[8]
#else
#define R8
#endif
#if MANAGERS > 9
#define R9 && received[9]
#else
#define R9
#endif
#define ALL_RECEIVED (received[0] && received[1] && received[2] R3 R4 R5 R6 R7 R8 R9)

#define MANAGER(m) \
  :: d_step { status[m] == WORKING -> status[m] = PREPARED; sent[m] = 1 } \
  :: d_step { status[m] == WORKING -> status[m] = ABORTED } \
  :: d_step { decision == NONE && sent[m] -> received[m] = 1 } \
  :: d_step { decision == COMMIT -> status[m] = COMMITTED } \
  :: d_step { decision == ABORT -> status[m] = ABORTED }

active proctype managers() {
end:
  do
  :: d_step { decision == NONE && ALL_RECEIVED -> decision = COMMIT }
  :: d_step { decision == NONE -> decision = ABORT }
  MANAGER(0)
  MANAGER(1)
  MANAGER(2)
#if MANAGERS > 3
  MANAGER(3)
#endif
#if MANAGERS > 4
  MANAGER(4)
#endif
#if MANAGERS > 5
  MANAGER(5)
#endif
#if MANAGERS > 6
  MANAGER(6)
#endif
#if MANAGERS > 7
  MANAGER(7)
#endif
#if MANAGERS > 8
  MANAGER(8)
#endif
#if MANAGERS > 9
  MANAGER(9)
#endif
  od
}
