"""For any number of Reserve plugins: is what was reserved given back, once and in reverse?

Two plugins are watched, whichever two; they may be one and the same. A plugin may hold something although its Reserve
failed: that is a power of its own, since not every plugin does.
"""

from functools import partial

from attrs import frozen
from z3 import And, ArithRef, Bool, BoolRef, BoolVal, If, Implies, Int, Not, Or

from model.scheduler.cycle_points import CyclePointRules
from properties.smt.scheduling_cycle.argument import Argument, Claim, CycleStep, Lemma

GIVEN_BACK, REVERSE, NOTHING_ELSE = "reserved-is-given-back-once", "given-back-in-reverse", "nothing-else-is-given-back"
# Where the cycle is: plugins reserve; all have; plugins give back; the cycle has failed, and has ended; it has bound.
RESERVES, RESERVED, GIVES_BACK, FAILED, BOUND = range(5)


@frozen
class Undoing:
    """How a release gives back."""

    # Whether a failed Reserve is followed by Unreserve.
    after_failed_reserve: bool
    # Whether each later failure is.
    after_later_failure: bool
    # Whether Unreserve is asked from the last plugin to the first.
    in_reverse: bool


@frozen
class Cycle:
    """A cycle between two calls of plugins."""

    # How many plugins there are, and the watched ones: `early` does not come after `late`.
    plugins: ArithRef
    early: ArithRef
    late: ArithRef
    # Where the cycle is, and the plugin whose turn is next.
    phase: ArithRef
    turn: ArithRef
    # Of the watched plugins: whether the plugin holds something, whether it ever took it, how often it gave back.
    holds_early: BoolRef
    holds_late: BoolRef
    took_early: BoolRef
    took_late: BoolRef
    gave_early: ArithRef
    gave_late: ArithRef
    # The early one gave back while the late one held something.
    wrong_order: BoolRef

    @classmethod
    def of(cls, tag: str) -> "Cycle":
        """Fresh variables."""
        numbers = ("plugins", "early", "late", "phase", "turn", "gave_early", "gave_late")
        truths = ("holds_early", "holds_late", "took_early", "took_late", "wrong_order")
        return cls(
            **{name: Int(name + tag) for name in numbers},
            **{name: Bool(name + tag) for name in truths},
        )

    @property
    def watched(self) -> tuple[tuple[ArithRef, BoolRef, BoolRef, ArithRef], ...]:
        """Of each watched plugin: its place, whether it holds something, whether it took it, how often it gave back."""
        return (
            (self.early, self.holds_early, self.took_early, self.gave_early),
            (self.late, self.holds_late, self.took_late, self.gave_late),
        )

    def known(self) -> BoolRef:
        """There are such plugins."""
        return And(self.early >= 0, self.early <= self.late, self.late < self.plugins)


def _moves(now: Cycle, then: Cycle, phase: int, turn: ArithRef | int) -> BoolRef:
    """To this phase and turn. Which plugins there are stays."""
    same = And(then.plugins == now.plugins, then.early == now.early, then.late == now.late)
    return And(same, then.phase == phase, then.turn == turn)


def _plugins(now: Cycle, then: Cycle, takes: BoolRef, gives: BoolRef) -> BoolRef:
    """The plugin whose turn it is takes something, or gives back, or neither."""
    parts = []
    for (place, held, took, gave), (_, holds, has_taken, has_given) in zip(now.watched, then.watched, strict=True):
        its = place == now.turn
        parts += [
            holds == Or(And(held, Not(And(its, gives))), And(its, takes)),
            has_taken == Or(took, And(its, takes)),
            has_given == gave + If(And(its, gives), 1, 0),
        ]
    wrong = And(gives, now.early == now.turn, now.early < now.late, now.holds_late)
    return And(*parts, then.wrong_order == Or(now.wrong_order, wrong))


_YES, _NO = BoolVal(True), BoolVal(False)


def _first(undoing: Undoing, now: Cycle) -> ArithRef | int:
    """Whose turn is first to give back."""
    return now.plugins - 1 if undoing.in_reverse else 0


