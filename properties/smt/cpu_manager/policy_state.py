"""Any state of the static policy, seen from one operation: CPU sets as bit-vectors, and what must hold of them.

An operation works on one container of one pod. Of that pod any four containers are looked at, in the order of their
admission: no lemma relates more than three, and the fourth is the operation's. All further entries of the pod, and all
entries of other pods, come in by their unions, which is how the operations see them too. So a lemma that every
operation keeps in this picture is kept for any number of pods and containers.
"""

from collections.abc import Callable, Iterator, Mapping

from attrs import frozen
from z3 import And, BitVec, BitVecRef, Bool, BoolRef, Implies, Not, Or

from properties.smt.cpu_manager.policy import apart, subset, where

OWN = 4


@frozen
class Slot:
    """A container of the operation's pod that asks for exclusive CPUs."""

    # Whether the container has an entry, and the CPUs of this entry.
    present: BoolRef
    cpus: BitVecRef
    # Whether this is an init container of any kind.
    init: BoolRef
    # Whether this is an init container that keeps running.
    sidecar: BoolRef

    @classmethod
    def of(cls, width: int, number: int) -> "Slot":
        """Fresh variables."""
        return cls(
            Bool(f"present{number}"), BitVec(f"cpus{number}", width), Bool(f"init{number}"), Bool(f"sidecar{number}")
        )

    @property
    def entry(self) -> BitVecRef:
        return where(self.present, self.cpus)

    @property
    def ends_first(self) -> BoolRef:
        """Whether the container ends before the pod's next container starts."""
        return And(self.init, Not(self.sidecar))

    @property
    def stays(self) -> BoolRef:
        return Not(self.ends_first)

    @property
    def absent(self) -> BoolRef:
        return Not(self.present)


@frozen
class PolicyState:
    """A state of the policy, and of the pod that the operation is on."""

    # All CPUs of the machine.
    machine: BitVecRef
    reserved: BitVecRef
    # The shared pool.
    default: BitVecRef
    # Containers of the operation's pod.
    own: tuple[Slot, ...]
    # All other entries of that pod.
    further: BitVecRef
    # All entries of other pods.
    others: BitVecRef
    # There are entries in `further` or `others`.
    more: BoolRef
    # The one set in cpusToReuse.
    reuse: BitVecRef
    # `reuse` is of the operation's pod.
    mine: BoolRef

    @classmethod
    def of(cls, width: int) -> "PolicyState":
        """Fresh variables."""
        names = ("machine", "reserved", "default", "further", "others", "reuse")
        sets = {name: BitVec(name, width) for name in names}
        own = tuple(Slot.of(width, number) for number in range(OWN))
        return cls(**sets, own=own, more=Bool("more"), mine=Bool("mine"))

    @property
    def width(self) -> int:
        return int(self.machine.size())

    @property
    def own_entries(self) -> BitVecRef:
        """The union of the pod's entries."""
        union = self.further
        for slot in self.own:
            union |= slot.entry
        return union

    @property
    def assigned(self) -> BitVecRef:
        """The union of all entries."""
        return self.own_entries | self.others

    @property
    def own_reuse(self) -> BitVecRef:
        """What cpusToReuse has for the operation's pod."""
        return where(self.mine, self.reuse)

    def siblings(self, number: int) -> BitVecRef:
        """The union of the entries of the pod's containers but one."""
        union = self.further
        for other, slot in enumerate(self.own):
            if other != number:
                union |= slot.entry
        return union

    def well_formed(self, sidecars: bool) -> BoolRef:
        """What a state is: reserved CPUs exist, app containers come last, and only some releases have sidecars."""
        kinds = [Implies(slot.sidecar, slot.init if sidecars else False) for slot in self.own]
        order = [Implies(later.init, earlier.init) for earlier, later in zip(self.own, self.own[1:], strict=False)]
        more = Or(self.more, And(self.further == 0, self.others == 0))
        return And(subset(self.reserved, self.machine), more, *kinds, *order)


Lemma = Callable[[PolicyState, int], BoolRef]


def _pairs(state: PolicyState) -> Iterator[tuple[int, Slot, int, Slot]]:
    for j, later in enumerate(state.own):
        for i, earlier in enumerate(state.own[:j]):
            yield i, earlier, j, later


