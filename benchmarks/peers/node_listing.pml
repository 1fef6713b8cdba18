/* node-listing in Promela: the states and steps of model/systems/node_listing.py, so the same counts.
 * NODES (up to 5), ZONES (up to 3) and RESUMES are given to the preprocessor: RESUMES says that a listing begins where
 * the last one stopped (1.18.0 to 1.18.6), and not at the start (1.18.7 to 1.18.20). Every node may change its zone.
 * One d_step is one step. Names count from 1, and 0 is no name; places count from 0. */

/* nodeTree. Places from `numZones` on are 0. Row `z` of `nodes` begins at z * NODES. */
byte numZones;
byte zones[ZONES];
byte count[ZONES];
byte lastIndex[ZONES];
byte nodes[ZONES * NODES];
byte zoneIndex;
byte numNodes;
/* The snapshot. */
byte listLen;
byte list[NODES];
bool inMap[NODES + 1];
bool fresh;
bool failed;
/* The zone of each node, which the tree says too; 0 if the tree lacks the node. */
byte zoneOf[NODES + 1];

/* For use within a step: 0 in every state. Spin searches no breadth first if there are hidden variables. */
byte at, i, j, exhausted;
bool differs;

inline forget() { at = 0; i = 0; j = 0; exhausted = 0; differs = false }

/* The first place of `zone`, or `numZones`. */
inline place_of(zone) {
  at = 0;
  do
  :: at < numZones && zones[at] != zone -> at++
  :: else -> break
  od
}

inline add_node(node, zone) {
  place_of(zone);
  if
  :: at == numZones -> zones[at] = zone; numZones++
  :: else
  fi;
  nodes[at * NODES + count[at]] = node;
  count[at]++;
  zoneOf[node] = zone;
  numNodes++
}

inline remove_zone() {
  numZones--;
  for (i : at .. numZones) {
    if
    :: i < numZones ->
      zones[i] = zones[i + 1]; count[i] = count[i + 1]; lastIndex[i] = lastIndex[i + 1];
      for (j : 0 .. NODES - 1) { nodes[i * NODES + j] = nodes[(i + 1) * NODES + j] }
    :: else
    fi
  };
  zones[numZones] = 0; count[numZones] = 0; lastIndex[numZones] = 0;
  for (j : 0 .. NODES - 1) { nodes[numZones * NODES + j] = 0 }
}

inline remove_node(node) {
  place_of(zoneOf[node]);
  if
  :: count[at] == 1 -> remove_zone()
  :: else ->
    i = 0;
    do
    :: nodes[at * NODES + i] != node -> i++
    :: else -> break
    od;
    count[at]--;
    do
    :: i < count[at] -> nodes[at * NODES + i] = nodes[at * NODES + i + 1]; i++
    :: else -> break
    od;
    nodes[at * NODES + i] = 0
  fi;
  zoneOf[node] = 0;
  numNodes--
}

inline reset_exhausted() {
  for (j : 0 .. ZONES - 1) { lastIndex[j] = 0 };
  zoneIndex = 0
}

/* `numNodes` calls of `next`. */
inline list_nodes() {
  if
  :: !RESUMES -> reset_exhausted()
  :: else
  fi;
  for (i : 0 .. NODES - 1) { list[i] = 0 };
  listLen = 0;
  exhausted = 0;
  do
  :: listLen < numNodes ->
    at = (zoneIndex >= numZones -> 0 : zoneIndex);
    zoneIndex = at + 1;
    if
    :: lastIndex[at] < count[at] ->
      list[listLen] = nodes[at * NODES + lastIndex[at]];
      listLen++;
      lastIndex[at]++;
      exhausted = 0
    :: else ->
      exhausted++;
      if
      :: exhausted == numZones -> reset_exhausted(); exhausted = 0
      :: else
      fi
    fi
  :: else -> break
  od
}

/* A node that joined or left is seen by its name; the check at the end compares lengths. */
inline update_snapshot() {
  differs = false;
  for (i : 1 .. NODES) {
    differs = differs || (inMap[i] != (zoneOf[i] != 0))
  };
  if
  :: differs -> list_nodes()
  :: else
  fi;
  failed = (listLen != numNodes);
  if
  :: failed -> list_nodes()
  :: else
  fi;
  for (i : 1 .. NODES) { inMap[i] = (zoneOf[i] != 0) };
  fresh = true
}

inline check() {
  assert(!fresh || listLen == numNodes);
  if
  :: fresh ->
    for (i : 1 .. NODES) {
      at = 0;
      for (j : 0 .. NODES - 1) {
        if
        :: list[j] == i -> at++
        :: else
        fi
      };
      assert(at == (zoneOf[i] != 0))
    }
  :: else
  fi
}

inline changed() { fresh = false; forget() }

#define EVENT(node, zone) \
  :: d_step { zoneOf[node] == 0 -> add_node(node, zone); changed() } \
  :: d_step { zoneOf[node] != 0 && zoneOf[node] != zone -> remove_node(node); add_node(node, zone); changed() }
#if ZONES == 1
#define EVENTS(node) EVENT(node, 1)
#elif ZONES == 2
#define EVENTS(node) EVENT(node, 1) EVENT(node, 2)
#else
#define EVENTS(node) EVENT(node, 1) EVENT(node, 2) EVENT(node, 3)
#endif
#define REMOVAL(node) :: d_step { zoneOf[node] != 0 -> remove_node(node); changed() }

#if NODES == 5
#define SOME_IN_MAP (inMap[1] || inMap[2] || inMap[3] || inMap[4] || inMap[5])
#elif NODES == 4
#define SOME_IN_MAP (inMap[1] || inMap[2] || inMap[3] || inMap[4])
#elif NODES == 3
#define SOME_IN_MAP (inMap[1] || inMap[2] || inMap[3])
#else
#define SOME_IN_MAP (inMap[1] || inMap[NODES])
#endif

active proctype system() {
end:
  do
  EVENTS(1) REMOVAL(1)
#if NODES >= 2
  EVENTS(2) REMOVAL(2)
#endif
#if NODES >= 3
  EVENTS(3) REMOVAL(3)
#endif
#if NODES >= 4
  EVENTS(4) REMOVAL(4)
#endif
#if NODES >= 5
  EVENTS(5) REMOVAL(5)
#endif
  :: d_step { numNodes > 0 || SOME_IN_MAP -> update_snapshot(); check(); forget() }
  od
}
