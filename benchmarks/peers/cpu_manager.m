-- cpu-manager in Murphi: the states and steps of model/systems/cpu_manager, so the same counts. Every pod has one
-- container, the kubelet is stopped now and then, and no other power is used. A core has one CPU.
-- CORES, RESERVED, PODS, SIZE, RESTARTS and OLD are put in front of this text: OLD says that the kubelet reports what is
-- free when it starts, and looks for stale entries alone (1.24.0), and not what is not reserved, and for ids, too
-- (1.26.0).

type
  pod: scalarset(PODS);
  -- The lowest are reserved.
  cpu: 0 .. CORES - 1;
  cpuset: array [cpu] of boolean;
  cpu_count: 0 .. CORES;
  -- CPUs that a container asks for; with 0 it asks for half a CPU, and shares.
  request: 0 .. SIZE;

var
  -- The state file. A pod without an entry has an empty set.
  default: cpuset;
  entries: array [pod] of cpuset;
  -- The kubelet and its memory, which is as at the start while it is not up.
  kubelet: enum { up, down, startFailed };
  sourcesReady: boolean;
  cpusToReuse: pod;  -- whose; its set is empty
  containerMap: array [pod] of boolean;
  lastUpdateState: array [pod] of cpuset;
  pending: pod;
  pendingSize: request;
  allocatable: cpuset;
  -- The pods. One that is not active has no container.
  phase: array [pod] of enum { absent, active, failed, deleted };
  size: array [pod] of request;
  seen: array [pod] of boolean;
  running: array [pod] of boolean;
  runsOn: array [pod] of cpuset;
  restarts: 0 .. RESTARTS;

procedure emptied(var cpus: cpuset);
begin
  for c: cpu do
    cpus[c] := false;
  end;
end;

function isEmpty(cpus: cpuset): boolean;
begin
  return forall c: cpu do !cpus[c] end;
end;

-- What the scheduler counts, in halves of a CPU.
function halves(asked: request): 0 .. 2 * SIZE + 1;
begin
  if asked = 0 then
    return 1;
  end;
  return 2 * asked;
end;

function fits(asked: request): boolean;
var counted: 0 .. 100;
begin
  counted := halves(asked);
  for p: pod do
    if phase[p] = active then
      counted := counted + halves(size[p]);
    end;
  end;
  return counted <= 2 * (CORES - RESERVED);
end;

function isActive(p: pod): boolean;
begin
  return phase[p] = active & seen[p];
end;

function isPending(p: pod): boolean;
begin
  if isundefined(pending) then
    return false;
  end;
  return pending = p;
end;

procedure removeContainer(p: pod);
begin
  containerMap[p] := false;
  emptied(lastUpdateState[p]);
  for c: cpu do
    default[c] := default[c] | entries[p][c];
  end;
  emptied(entries[p]);
end;

procedure removeStaleState();
begin
  if sourcesReady then
    for p: pod do
      if !isActive(p) & !isPending(p) & (!isEmpty(entries[p]) | (!OLD & containerMap[p])) then
        removeContainer(p);
      end;
    end;
  end;
end;

function isFree(c: cpu): boolean;
begin
  return default[c] & c >= RESERVED;
end;

function free(): cpu_count;
var sum: cpu_count;
begin
  sum := 0;
  for c: cpu do
    if isFree(c) then
      sum := sum + 1;
    end;
  end;
  return sum;
end;

procedure endContainer(p: pod);
begin
  running[p] := false;
  emptied(runsOn[p]);
end;

-- Container p is confined to the set of its entry, else to the shared pool.
procedure update(p: pod);
begin
  if isEmpty(entries[p]) then
    runsOn[p] := default;
  else
    runsOn[p] := entries[p];
  end;
end;

procedure reportAllocatable();
begin
  for c: cpu do
    allocatable[c] := c >= RESERVED & (!OLD | default[c]);
  end;
end;

startstate
begin
  kubelet := up;
  sourcesReady := true;
  restarts := 0;
  for c: cpu do
    default[c] := true;
  end;
  reportAllocatable();
  for p: pod do
    emptied(entries[p]);
    containerMap[p] := false;
    emptied(lastUpdateState[p]);
    phase[p] := absent;
    size[p] := 0;
    seen[p] := false;
    endContainer(p);
  end;
end;

ruleset p: pod; asked: request do
  rule "CreatePod"
    phase[p] = absent & fits(asked)
  ==>
  begin
    phase[p] := active;
    size[p] := asked;
  end;
end;

ruleset p: pod do
  rule "Allocate"
    kubelet = up & phase[p] = active & !seen[p]
  ==>
  var left: request;
  begin
    pending := p;
    pendingSize := size[p];
    removeStaleState();
    seen[p] := true;
    if size[p] > 0 then
      if !isEmpty(entries[p]) then
        cpusToReuse := p;
      elsif free() < size[p] then
        phase[p] := failed;
        endContainer(p);
      else
        left := size[p];
        for c: cpu do
          if left > 0 & isFree(c) then
            default[c] := false;
            entries[p][c] := true;
            left := left - 1;
          end;
        end;
        cpusToReuse := p;
      end;
    end;
  end;

  rule "StartContainer"
    kubelet = up & isActive(p) & !running[p]
  ==>
  begin
    running[p] := true;
    update(p);
    containerMap[p] := true;
    if !isEmpty(entries[p]) then
      lastUpdateState[p] := entries[p];
    end;
  end;

  rule "DeletePod"
    phase[p] = active | phase[p] = failed
  ==>
  begin
    phase[p] := deleted;
    size[p] := 0;
    seen[p] := false;
    endContainer(p);
  end;
end;

rule "SourcesReady"
  kubelet = up & !sourcesReady & forall p: pod do phase[p] != active | seen[p] end
==>
begin
  sourcesReady := true;
end;

rule "ReconcileState"
  kubelet = up
==>
var before: cpuset;
begin
  removeStaleState();
  for p: pod do
    if isActive(p) & running[p] then
      containerMap[p] := true;
      before := runsOn[p];
      update(p);
      if isEmpty(runsOn[p]) | forall c: cpu do runsOn[p][c] = lastUpdateState[p][c] end then
        runsOn[p] := before;
      else
        lastUpdateState[p] := runsOn[p];
      end;
    end;
  end;
end;

rule "StopKubelet"
  kubelet = up & restarts < RESTARTS
==>
begin
  restarts := restarts + 1;
  kubelet := down;
  sourcesReady := false;
  undefine cpusToReuse;
  undefine pending;
  undefine pendingSize;
  emptied(allocatable);
  for p: pod do
    containerMap[p] := false;
    emptied(lastUpdateState[p]);
    if phase[p] = active then
      seen[p] := false;
    end;
  end;
end;

-- validateState: shared pool and entries make up the machine, and the reserved CPUs are in the pool.
rule "StartKubelet"
  kubelet != up
==>
begin
  if forall c: cpu do
    (default[c] & forall p: pod do !entries[p][c] end)
    | (!default[c] & c >= RESERVED & exists p: pod do entries[p][c] end)
  end then
    kubelet := up;
    reportAllocatable();
    for p: pod do
      containerMap[p] := running[p];
    end;
  else
    kubelet := startFailed;
  end;
end;

invariant "allocatable-is-unreserved"
  kubelet = up -> forall c: cpu do allocatable[c] = (c >= RESERVED) end;
