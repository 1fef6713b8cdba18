-- queueing-hints in Murphi: the states and steps of model/systems/queueing_hints with the gate SchedulerQueueingHints
-- and the clock, so the same counts. Pods come, are updated and stay; conditions of the cluster change; PreBind fails,
-- or a Binding is refused. No other power is used.
-- PODS, PLUGINS (up to 3), CHANGES, UPDATES, BIND_ERRORS and OLD are put in front of this text; GATE is 1, CLOCK 1,
-- GOROUTINES 2. OLD says that a pod which is updated in flight is queued a second time (1.30, QH-DUP-ELEMENT), and not
-- that the update is kept as an event (1.31). In both releases Done follows the Binding, and a popped pod that is
-- skipped stays in flight (QH-DONE-SKIP).

  -- Events: the event that plugin p waits for is p, and then there are these. 0 is none.
  assignedPodDelete: 4;  assignedPodAdd: 5;  assignedPodUpdate: 6;  unschedulablePodUpdate: 7;
  -- What a goroutine does next. Numbers, since a bag is sorted by them.
  none: 0;  scheduling: 1;  assuming: 2;
  preBind: 3;  bind: 4;  bindingFailed: 5;
  requeue: 6;  patchFailure: 7;  patchFailureAndDone: 8;
  -- How long a pod backs off. Any number above PODS + 2 will do, since compressTimes keeps rests below that.
  BACKOFF: 12;
  LIMIT: 2 * BACKOFF;
  MOST_ELEMENTS: 2 * PODS + CHANGES + 2 * UPDATES + BIND_ERRORS;
  MOST_MESSAGES: 4 * PODS + UPDATES;

type
  pod: scalarset(PODS);
  plugin: 1 .. PLUGINS;
  plugins: array [plugin] of boolean;
  event: 0 .. 7;
  -- A list of events is a number, with a digit to base 8 for each.
  events: 0 .. 8 * 8 * 8 * 8 * 8 * 8 * 8 * 8 * 8 - 1;
  version: record
    live: boolean;  -- there is a pod
    node: boolean;  -- it is bound
    condition: boolean;
    note: 0 .. UPDATES;  -- how often the annotations changed
  end;
  message: record pod: pod; version: version; end;
  -- inFlightEvents has pods and events.
  element: record pod: pod; event: event; end;
  place_of_element: 0 .. MOST_ELEMENTS - 1;
  goroutine: record
    step: none .. patchFailureAndDone;
    version: version;
    came: events;  -- since the Pop, until Done
  end;
  slot: 0 .. 1;

var
  -- The API server, the watch, the informer's store.
  pods: array [pod] of version;
  messages: 0 .. MOST_MESSAGES;
  watch: array [0 .. MOST_MESSAGES - 1] of message;
  lister: array [pod] of version;
  -- The plugins whose condition holds.
  conditions: plugins;
  -- PriorityQueue. What it has of a pod that is in no sub-queue is as at the start.
  place: array [pod] of enum { absent, activeQ, podBackoffQ, unschedulablePods };
  queued: array [pod] of version;
  age: array [pod] of 0 .. 63;  -- of the timestamp
  attempts: array [pod] of boolean;  -- one or more
  unschedulablePlugins: array [pod] of plugins;
  moved: boolean;  -- moveRequestCycle is schedulingCycle
  inFlightPods: array [pod] of boolean;
  length: 0 .. MOST_ELEMENTS;
  inFlightEvents: array [place_of_element] of element;
  -- The cache.
  cache: array [pod] of enum { unknown, assumed, added };
  cached: array [pod] of version;
  -- The scheduling cycle, and the bindings of each pod: a bag, which sortBindings sorts.
  cycle: goroutine;
  cyclePod: pod;
  rejectedBy: plugins;  -- the cycle's
  bindings: array [pod] of array [slot] of goroutine;
  -- How often each power was used.
  changes: 0 .. CHANGES;
  updates: 0 .. UPDATES;
  bindErrors: 0 .. BIND_ERRORS;

-- ---- sets of plugins, and which plugin waits for an event

function isEmpty(set: plugins): boolean;
begin return forall p: plugin do !set[p] end; end;

-- The first plugin is NodeResourcesFit.
function waits(p: plugin; e: event): boolean;
begin return e = p | (p = 1 & e = assignedPodDelete); end;

function helps(e: event; set: plugins): boolean;
begin return exists p: plugin do set[p] & waits(p, e) end; end;

