/* queueing-hints in Promela: the states and steps of model/systems/queueing_hints with the gate SchedulerQueueingHints
 * and the clock, so the same counts. Pods come, are updated and stay; conditions of the cluster change; PreBind fails,
 * or a Binding is refused. No other power is used.
 * PODS (up to 3), PLUGINS (up to 3), CHANGES, UPDATES, BIND_ERRORS and OLD are given to the preprocessor; GATE is 1,
 * CLOCK 1, GOROUTINES 2. OLD says that a pod which is updated in flight is queued a second time (1.30, QH-DUP-ELEMENT),
 * and not that the update is kept as an event (1.31). In both releases Done follows the Binding, and a popped pod that
 * is skipped stays in flight (QH-DONE-SKIP).
 * One d_step is one step. Pods and plugins count from 1, and 0 is none. A set of plugins is a mask. */

/* A version of a pod is a sum of these. A NOTE is one change of the annotations. */
#define EXISTS 1
#define NODE 2
#define CONDITION 4
#define NOTE 8
#define IS_BOUND(version) (((version) & NODE) != 0)
#define WITHOUT_STATUS(version) ((version) & (255 - CONDITION))

/* Events: the event that plugin p waits for is p, and then there are these. In inFlightEvents there are pods too. */
#define ASSIGNED_POD_DELETE 4
#define ASSIGNED_POD_ADD 5
#define ASSIGNED_POD_UPDATE 6
#define UNSCHEDULABLE_POD_UPDATE 7
#define ELEMENT(p) (8 + (p))
#define IS_POD(element) ((element) >= 8)
/* The plugins that wait for the event. The first one is NodeResourcesFit. */
#define WAITING(event) (((event) <= 3) * (1 << ((event) - 1)) + ((event) == ASSIGNED_POD_DELETE))

/* How long a pod backs off. Any number above PODS + 2 will do, since compress_times keeps rests below that. */
#define BACKOFF 12
#define LIMIT (2 * BACKOFF)

#define IS_IN_FLIGHT(p) inFlightPods[p]
#if PODS == 3
#define SOME(HOLDS) (HOLDS(1) || HOLDS(2) || HOLDS(3))
#elif PODS == 2
#define SOME(HOLDS) (HOLDS(1) || HOLDS(2))
#else
#define SOME(HOLDS) (HOLDS(1))
#endif

mtype:place = { activeQ, podBackoffQ, unschedulablePods };
mtype:cache = { assumed, added };
mtype:step = { schedule, assume, preBind, bind, bindingFailed, requeue, patchFailure, patchFailureAndDone };

/* The API server, the watch, the informer's store. */
byte pods[PODS + 1];
chan watch = [4 * PODS + UPDATES] of { byte, byte };
byte lister[PODS + 1];
/* The plugins whose condition holds. */
byte conditions;
/* PriorityQueue. What it has of a pod that is in no sub-queue is 0. */
mtype:place place[PODS + 1];
byte queued[PODS + 1];
byte age[PODS + 1];  /* of the timestamp */
bool attempts[PODS + 1];  /* one or more */
byte unschedulablePlugins[PODS + 1];
bool moved;  /* moveRequestCycle is schedulingCycle */
bool inFlightPods[PODS + 1];
byte length;
byte inFlightEvents[2 * PODS + CHANGES + 2 * UPDATES + BIND_ERRORS];
/* The cache. */
mtype:cache cache[PODS + 1];
byte cached[PODS + 1];
/* The scheduling cycle is goroutine 0. Bindings of pod p are 2 * p - 1 and 2 * p: a bag, which sort_bindings sorts. */
#define CYCLE 0
#define BINDING(p) (2 * (p) - 1)
mtype:step step[2 * PODS + 1];
byte version[2 * PODS + 1];
int came[2 * PODS + 1];  /* the events since the Pop, until Done: a digit to base 8 for each */
byte cyclePod;
byte rejectedBy;  /* the cycle's */
/* How often each power was used. */
byte changes, updates, bindErrors;

/* For use within a step: 0 in every state. Spin searches no breadth first if there are hidden variables. The step is
 * that of goroutine g, or concerns pod p. */
byte i, j, at, g, p, old, new, plugins;
bool helps;
int swapped;