def shared_is_not_exclusive(state: PolicyState, cursor: int) -> BoolRef:
    return apart(state.default, state.assigned)


def every_cpu_is_somewhere(state: PolicyState, cursor: int) -> BoolRef:
    return state.default | state.assigned == state.machine


def pods_are_apart(state: PolicyState, cursor: int) -> BoolRef:
    return apart(state.own_entries, state.others)


def reuse_is_of_the_machine(state: PolicyState, cursor: int) -> BoolRef:
    return subset(state.reuse, state.machine)


def reuse_is_off_other_pods(state: PolicyState, cursor: int) -> BoolRef:
    """The pod in cpusToReuse is this one, or this one is among the others."""
    return And(
        Implies(state.mine, apart(state.reuse, state.others)),
        Implies(Not(state.mine), apart(state.reuse, state.own_entries)),
    )


def entries_are_apart(state: PolicyState, cursor: int) -> BoolRef:
    """Without any exception, as up to 1.17."""
    sets = [*(slot.entry for slot in state.own), state.further, state.others]
    return And(*(apart(a, b) for j, b in enumerate(sets) for a in sets[:j]))


def containers_that_stay_are_apart(state: PolicyState, cursor: int) -> BoolRef:
    """Exclusive sets are disjoint within one pod: only an init container, which ends, may share its CPUs."""
    return And(*(Implies(And(a.stays, b.stays), apart(a.entry, b.entry)) for _, a, _, b in _pairs(state)))


def init_is_off_sidecars_before_it(state: PolicyState, cursor: int) -> BoolRef:
    return And(*(Implies(And(a.stays, b.ends_first), apart(a.entry, b.entry)) for _, a, _, b in _pairs(state)))


def reuse_is_off_those_passed(state: PolicyState, cursor: int) -> BoolRef:
    """The containers that the pod's admission, at `cursor`, has passed, except for init containers that end."""
    passed = (apart(state.reuse, slot.entry) for slot in state.own[:cursor])
    stays = (slot.stays for slot in state.own[:cursor])
    return Implies(state.mine, And(*map(Implies, stays, passed)))


def _must_be_off(gap: Slot, later: Slot) -> BoolRef:
    """What the container `gap` is given must not be `later`'s, which has its entry already."""
    return Or(later.stays, gap.sidecar)


def reuse_is_off_those_after_a_gap(state: PolicyState, cursor: int) -> BoolRef:
    """A gap: a container without entry to which admission will come. It may be given what is in cpusToReuse."""
    gaps = (
        Implies(And(gap.absent, gap.stays, _must_be_off(gap, later)), apart(state.reuse, later.entry))
        for i, gap, _, later in _pairs(state)
        if i >= cursor
    )
    return Implies(state.mine, And(*gaps))


def init_is_off_those_after_a_gap(state: PolicyState, cursor: int) -> BoolRef:
    """So that what comes into cpusToReuse when the pod is admitted again keeps the lemma on it."""
    own = state.own
    triples = (
        Implies(
            And(init.ends_first, own[x].absent, own[x].stays, _must_be_off(own[x], later)),
            apart(init.entry, later.entry),
        )
        for i, init, j, later in _pairs(state)
        for x in range(i + 1, j)
    )
    return And(*triples)


def no_init_before_a_gap_passed(state: PolicyState, cursor: int) -> BoolRef:
    """A container that admission has passed has lost its entry only together with all entries before it."""
    return And(
        *(
            Implies(And(gap.absent, gap.stays, init.ends_first), init.absent)
            for _, init, j, gap in _pairs(state)
            if j < cursor
        )
    )


def reserved_are_shared(state: PolicyState, cursor: int) -> BoolRef:
    return subset(state.reserved, state.default)


def reserved_are_not_exclusive(state: PolicyState, cursor: int) -> BoolRef:
    return apart(state.reserved, state.assigned)


def reserved_are_not_reused(state: PolicyState, cursor: int) -> BoolRef:
    return apart(state.reserved, state.reuse)


def named(*lemmas: Lemma) -> Mapping[str, Lemma]:
    """The lemmas by their names in words."""
    return {lemma.__name__.replace("_", " "): lemma for lemma in lemmas}