-- ---- times, and what settles a state

-- Between two operations of the queue a moment passes.
procedure moment();
begin
  for p: pod do age[p] := place[p] = absent ? 0 : age[p] + 1; end;
end;

function backsOff(p: pod): boolean;
begin return age[p] < BACKOFF; end;

function rest(p: pod): 0 .. BACKOFF;
begin return age[p] > LIMIT ? BACKOFF : age[p] % BACKOFF; end;

-- Regions, as in timed automata: whole backoffs stay, and of the rests the order; beyond the limit the order alone.
procedure compressTimes();
var least: 0 .. 63;
begin
  for rank: 1 .. PODS do
    least := BACKOFF;
    for p: pod do least := rest(p) >= rank & rest(p) < least ? rest(p) : least; end;
    for p: pod do age[p] := rest(p) = least & least != BACKOFF ? age[p] - least + rank : age[p]; end;
    least := 63;
    for p: pod do least := age[p] >= LIMIT + rank & age[p] < least ? age[p] : least; end;
    for p: pod do age[p] := age[p] = least ? LIMIT + rank : age[p]; end;
  end;
end;

-- A number for each version.
function number(v: version): 0 .. 8 * UPDATES + 7;
begin return 8 * v.note + (v.live ? 4 : 0) + (v.node ? 2 : 0) + (v.condition ? 1 : 0); end;

function isEqual(g: goroutine; h: goroutine): boolean;
begin return g.step = h.step & number(g.version) = number(h.version) & g.came = h.came; end;

function isBefore(g: goroutine; h: goroutine): boolean;
begin
  if g.step != h.step then
    return g.step > h.step;
  elsif number(g.version) != number(h.version) then
    return number(g.version) > number(h.version);
  end;
  return g.came > h.came;
end;

procedure sortBindings();
var g: goroutine;
begin
  for p: pod do
    if isBefore(bindings[p][1], bindings[p][0]) then
      g := bindings[p][0];
      bindings[p][0] := bindings[p][1];
      bindings[p][1] := g;
    end;
  end;
end;

procedure settle();
begin
  compressTimes();
  sortBindings();
end;

-- ---- the API server

procedure writePod(p: pod; v: version);
begin
  if number(pods[p]) != number(v) then
    pods[p] := v;
    watch[messages].pod := p;
    watch[messages].version := v;
    messages := messages + 1;
  end;
end;

-- ---- pods in flight, and the events that come meanwhile

procedure appendEvent(e: event);
begin
  inFlightEvents[length].event := e;
  length := length + 1;
end;

procedure removeElement(place: place_of_element);
begin
  for i: 0 .. MOST_ELEMENTS - 2 do
    if i >= place & i < length - 1 then inFlightEvents[i] := inFlightEvents[i + 1]; end;
  end;
  length := length - 1;
  undefine inFlightEvents[length];
  inFlightEvents[length].event := 0;
end;

procedure tellOne(var g: goroutine; e: event);
begin
  if g.step != none & g.step != patchFailure then g.came := g.came * 8 + e; end;
end;

-- Every goroutine that has not called Done is concerned by the event.
procedure tell(e: event);
begin
  tellOne(cycle, e);
  for p: pod do
    for s: slot do tellOne(bindings[p][s], e); end;
  end;
end;

-- The place of the pod's last element.
function placeOf(p: pod): place_of_element;
var found: place_of_element;
begin
  for i: place_of_element do
    if !isundefined(inFlightEvents[i].pod) then
      if inFlightEvents[i].pod = p then found := i; end;
    end;
  end;
  return found;
end;

-- Done: the pod's last element goes, and then every event before the first pod.
procedure done(p: pod);
begin
  if inFlightPods[p] then
    inFlightPods[p] := false;
    removeElement(placeOf(p));
    while length > 0 & isundefined(inFlightEvents[0].pod) do
      removeElement(0);
    end;
  end;
end;

-- ---- the sub-queues

procedure leaveQueue(p: pod);
begin
  clear place[p];  clear queued[p];  clear age[p];  clear attempts[p];  clear unschedulablePlugins[p];
end;

-- A new record, which was never popped.
procedure add(p: pod; v: version);
begin
  leaveQueue(p);
  place[p] := activeQ;
  queued[p] := v;
end;