/* ---- times, and what settles a state */

#define BACKS_OFF(p) (age[p] < BACKOFF)
#define IS_BEYOND(p) (age[p] > LIMIT)
#define REST(p) (age[p] % BACKOFF)

/* Between two operations of the queue a moment passes. */
inline moment() {
  for (i : 1 .. PODS) { age[i] = age[i] + (place[i] != 0) }
}

/* Regions, as in timed automata: whole backoffs stay, and of the rests the order; beyond the limit the order alone. */
inline compress_times() {
  for (j : 1 .. PODS) {
    at = BACKOFF;
    for (i : 1 .. PODS) { at = (!IS_BEYOND(i) && REST(i) >= j && REST(i) < at -> REST(i) : at) };
    for (i : 1 .. PODS) { age[i] = (!IS_BEYOND(i) && REST(i) == at -> age[i] - at + j : age[i]) };
    at = 255;
    for (i : 1 .. PODS) { at = (age[i] >= LIMIT + j && age[i] < at -> age[i] : at) };
    for (i : 1 .. PODS) { age[i] = (age[i] == at -> LIMIT + j : age[i]) }
  }
}

#define SWAP(array) swapped = array[i]; array[i] = array[i + 1]; array[i + 1] = swapped

inline sort_bindings() {
  for (j : 1 .. PODS) {
    i = BINDING(j);
    if
    :: step[i] < step[i + 1] || (step[i] == step[i + 1] && version[i] < version[i + 1]) ||
       (step[i] == step[i + 1] && version[i] == version[i + 1] && came[i] < came[i + 1]) ->
      SWAP(step); SWAP(version); SWAP(came)
    :: else
    fi
  }
}

inline settle() {
  compress_times();
  sort_bindings();
  i = 0; j = 0; at = 0; g = 0; p = 0; old = 0; new = 0; plugins = 0; helps = false; swapped = 0;
  /* nothing-in-flight-nothing-retained */
  assert(length == 0 || SOME(IS_IN_FLIGHT))
}

/* ---- the API server */

inline write_pod(written) {
  if
  :: pods[p] != (written) -> pods[p] = written; watch!p,pods[p]
  :: else
  fi
}

/* ---- pods in flight, and the events that come meanwhile */

inline append(element) {
  inFlightEvents[length] = element;
  length++
}

inline remove_element() {
  length--;
  for (i : at .. length - 1) { inFlightEvents[i] = inFlightEvents[i + 1] };
  inFlightEvents[length] = 0
}

/* Every goroutine that has not called Done is concerned by the event. */
inline tell(event) {
  for (i : 0 .. 2 * PODS) {
    assert(came[i] < 1 << 27);
    came[i] = (step[i] && step[i] != patchFailure -> came[i] * 8 + event : came[i])
  }
}

/* The place of the pod's last element; `helps`: an event behind it may help. */
inline look_for_element() {
  at = length - 1;
  do
  :: inFlightEvents[at] != ELEMENT(p) ->
    helps = helps || (!IS_POD(inFlightEvents[at]) && (WAITING(inFlightEvents[at]) & plugins));
    at--
  :: else -> break
  od
}

/* Done: the pod's last element goes, and then every event before the first pod. */
inline done() {
  if
  :: inFlightPods[p] ->
    inFlightPods[p] = false;
    look_for_element();
    remove_element();
    at = 0;
    do
    :: length > 0 && !IS_POD(inFlightEvents[0]) -> remove_element()
    :: else -> break
    od
  :: else
  fi
}

/* ---- the sub-queues */

#define BACKOFF_OR_ACTIVE(p) (BACKS_OFF(p) -> podBackoffQ : activeQ)

inline leave_queue() {
  place[p] = 0; queued[p] = 0; age[p] = 0; attempts[p] = false; unschedulablePlugins[p] = 0
}

/* A new record, which was never popped. */
inline add() {
  leave_queue();
  place[p] = activeQ;
  queued[p] = new
}

/* MoveAllToActiveOrBackoffQueue */
#define IS_MOVED(p, event) \
  (place[p] == unschedulablePods && (!unschedulablePlugins[p] || (unschedulablePlugins[p] & WAITING(event))))

