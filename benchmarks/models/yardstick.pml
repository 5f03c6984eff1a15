/* The yardstick by hand, as model/protocols/yardstick.py has it, for SPIN at its best: channels are
   SPIN's own, sets of confirmations are bits of a byte, an option is one step of one ground rule.
   RECORDS, CHECKPOINTS (up to 3) and CHANNEL are given with -D.                                  */

#define A 0
#define C 1
#define D 2
#define E 3
#define AE 0
#define CD 1
#define DE 2

#define RUNNING   0
#define WAITING   1
#define CONFIRMED 2
#define CLOSED    3

#define DATA             1
#define END_OF_DATA      2
#define END_OF_PARTITION 3
#define BARRIER          3 /* the barrier of checkpoint k is BARRIER + k */

chan ae = [CHANNEL] of { byte };
chan cd = [CHANNEL] of { byte };
chan de = [CHANNEL] of { byte };

byte status[4];
byte snapshots[4];
byte finished_after[4];
byte confirmations[4];
byte records[2] = RECORDS;
byte triggered;
byte completed;
bit data_ended[3];
bit ended[3];
bit blocked[3];
byte element; /* always 0 between steps */

#define SOURCE(task, output) \
  :: d_step { status[task] == RUNNING && records[task] > 0 && nfull(output) -> \
       output!DATA; records[task]-- } \
  :: d_step { status[task] == RUNNING && records[task] == 0 && nfull(output) -> \
       output!END_OF_DATA; status[task] = WAITING; finished_after[task] = snapshots[task] } \
  :: d_step { status[task] != CLOSED && snapshots[task] < triggered && nfull(output) -> \
       snapshots[task]++; output!(BARRIER + snapshots[task]) } \
  :: d_step { status[task] == CONFIRMED && nfull(output) -> \
       output!END_OF_PARTITION; status[task] = CLOSED }

/* E takes an element of one of its channels; `other` is its other one. */
#define SINK_INPUT(input, channel, other) \
  :: d_step { nempty(input) && !blocked[channel] -> \
       input?element; \
       if \
       :: element == DATA -> skip \
       :: element == END_OF_DATA -> \
            data_ended[channel] = 1; \
            if \
            :: data_ended[other] -> status[E] = WAITING; finished_after[E] = snapshots[E] \
            :: else -> skip \
            fi \
       :: element == END_OF_PARTITION -> \
            ended[channel] = 1; \
            if \
            :: blocked[other] -> blocked[other] = 0; snapshots[E]++ \
            :: else -> skip \
            fi \
       :: element > BARRIER -> \
            if \
            :: blocked[other] || ended[other] -> blocked[other] = 0; snapshots[E]++ \
            :: else -> blocked[channel] = 1 \
            fi \
       fi; \
       element = 0 }

#define CONFIRMATION(task, id) \
  :: d_step { confirmations[task] & (1 << id) -> \
       confirmations[task] = confirmations[task] - (1 << id); \
       if \
       :: status[task] == WAITING && finished_after[task] < id -> status[task] = CONFIRMED \
       :: else -> skip \
       fi } \
  :: d_step { confirmations[task] & (1 << id) -> \
       confirmations[task] = confirmations[task] - (1 << id) }

#define CONFIRMATIONS(id) \
  CONFIRMATION(A, id) CONFIRMATION(C, id) CONFIRMATION(D, id) CONFIRMATION(E, id)

#define HAS_TAKEN(task) (status[task] == CLOSED || snapshots[task] > completed)
#define CONFIRM(task) \
  if \
  :: status[task] != CLOSED -> confirmations[task] = confirmations[task] + (1 << completed) \
  :: else -> skip \
  fi

active proctype job() {
end:
  do
  SOURCE(A, ae)
  SOURCE(C, cd)
  /* D hands on what it takes, but the end of the partition. */
  :: d_step { nempty(cd) && (nfull(de) || cd?[END_OF_PARTITION]) ->
       cd?element;
       if
       :: element == DATA -> de!DATA
       :: element == END_OF_DATA ->
            data_ended[CD] = 1; de!END_OF_DATA;
            status[D] = WAITING; finished_after[D] = snapshots[D]
       :: element == END_OF_PARTITION -> ended[CD] = 1
       :: element > BARRIER -> snapshots[D]++; de!(BARRIER + snapshots[D])
       fi;
       element = 0 }
  :: d_step { ended[CD] && status[D] != CLOSED && snapshots[D] < triggered && nfull(de) ->
       snapshots[D]++; de!(BARRIER + snapshots[D]) }
  :: d_step { status[D] == CONFIRMED && ended[CD] && nfull(de) ->
       de!END_OF_PARTITION; status[D] = CLOSED }
  SINK_INPUT(ae, AE, DE)
  SINK_INPUT(de, DE, AE)
  :: d_step { ended[AE] && ended[DE] && status[E] != CLOSED && snapshots[E] < triggered ->
       snapshots[E]++ }
  :: d_step { status[E] == CONFIRMED && ended[AE] && ended[DE] -> status[E] = CLOSED }
  /* The coordinator. */
  :: d_step { triggered < completed + 2 && triggered < CHECKPOINTS &&
              (status[A] != CLOSED || status[C] != CLOSED || status[D] != CLOSED ||
               status[E] != CLOSED) ->
       triggered++ }
  :: d_step { completed < triggered &&
              HAS_TAKEN(A) && HAS_TAKEN(C) && HAS_TAKEN(D) && HAS_TAKEN(E) ->
       completed++;
       CONFIRM(A); CONFIRM(C); CONFIRM(D); CONFIRM(E) }
  CONFIRMATIONS(1)
#if CHECKPOINTS > 1
  CONFIRMATIONS(2)
#endif
#if CHECKPOINTS > 2
  CONFIRMATIONS(3)
#endif
  od
}