-- MoveAllToActiveOrBackoffQueue
procedure moveAll(e: event);
begin
  moment();
  if exists p: plugin do waits(p, e) end then
    for p: pod do
      if place[p] = unschedulablePods & (isEmpty(unschedulablePlugins[p]) | helps(e, unschedulablePlugins[p])) then
        place[p] := backsOff(p) ? podBackoffQ : activeQ;
      end;
    end;
    moved := true;
    if exists p: pod do inFlightPods[p] end then appendEvent(e); end;
  end;
  tell(e);
end;

procedure update(p: pod; old: version; new: version);
begin
  if !OLD & inFlightPods[p] then
    appendEvent(unschedulablePodUpdate);
    tell(unschedulablePodUpdate);
  elsif place[p] = absent then
    add(p, new);
  else
    queued[p] := new;
    if place[p] = unschedulablePods & (OLD ? old.note != new.note : isEmpty(unschedulablePlugins[p])) then
      place[p] := backsOff(p) ? podBackoffQ : activeQ;
    end;
  end;
end;

-- Whether the pod is tried again: an event since its Pop helps, or no plugin rejected the pod.
function hintForInFlightPod(p: pod; set: plugins): boolean;
var pods_in_flight: 0 .. PODS;
begin
  if inFlightPods[p] & !isEmpty(set) then
    return exists i: place_of_element do i > placeOf(p) & helps(inFlightEvents[i].event, set) end;
  elsif !OLD | inFlightPods[p] | !isEmpty(set) then
    return true;
  end;
  pods_in_flight := 0;
  for q: pod do pods_in_flight := pods_in_flight + (inFlightPods[q] ? 1 : 0); end;
  return length > pods_in_flight;
end;

-- AddUnschedulableIfNotPresent, with its deferred Done.
procedure putBack(p: pod; v: version; set: plugins);
begin
  moment();
  if place[p] = absent then
    place[p] := hintForInFlightPod(p, set) ? podBackoffQ : unschedulablePods;
    queued[p] := v;
    attempts[p] := true;
    unschedulablePlugins[p] := set;
  end;
  done(p);
end;

-- ---- the goroutines of the scheduler

procedure endCycle();
begin
  clear cycle;  undefine cyclePod;  clear rejectedBy;
end;

-- A pod that is assumed already is skipped, without Done.
procedure schedulePod();
begin
  if cache[cyclePod] = assumed then
    endCycle();
  else
    for p: plugin do rejectedBy[p] := !conditions[p]; end;
    cycle.step := isEmpty(rejectedBy) ? assuming : requeue;
  end;
end;

-- The second place for bindings is free, since the pod was popped.
procedure assumePod();
begin
  if cache[cyclePod] != unknown then
    cycle.step := requeue;
  else
    cycle.version.node := true;
    cycle.step := preBind;
    bindings[cyclePod][1] := cycle;
    cache[cyclePod] := assumed;
    cached[cyclePod] := cycle.version;
    endCycle();
  end;
end;

procedure bindPod(var g: goroutine; p: pod);
var v: version;
begin
  if pods[p].node then
    g.step := bindingFailed;
  else
    v := pods[p];
    v.node := true;
    v.condition := false;
    writePod(p, v);
    done(p);
    clear g;
  end;
end;

procedure failBinding(var g: goroutine; p: pod);
begin
  if cache[p] = assumed then
    clear cache[p];
    clear cached[p];
    moveAll(assignedPodDelete);
  end;
  g.step := requeue;
end;

procedure requeuePod(var g: goroutine; p: pod; set: plugins);
begin
  if lister[p].node then
    g.step := patchFailureAndDone;
  else
    g.version := lister[p];
    putBack(p, g.version, set);
    g.came := 0;
    g.step := patchFailure;
  end;
end;

procedure patchFailureOf(g: goroutine; p: pod);
var v: version;
begin
  if !g.version.condition then
    v := pods[p];
    v.condition := true;
    writePod(p, v);
  end;
  if g.step = patchFailureAndDone then done(p); end;
end;

-- ---- the actions

startstate
begin
  clear pods;  clear messages;  clear lister;  clear conditions;
  clear place;  clear queued;  clear age;  clear attempts;  clear unschedulablePlugins;  clear moved;
  clear inFlightPods;  clear length;  clear cache;  clear cached;  clear bindings;
  clear changes;  clear updates;  clear bindErrors;
  for i: place_of_element do inFlightEvents[i].event := 0; end;
  endCycle();
end;