def _reserve(now: Cycle, then: Cycle) -> BoolRef:
    turn = And(now.phase == RESERVES, now.turn < now.plugins)
    return And(turn, _moves(now, then, RESERVES, now.turn + 1), _plugins(now, then, _YES, _NO))


def _fail(undoing: Undoing, half: bool, now: Cycle, then: Cycle) -> BoolRef:
    turn = And(now.phase == RESERVES, now.turn < now.plugins)
    if undoing.after_failed_reserve:
        moves = _moves(now, then, GIVES_BACK, _first(undoing, now))
    else:
        moves = _moves(now, then, FAILED, now.turn)
    # The solver chooses whether the plugin took something.
    takes = [_plugins(now, then, _NO, _NO), *([_plugins(now, then, _YES, _NO)] if half else [])]
    return And(turn, moves, Or(*takes))


def _all_reserved(now: Cycle, then: Cycle) -> BoolRef:
    ended = And(now.phase == RESERVES, now.turn == now.plugins)
    return And(ended, _moves(now, then, RESERVED, now.turn), _plugins(now, then, _NO, _NO))


def _later_failure(undoing: Undoing, now: Cycle, then: Cycle) -> BoolRef:
    if undoing.after_later_failure:
        moves = _moves(now, then, GIVES_BACK, _first(undoing, now))
    else:
        moves = _moves(now, then, FAILED, now.turn)
    return And(now.phase == RESERVED, moves, _plugins(now, then, _NO, _NO))


def _bind(now: Cycle, then: Cycle) -> BoolRef:
    return And(now.phase == RESERVED, _moves(now, then, BOUND, now.turn), _plugins(now, then, _NO, _NO))


def _unreserve(undoing: Undoing, now: Cycle, then: Cycle) -> BoolRef:
    turn = And(now.phase == GIVES_BACK, now.turn >= 0, now.turn < now.plugins)
    after = now.turn + (-1 if undoing.in_reverse else 1)
    return And(turn, _moves(now, then, GIVES_BACK, after), _plugins(now, then, _NO, _YES))


def _all_given_back(undoing: Undoing, now: Cycle, then: Cycle) -> BoolRef:
    ended = now.turn == (-1 if undoing.in_reverse else now.plugins)
    return And(now.phase == GIVES_BACK, ended, _moves(now, then, FAILED, now.turn), _plugins(now, then, _NO, _NO))


RESERVE, FAIL, ALL_RESERVED, LATER, BIND, UNRESERVE, ALL_BACK = (
    "a plugin reserves", "a plugin fails at Reserve", "all plugins have reserved", "the cycle fails later",
    "the pod is bound", "a plugin gives back", "all plugins have given back",
)  # fmt: skip


def _steps(undoing: Undoing, half: bool) -> tuple[CycleStep[Cycle], ...]:
    gives_back = (
        CycleStep(UNRESERVE, partial(_unreserve, undoing)),
        CycleStep(ALL_BACK, partial(_all_given_back, undoing)),
    )
    return (
        CycleStep(RESERVE, _reserve),
        CycleStep(FAIL, partial(_fail, undoing, half)),
        CycleStep(ALL_RESERVED, _all_reserved),
        CycleStep(LATER, partial(_later_failure, undoing)),
        CycleStep(BIND, _bind),
        *(gives_back if undoing.after_failed_reserve or undoing.after_later_failure else ()),
    )