inline move_all(event) {
  moment();
  if
  :: WAITING(event) != 0 ->
    for (i : 1 .. PODS) { place[i] = (IS_MOVED(i, event) -> BACKOFF_OR_ACTIVE(i) : place[i]) };
    moved = true;
    if
    :: SOME(IS_IN_FLIGHT) -> append(event)
    :: else
    fi
  :: else
  fi;
  tell(event)
}

inline update() {
  if
  :: !OLD && inFlightPods[p] -> append(UNSCHEDULABLE_POD_UPDATE); tell(UNSCHEDULABLE_POD_UPDATE)
  :: (OLD || !inFlightPods[p]) && place[p] == 0 -> add()
  :: else ->
    queued[p] = new;
    if
    :: place[p] == unschedulablePods &&
       (OLD -> WITHOUT_STATUS(old) != WITHOUT_STATUS(new) : unschedulablePlugins[p] == 0) ->
      place[p] = BACKOFF_OR_ACTIVE(p)
    :: else
    fi
  fi
}

/* `helps`: the pod is tried again, by an event since its Pop or because no plugin rejected it. */
inline hint_for_in_flight_pod() {
  if
  :: inFlightPods[p] && plugins -> look_for_element()
  :: OLD && !inFlightPods[p] && !plugins ->
    at = 0;
    for (i : 1 .. PODS) { at = at + inFlightPods[i] };
    helps = length > at
  :: else -> helps = true
  fi
}

/* AddUnschedulableIfNotPresent, with its deferred Done. */
inline put_back() {
  moment();
  if
  :: place[p] == 0 ->
    hint_for_in_flight_pod();
    place[p] = (helps -> podBackoffQ : unschedulablePods);
    queued[p] = version[g];
    attempts[p] = true;
    unschedulablePlugins[p] = plugins
  :: else
  fi;
  done()
}

/* ---- the informer and the handlers of pods */

inline deliver_pod() {
  old = lister[p];
  lister[p] = new;
  if
  :: IS_BOUND(old) ->
    cached[p] = (cache[p] == added -> new : cached[p]);
    move_all(ASSIGNED_POD_UPDATE)
  :: !IS_BOUND(old) && IS_BOUND(new) ->
    cache[p] = added;
    cached[p] = new;
    move_all(ASSIGNED_POD_ADD);
    moment();
    leave_queue()
  :: !old && !IS_BOUND(new) -> moment(); add()
  :: old && !IS_BOUND(new) && cache[p] != assumed -> moment(); update()
  :: else
  fi
}

/* ---- the goroutines of the scheduler */

inline ends() {
  step[g] = 0; version[g] = 0; came[g] = 0;
  if
  :: g == CYCLE -> cyclePod = 0; rejectedBy = 0
  :: else
  fi
}

inline pop() {
  cyclePod = p;
  step[CYCLE] = schedule;
  version[CYCLE] = queued[p];
  inFlightPods[p] = true;
  append(ELEMENT(p));
  moved = false;
  leave_queue()
}

/* A pod that is assumed already is skipped, without Done. */
inline schedule_pod() {
  if
  :: cache[p] == assumed -> ends()
  :: else ->
    rejectedBy = ((1 << PLUGINS) - 1) & ~conditions;
    step[g] = (rejectedBy -> requeue : assume)
  fi
}

/* The second place for bindings is free, since the pod was popped. */
inline assume_pod() {
  if
  :: cache[p] -> step[g] = requeue
  :: else ->
    at = BINDING(p) + 1;
    step[at] = preBind; version[at] = version[g] + NODE; came[at] = came[g];
    cache[p] = assumed;
    cached[p] = version[at];
    ends()
  fi
}

inline bind_pod() {
  if
  :: IS_BOUND(pods[p]) -> step[g] = bindingFailed
  :: else -> write_pod(WITHOUT_STATUS(pods[p]) + NODE); done(); ends()
  fi
}

inline fail_binding() {
  if
  :: cache[p] == assumed -> cache[p] = 0; cached[p] = 0; move_all(ASSIGNED_POD_DELETE)
  :: else
  fi;
  step[g] = requeue
}