ruleset p: pod do
  rule "CreatePod"
    !pods[p].live
  ==>
  var v: version;
  begin
    clear v;
    v.live := true;
    writePod(p, v);
  end;

  rule "UpdateAnnotations"
    pods[p].live & updates < UPDATES
  ==>
  var v: version;
  begin
    updates := updates + 1;
    v := pods[p];
    v.note := v.note + 1;
    writePod(p, v);
  end;

  rule "Pop"
    isundefined(cyclePod) & bindings[p][1].step = none
    & place[p] = activeQ & forall q: pod do place[q] != activeQ | age[q] <= age[p] end
  ==>
  begin
    cyclePod := p;
    cycle.step := scheduling;
    cycle.version := queued[p];
    inFlightPods[p] := true;
    inFlightEvents[length].pod := p;
    length := length + 1;
    moved := false;
    leaveQueue(p);
    settle();
  end;
end;

-- The condition of the plugin changes, and the event that tells so comes.
ruleset p: plugin do
  rule "ChangeCondition"
    changes < CHANGES
  ==>
  begin
    changes := changes + 1;
    conditions[p] := !conditions[p];
    moveAll(p);
    settle();
  end;
end;

-- To the informer's store, then to the handlers of pods.
rule "DeliverPod"
  messages > 0
==>
var p: pod; old: version; new: version;
begin
  p := watch[0].pod;
  new := watch[0].version;
  for i: 0 .. MOST_MESSAGES - 2 do
    if i < messages - 1 then watch[i] := watch[i + 1]; end;
  end;
  messages := messages - 1;
  undefine watch[messages];
  old := lister[p];
  lister[p] := new;
  if old.node then
    if cache[p] = added then cached[p] := new; end;
    moveAll(assignedPodUpdate);
  elsif new.node then
    cache[p] := added;
    cached[p] := new;
    moveAll(assignedPodAdd);
    moment();
    leaveQueue(p);
  elsif !old.live then
    moment();
    add(p, new);
  elsif cache[p] != assumed then
    moment();
    update(p, old, new);
  end;
  settle();
end;

rule "CycleGoesOn"
  !isundefined(cyclePod)
==>
begin
  switch cycle.step
    case scheduling: schedulePod();
    case assuming: assumePod();
    case requeue: requeuePod(cycle, cyclePod, rejectedBy);
    else
      patchFailureOf(cycle, cyclePod);
      endCycle();
  end;
  settle();
end;

-- A bag does not tell two equal goroutines apart.
ruleset p: pod; s: slot do
  rule "BindingGoesOn"
    bindings[p][s].step != none & (s = 0 | !isEqual(bindings[p][0], bindings[p][1]))
  ==>
  var nobody: plugins;
  begin
    clear nobody;
    switch bindings[p][s].step
      case preBind: bindings[p][s].step := bind;
      case bind: bindPod(bindings[p][s], p);
      case bindingFailed: failBinding(bindings[p][s], p);
      case requeue: requeuePod(bindings[p][s], p, nobody);
      else
        patchFailureOf(bindings[p][s], p);
        clear bindings[p][s];
    end;
    settle();
  end;

  rule "BindError"
    (bindings[p][s].step = preBind | bindings[p][s].step = bind) & bindErrors < BIND_ERRORS
    & (s = 0 | !isEqual(bindings[p][0], bindings[p][1]))
  ==>
  begin
    bindErrors := bindErrors + 1;
    bindings[p][s].step := bindingFailed;
    settle();
  end;
end;

function endsBackoff(p: pod): boolean;
begin return (place[p] = podBackoffQ | place[p] = unschedulablePods) & age[p] <= BACKOFF; end;

-- Time passes until a backoff ends.
rule "Tick"
  exists p: pod do endsBackoff(p) end
==>
var oldest: 0 .. BACKOFF;
begin
  oldest := 0;
  for p: pod do oldest := endsBackoff(p) & age[p] > oldest ? age[p] : oldest; end;
  for p: pod do age[p] := place[p] = absent ? 0 : age[p] + BACKOFF - oldest + 1; end;
  settle();
end;

rule "FlushBackoffQCompleted"
  exists p: pod do place[p] = podBackoffQ & !backsOff(p) end
==>
begin
  for p: pod do place[p] := place[p] = podBackoffQ & !backsOff(p) ? activeQ : place[p]; end;
  settle();
end;

invariant "nothing-in-flight-nothing-retained"
  length = 0 | exists p: pod do inFlightPods[p] end;
