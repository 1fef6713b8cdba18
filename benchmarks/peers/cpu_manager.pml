/* cpu-manager in Promela: the states and steps of model/systems/cpu_manager, so the same counts. Every pod has one
 * container, which asks for up to two CPUs, the kubelet is stopped now and then, and no other power is used. A core has
 * one CPU. CORES (up to 7), RESERVED, PODS (up to 4), SIZE (2), RESTARTS and OLD are given to the preprocessor: OLD says
 * that the kubelet reports what is free when it starts, and looks for stale entries alone (1.24.0), and not what is not
 * reserved, and for ids, too (1.26.0). One d_step is one step. A set of CPUs is a mask; pods count from 1. */

#define ALL ((1 << CORES) - 1)
#define UNRESERVED (ALL - ((1 << RESERVED) - 1))

mtype:kubelet = { up, down, startFailed };
mtype:phase = { absent, live, failed, deleted };

/* The state file. A pod without an entry has an empty set. */
byte shared = ALL;
byte entries[PODS + 1];
/* The kubelet and its memory, which is 0 while it is not up. */
mtype:kubelet kubelet = up;
bool sourcesReady = true;
byte cpusToReuse;  /* whose; its set is empty */
bool containerMap[PODS + 1];
byte lastUpdateState[PODS + 1];
byte pending;
byte pendingSize;
byte allocatable = UNRESERVED;
/* The pods. `live` is what the model calls active. One that is not live has no container. */
mtype:phase phase[PODS + 1] = absent;
byte size[PODS + 1];
bool seen[PODS + 1];
bool running[PODS + 1];
byte runsOn[PODS + 1];
byte restarts;
/* What the scheduler has counted, in halves of a CPU, which the pods say too. */
byte counted;

/* For use within a step: 0 in every state. */
byte i, left, taken;

inline forget() { i = 0; left = 0; taken = 0 }

#define HALVES(asked) ((asked) == 0 -> 1 : 2 * (asked))
#define IS_ACTIVE(p) (phase[p] == live && seen[p])
#define CPUS_OR_SHARED(p) (entries[p] -> entries[p] : shared)

inline remove_stale_state() {
  if
  :: sourcesReady ->
    for (i : 1 .. PODS) {
      if
      :: !IS_ACTIVE(i) && pending != i && (entries[i] || (!OLD && containerMap[i])) ->
        containerMap[i] = false;
        lastUpdateState[i] = 0;
        shared = shared | entries[i];
        entries[i] = 0
      :: else
      fi
    }
  :: else
  fi
}

inline create_pod(p, asked) {
  phase[p] = live;
  size[p] = asked;
  counted = counted + HALVES(asked)
}

/* The container of a pod that is no longer live. */
inline end_container(p) {
  running[p] = false;
  runsOn[p] = 0
}

inline allocate(p) {
  pending = p;
  pendingSize = size[p];
  remove_stale_state();
  seen[p] = true;
  left = size[p];
  if
  :: left == 0
  :: left > 0 && entries[p] -> cpusToReuse = p
  :: else ->
    for (i : RESERVED .. CORES - 1) {
      if
      :: left > 0 && (shared & (1 << i)) -> taken = taken | (1 << i); left--
      :: else
      fi
    };
    if
    :: left > 0 ->
      counted = counted - HALVES(size[p]);
      phase[p] = failed;
      end_container(p)
    :: else ->
      shared = shared & (ALL - taken);
      entries[p] = taken;
      cpusToReuse = p
    fi
  fi
}

inline start_container(p) {
  running[p] = true;
  runsOn[p] = CPUS_OR_SHARED(p);
  containerMap[p] = true;
  if
  :: entries[p] -> lastUpdateState[p] = entries[p]
  :: else
  fi
}

inline delete_pod(p) {
  if
  :: phase[p] == live -> counted = counted - HALVES(size[p])
  :: else
  fi;
  phase[p] = deleted;
  size[p] = 0;
  seen[p] = false;
  end_container(p)
}

inline reconcile_state() {
  remove_stale_state();
  for (i : 1 .. PODS) {
    if
    :: IS_ACTIVE(i) && running[i] ->
      containerMap[i] = true;
      taken = CPUS_OR_SHARED(i);
      if
      :: taken != 0 && taken != lastUpdateState[i] -> runsOn[i] = taken; lastUpdateState[i] = taken
      :: else
      fi
    :: else
    fi
  }
}

inline stop_kubelet() {
  restarts++;
  kubelet = down;
  sourcesReady = false;
  cpusToReuse = 0;
  pending = 0;
  pendingSize = 0;
  allocatable = 0;
  for (i : 1 .. PODS) {
    containerMap[i] = false;
    lastUpdateState[i] = 0;
    seen[i] = seen[i] && phase[i] != live
  }
}

/* validateState: shared pool and entries make up the machine, and the reserved CPUs are in the pool. */
inline start_kubelet() {
  for (i : 1 .. PODS) { taken = taken | entries[i] };
  if
  :: (taken & shared) == 0 && (taken | shared) == ALL && (taken & (ALL - UNRESERVED)) == 0 ->
    kubelet = up;
    report_allocatable();
    for (i : 1 .. PODS) { containerMap[i] = running[i] }
  :: else -> kubelet = startFailed
  fi
}

inline report_allocatable() { allocatable = (OLD -> shared & UNRESERVED : UNRESERVED) }

inline check() {
  assert(kubelet != up || allocatable == UNRESERVED);
  forget()
}

#define CREATION(p, asked) \
  :: d_step { \
       phase[p] == absent && counted + HALVES(asked) <= 2 * (CORES - RESERVED) -> create_pod(p, asked) \
     }
#define OF_POD(p) \
  CREATION(p, 0) CREATION(p, 1) CREATION(p, 2) \
  :: d_step { kubelet == up && phase[p] == live && !seen[p] -> allocate(p); check() } \
  :: d_step { kubelet == up && IS_ACTIVE(p) && !running[p] -> start_container(p); check() } \
  :: d_step { phase[p] == live || phase[p] == failed -> delete_pod(p); check() }

#define READY(p) (phase[p] != live || seen[p])
#if PODS == 4
#define ALL_READY (READY(1) && READY(2) && READY(3) && READY(4))
#elif PODS == 3
#define ALL_READY (READY(1) && READY(2) && READY(3))
#else
#define ALL_READY (READY(1) && READY(PODS))
#endif

active proctype system() {
end:
  do
  OF_POD(1)
#if PODS >= 2
  OF_POD(2)
#endif
#if PODS >= 3
  OF_POD(3)
#endif
#if PODS >= 4
  OF_POD(4)
#endif
  :: d_step { kubelet == up && !sourcesReady && ALL_READY -> sourcesReady = true }
  :: d_step { kubelet == up -> reconcile_state(); check() }
  :: d_step { kubelet == up && restarts < RESTARTS -> stop_kubelet(); check() }
  :: d_step { kubelet != up -> start_kubelet(); check() }
  od
}