inline requeue_pod() {
  if
  :: IS_BOUND(lister[p]) -> step[g] = patchFailureAndDone
  :: else ->
    version[g] = lister[p];
    plugins = (g == CYCLE -> rejectedBy : 0);
    put_back();
    step[g] = patchFailure; came[g] = 0
  fi
}

inline patch_failure() {
  if
  :: version[g] & CONDITION
  :: else -> write_pod(pods[p] | CONDITION)
  fi;
  if
  :: step[g] == patchFailureAndDone -> done()
  :: else
  fi;
  ends()
}

inline go_on() {
  if
  :: step[g] == schedule -> schedule_pod()
  :: step[g] == assume -> assume_pod()
  :: step[g] == preBind -> step[g] = bind
  :: step[g] == bind -> bind_pod()
  :: step[g] == bindingFailed -> fail_binding()
  :: step[g] == requeue -> requeue_pod()
  :: else -> patch_failure()
  fi
}

/* ---- the clock */

#define ENDS_BACKOFF(p) ((place[p] == podBackoffQ || place[p] == unschedulablePods) && age[p] <= BACKOFF)
#define HAS_BACKED_OFF(p) (place[p] == podBackoffQ && !BACKS_OFF(p))

/* Time passes until a backoff ends. */
inline tick() {
  for (i : 1 .. PODS) { at = (ENDS_BACKOFF(i) && age[i] > at -> age[i] : at) };
  for (i : 1 .. PODS) { age[i] = (place[i] -> age[i] + BACKOFF - at + 1 : age[i]) }
}

inline flush_backoff_q_completed() {
  for (i : 1 .. PODS) { place[i] = (HAS_BACKED_OFF(i) -> activeQ : place[i]) }
}

/* ---- the actions */

#define IS_OLDER(p, q) (place[q] != activeQ || age[q] <= age[p])
#if PODS == 3
#define IS_HEAD(p) (place[p] == activeQ && IS_OLDER(p, 1) && IS_OLDER(p, 2) && IS_OLDER(p, 3))
#elif PODS == 2
#define IS_HEAD(p) (place[p] == activeQ && IS_OLDER(p, 1) && IS_OLDER(p, 2))
#else
#define IS_HEAD(p) (place[p] == activeQ)
#endif

/* A bag does not tell two equal goroutines apart. */
#define IS_FIRST(g) \
  ((g) % 2 || step[g] != step[g - 1] || version[g] != version[g - 1] || came[g] != came[g - 1])
#define MAY_FAIL(g) ((step[g] == preBind || step[g] == bind) && bindErrors < BIND_ERRORS)

#define OF_BINDING(name, goroutine) \
  :: d_step { step[goroutine] && IS_FIRST(goroutine) -> p = name; g = goroutine; go_on(); settle() } \
  :: d_step { MAY_FAIL(goroutine) && IS_FIRST(goroutine) -> bindErrors++; step[goroutine] = bindingFailed; settle() }

#define OF_POD(name) \
  :: d_step { !pods[name] -> p = name; write_pod(EXISTS); settle() } \
  :: d_step { pods[name] && updates < UPDATES -> p = name; updates++; write_pod(pods[p] + NOTE); settle() } \
  :: d_step { !cyclePod && IS_HEAD(name) && !step[BINDING(name) + 1] -> p = name; pop(); settle() } \
  OF_BINDING(name, BINDING(name)) \
  OF_BINDING(name, BINDING(name) + 1)

/* The condition of the plugin changes, and the event that tells so comes. */
#define CHANGE(plugin) \
  :: d_step { \
       changes < CHANGES -> changes++; conditions = conditions ^ (1 << ((plugin) - 1)); move_all(plugin); settle() \
     }

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
  CHANGE(1)
#if PLUGINS >= 2
  CHANGE(2)
#endif
#if PLUGINS >= 3
  CHANGE(3)
#endif
  :: d_step { watch?p,new -> deliver_pod(); settle() }
  :: d_step { cyclePod -> p = cyclePod; g = CYCLE; go_on(); settle() }
  :: d_step { SOME(ENDS_BACKOFF) -> tick(); settle() }
  :: d_step { SOME(HAS_BACKED_OFF) -> flush_backoff_q_completed(); settle() }
  od
}
