-- node-listing in Murphi: the states and steps of model/systems/node_listing.py, so the same counts.
-- NODES, ZONES and RESUMES are put in front of this text: RESUMES says that a listing begins where the last one
-- stopped (1.18.0 to 1.18.6), and not at the start (1.18.7 to 1.18.20). Every node may change its zone.

type
  node: scalarset(NODES);
  zone: scalarset(ZONES);
  node_place: 0 .. NODES - 1;
  zone_place: 0 .. ZONES - 1;
  node_count: 0 .. NODES;
  zone_count: 0 .. ZONES;
  node_names: record
    len: node_count;
    at: array [node_place] of node;  -- undefined from `len` on
  end;
  node_array: record
    nodes: node_names;
    lastIndex: node_count;
  end;

var
  -- nodeTree. Places from `numZones` on are as at the start.
  numZones: zone_count;
  zones: array [zone_place] of zone;
  tree: array [zone_place] of node_array;
  zoneIndex: zone_count;
  numNodes: node_count;
  -- The snapshot.
  nodeInfoList: node_names;
  nodeInfoMap: array [node] of boolean;
  fresh: boolean;
  failed: boolean;

-- The place of the zone that has the node; `numZones` if none has.
function placeOf(n: node): zone_count;
begin
  for z: zone_place do
    for i: node_place do
      if i < tree[z].nodes.len & tree[z].nodes.at[i] = n then
        return z;
      end;
    end;
  end;
  return numZones;
end;

function inTree(n: node): boolean;
begin
  return placeOf(n) != numZones;
end;

procedure emptied(var names: node_names);
begin
  undefine names;
  names.len := 0;
end;

procedure append(var names: node_names; n: node);
begin
  names.at[names.len] := n;
  names.len := names.len + 1;
end;

procedure addNode(n: node; z: zone);
var at: zone_count;
begin
  at := 0;
  while at < numZones & zones[at] != z do
    at := at + 1;
  end;
  if at = numZones then
    zones[at] := z;
    numZones := numZones + 1;
  end;
  append(tree[at].nodes, n);
  numNodes := numNodes + 1;
end;

procedure removeZone(at: zone_count);
begin
  for z: zone_place do
    if z >= at & z + 1 < numZones then
      zones[z] := zones[z + 1];
      tree[z] := tree[z + 1];
    end;
  end;
  numZones := numZones - 1;
  undefine zones[numZones];
  emptied(tree[numZones].nodes);
  tree[numZones].lastIndex := 0;
end;

procedure removeNode(n: node);
var
  at: zone_count;
  kept: node_names;
begin
  at := placeOf(n);
  if tree[at].nodes.len = 1 then
    removeZone(at);
  else
    emptied(kept);
    for i: node_place do
      if i < tree[at].nodes.len & tree[at].nodes.at[i] != n then
        append(kept, tree[at].nodes.at[i]);
      end;
    end;
    tree[at].nodes := kept;
  end;
  numNodes := numNodes - 1;
end;

procedure resetExhausted();
begin
  for z: zone_place do
    tree[z].lastIndex := 0;
  end;
  zoneIndex := 0;
end;

-- `numNodes` calls of `next`.
procedure listNodes();
var
  at: zone_count;
  exhausted: zone_count;
begin
  if !RESUMES then
    resetExhausted();
  end;
  emptied(nodeInfoList);
  exhausted := 0;
  while nodeInfoList.len < numNodes do
    at := zoneIndex;
    if at >= numZones then
      at := 0;
    end;
    zoneIndex := at + 1;
    if tree[at].lastIndex < tree[at].nodes.len then
      append(nodeInfoList, tree[at].nodes.at[tree[at].lastIndex]);
      tree[at].lastIndex := tree[at].lastIndex + 1;
      exhausted := 0;
    else
      exhausted := exhausted + 1;
      if exhausted = numZones then
        resetExhausted();
        exhausted := 0;
      end;
    end;
  end;
end;

startstate
begin
  numZones := 0;
  for z: zone_place do
    emptied(tree[z].nodes);
    tree[z].lastIndex := 0;
  end;
  zoneIndex := 0;
  numNodes := 0;
  emptied(nodeInfoList);
  for n: node do
    nodeInfoMap[n] := false;
  end;
  fresh := false;
  failed := false;
end;

ruleset n: node; z: zone do
  rule "AddNode"
    !inTree(n)
  ==>
  begin
    addNode(n, z);
    fresh := false;
  end;

  rule "UpdateNode"
    inTree(n) & zones[placeOf(n)] != z
  ==>
  begin
    removeNode(n);
    addNode(n, z);
    fresh := false;
  end;
end;

ruleset n: node do
  rule "RemoveNode"
    inTree(n)
  ==>
  begin
    removeNode(n);
    fresh := false;
  end;
end;

-- A node that joined or left is seen by its name; the check at the end compares lengths.
rule "UpdateSnapshot"
  numNodes > 0 | exists n: node do nodeInfoMap[n] end
==>
begin
  if exists n: node do nodeInfoMap[n] != inTree(n) end then
    listNodes();
  end;
  failed := nodeInfoList.len != numNodes;
  if failed then
    listNodes();
  end;
  for n: node do
    nodeInfoMap[n] := inTree(n);
  end;
  fresh := true;
end;

function listed(n: node): node_count;
var times: node_count;
begin
  times := 0;
  for i: node_place do
    if i < nodeInfoList.len & nodeInfoList.at[i] = n then
      times := times + 1;
    end;
  end;
  return times;
end;

invariant "listed-exactly-once"
  fresh -> forall n: node do (inTree(n) & listed(n) = 1) | (!inTree(n) & listed(n) = 0) end;

invariant "list-as-long-as-tree"
  fresh -> nodeInfoList.len = numNodes;