def _lemmas(undoing: Undoing) -> tuple[Lemma[Cycle], ...]:
    def before(one: ArithRef, other: ArithRef) -> BoolRef:
        return one > other if undoing.in_reverse else one < other

    def turns(now: Cycle) -> BoolRef:
        last = now.turn >= (-1 if undoing.in_reverse else 0)
        giving = And(last, now.turn <= (now.plugins - 1 if undoing.in_reverse else now.plugins))
        return And(
            now.known(),
            now.phase >= RESERVES,
            now.phase <= BOUND,
            Implies(now.phase == RESERVES, And(now.turn >= 0, now.turn <= now.plugins)),
            Implies(now.phase == GIVES_BACK, giving),
        )

    def taking(now: Cycle) -> BoolRef:
        parts = []
        for place, held, took, gave in now.watched:
            parts += [
                Implies(now.phase == RESERVES, And(held == (place < now.turn), took == held, gave == 0)),
                Implies(Or(now.phase == RESERVED, now.phase == BOUND), And(held, took, gave == 0)),
            ]
        return And(*parts)

    def giving(now: Cycle) -> BoolRef:
        parts = []
        for place, held, took, gave in now.watched:
            had_turn = before(place, now.turn)
            parts.append(And(gave == If(had_turn, 1, 0), held == And(took, Not(had_turn))))
        return Implies(now.phase == GIVES_BACK, And(*parts))

    return (
        Lemma("There are such plugins and turns.", turns),
        Lemma("While plugins reserve, those before the turn hold something, and no others; all do afterwards.", taking),
        Lemma("While plugins give back, those that had their turn gave back once and hold nothing.", giving),
    )


def _of_claims(undoing: Undoing) -> dict[str, tuple[Lemma[Cycle], Claim[Cycle]]]:
    """Of each claim the lemma that it needs besides, and the claim."""

    def ended(now: Cycle) -> BoolRef:
        parts = [And(Not(held), gave == 1) for _, held, _, gave in now.watched]
        return Implies(now.phase == FAILED, And(*parts))

    def all_took(now: Cycle) -> BoolRef:
        parts = [Implies(gave > 0, took) for _, _, took, gave in now.watched]
        begun = Implies(now.phase == GIVES_BACK, And(*(took for _, _, took, _ in now.watched)))
        return And(begun, *parts)

    return {
        GIVEN_BACK: (
            Lemma("At the end of a failed cycle each plugin has given back once and holds nothing.", ended),
            Claim(
                GIVEN_BACK,
                "each plugin has its turn to give back",
                lambda now: And(now.phase == FAILED, now.took_early, Or(now.holds_early, now.gave_early != 1)),
            ),
        ),
        REVERSE: (
            Lemma("No plugin has given back while a later one held something.", lambda now: Not(now.wrong_order)),
            Claim(REVERSE, "the later ones have their turn before", lambda now: now.wrong_order),
        ),
        NOTHING_ELSE: (
            Lemma("Only plugins that took something give back.", all_took),
            Claim(
                NOTHING_ELSE,
                "plugins give back only after all have reserved",
                lambda now: And(now.gave_early > 0, Not(now.took_early)),
            ),
        ),
    }


def _start(now: Cycle) -> BoolRef:
    nothing = [And(Not(held), Not(took), gave == 0) for _, held, took, gave in now.watched]
    return And(now.known(), now.phase == RESERVES, now.turn == 0, Not(now.wrong_order), *nothing)


def why_none(rules: CyclePointRules) -> str | None:
    """Why there is no argument for these rules, or None. The proof calls the rules, so any rules will do."""
    if "reserve" not in rules.points_in_cycle():
        return "there are no Reserve plugins"
    return None


def undoing_of(rules: CyclePointRules) -> Undoing:
    """How the rules give back."""
    later = [rules.after_failed_permit(), rules.after_failed_bind()]
    points = rules.points_in_cycle()
    if points.index("reserve") < points.index("assume"):
        later.append(rules.after_failed_assume())
    return Undoing(
        after_failed_reserve="unreserve" in rules.after_failed_reserve(),
        after_later_failure=all("unreserve" in undo for undo in later),
        in_reverse=rules.unreserves_in_reverse(),
    )


def argument(undoing: Undoing, claim: str, *, half: bool = False) -> Argument[Cycle]:
    """The argument for one claim. `half`: a plugin may hold something although its Reserve failed."""
    lemma, asked = _of_claims(undoing)[claim]
    return Argument(
        name=f"Reserve and Unreserve: {claim}",
        state=Cycle.of,
        start=_start,
        steps=_steps(undoing, half),
        lemmas=(*_lemmas(undoing), lemma),
        claims=(asked,),
        small=lambda now, size: now.plugins <= size,
        details={"plugins": "any number", "failures": "one, of any plugin, or later"},
    )


CLAIMS = (GIVEN_BACK, REVERSE, NOTHING_ELSE)
