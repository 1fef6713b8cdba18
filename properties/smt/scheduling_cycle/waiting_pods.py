"""For any number of plugins that wait at Permit: what the plugins decide reaches the goroutine, and nothing else does.

Go: `waitingPod` in pkg/scheduler/framework/runtime/waiting_pods_map.go. All pending plugins say Allow, or one says
Reject, or a timer fires. The answer goes through a channel to the goroutine that waits; a send never waits, and what
the channel does not take is lost. Waiting pods share nothing, so one of them stands for any number. One plugin is
watched, whichever one.
"""

from functools import partial

from attrs import frozen
from z3 import And, ArithRef, Bool, BoolRef, BoolVal, If, Implies, Int, Not, Or

from model.scheduler import waiting_pods as rules_of
from model.scheduler.waiting_pods import WaitingPodRules
from properties.forms import Forms, without_form
from properties.smt.scheduling_cycle.argument import Argument, Claim, CycleStep, Lemma

ARRIVES, DECIDED, ALL_ALLOW, ENDS = (
    "a-decision-arrives", "what-arrives-was-decided", "released-when-all-allow", "the-wait-ends",
)  # fmt: skip
NOTHING, ALLOWED, REJECTED = range(3)
ALLOW, LAST, REJECT, TIMER, LISTEN, RECEIVE = (
    "a plugin allows", "the last plugin allows", "a plugin rejects", "a timer fires", "the goroutine listens",
    "the goroutine receives",
)  # fmt: skip
# Whether any Allow is enough.
ONE_ALLOW = Forms("allow_suffices", {rules_of.one_allow: True, rules_of.every_allow: False})
# Whether the channel has room for one status that nobody receives yet.
BUFFER = Forms("signal_arrives", {rules_of.arrives_at_listener: False, rules_of.arrives_in_buffer: True})
# Whether each pending plugin has a timer.
TIMERS = Forms("timer_runs", {rules_of.timer_of_the_wait: False, rules_of.timer_of_each_plugin: True})


@frozen
class Signals:
    """How a release tells a waiting pod."""

    # Whether any Allow is enough.
    one_allow: bool
    # Whether the channel has room for one status that nobody receives yet.
    buffer: bool
    # Whether each pending plugin has a timer, which Allow and Reject stop. Else the goroutine has one.
    timers: bool


@frozen
class Waiting:
    """A pod that waits at Permit."""

    # How many of the plugins that said Wait have not said Allow, and whether the watched one is one of them.
    pending: ArithRef
    watched: BoolRef
    # Whether the goroutine receives from the channel.
    listening: BoolRef
    # What is in the channel, what the goroutine has received, and what was decided first.
    sent: ArithRef
    received: ArithRef
    decided: ArithRef
    # Whether a timer runs that will reject the pod.
    timer: BoolRef

    @classmethod
    def of(cls, tag: str) -> "Waiting":
        """Fresh variables."""
        numbers = {name: Int(name + tag) for name in ("pending", "sent", "received", "decided")}
        truths = {name: Bool(name + tag) for name in ("watched", "listening", "timer")}
        return cls(**numbers, **truths)


def _first(now: Waiting, decision: int) -> ArithRef:
    return If(now.decided == NOTHING, decision, now.decided)


def _sends(signals: Signals, now: Waiting, then: Waiting, status: int) -> BoolRef:
    """The status goes into the channel, or is lost. A goroutine that listens takes it from there at once or later."""
    takes = now.sent == NOTHING
    if not signals.buffer:
        takes = And(takes, now.listening, now.received == NOTHING)
    return then.sent == If(takes, status, now.sent)


def _rest(now: Waiting, then: Waiting, *names: str) -> BoolRef:
    """These fields stay as they are."""
    return And(*(getattr(then, name) == getattr(now, name) for name in names))


def _allow(signals: Signals, last: bool, now: Waiting, then: Waiting) -> BoolRef:
    stops = signals.timers and last
    parts = [
        now.pending == 1 if last else now.pending > 1,
        then.pending == now.pending - 1,
        # The plugin is the watched one, or another one.
        Implies(then.watched, And(now.watched, then.pending >= 1)),
        Implies(BoolVal(last), Not(then.watched)),
        _rest(now, then, "listening", "received"),
        then.decided == (_first(now, ALLOWED) if last else now.decided),
        then.timer == And(now.timer, BoolVal(not stops)),
        _sends(signals, now, then, ALLOWED) if last or signals.one_allow else then.sent == now.sent,
    ]
    return And(*parts)


def _reject(signals: Signals, by_timer: bool, now: Waiting, then: Waiting) -> BoolRef:
    return And(
        now.timer if by_timer else BoolVal(True),
        _rest(now, then, "pending", "watched", "listening", "received"),
        then.decided == _first(now, REJECTED),
        then.timer == And(now.timer, BoolVal(not signals.timers and not by_timer)),
        _sends(signals, now, then, REJECTED),
    )


def _listen(signals: Signals, now: Waiting, then: Waiting) -> BoolRef:
    starts = BoolVal(not signals.timers)
    stays = _rest(now, then, "pending", "watched", "sent", "received", "decided")
    return And(Not(now.listening), then.listening, then.timer == Or(now.timer, starts), stays)


def _receive(now: Waiting, then: Waiting) -> BoolRef:
    takes = And(now.listening, now.sent != NOTHING, now.received == NOTHING)
    stays = _rest(now, then, "pending", "watched", "listening", "decided", "timer")
    return And(takes, then.received == now.sent, then.sent == NOTHING, stays)


def _steps(signals: Signals) -> tuple[CycleStep[Waiting], ...]:
    return (
        CycleStep(ALLOW, partial(_allow, signals, False)),
        CycleStep(LAST, partial(_allow, signals, True)),
        CycleStep(REJECT, partial(_reject, signals, False)),
        CycleStep(TIMER, partial(_reject, signals, True)),
        CycleStep(LISTEN, partial(_listen, signals)),
        CycleStep(RECEIVE, _receive),
    )


_PENDING: Lemma[Waiting] = Lemma(
    "The watched plugin is one of those that are pending.",
    lambda now: And(now.pending >= 0, Implies(now.watched, now.pending >= 1)),
)
# Of a channel that keeps what is sent.
_KEPT: tuple[Lemma[Waiting], ...] = (
    _PENDING,
    Lemma("If nobody is pending, something was decided.", lambda now: Or(now.pending >= 1, now.decided != NOTHING)),
    Lemma(
        "If it was decided to allow, nobody is pending.", lambda now: Implies(now.decided == ALLOWED, now.pending == 0)
    ),
    Lemma(
        "Until the goroutine receives, the channel has what was decided.",
        lambda now: Implies(now.received == NOTHING, now.sent == now.decided),
    ),
    Lemma(
        "The goroutine receives what was decided.",
        lambda now: Implies(now.received != NOTHING, now.received == now.decided),
    ),
)
# Of any channel.
_ALLOWED: tuple[Lemma[Waiting], ...] = (
    _PENDING,
    Lemma(
        "If the channel or the goroutine has an Allow, nobody is pending.",
        lambda now: Implies(Or(now.sent == ALLOWED, now.received == ALLOWED), now.pending == 0),
    ),
)
# Of the one timer that the goroutine starts.
_ONE_TIMER: tuple[Lemma[Waiting], ...] = (
    _PENDING,
    Lemma("The timer runs while the goroutine listens.", lambda now: Implies(now.timer, now.listening)),
    Lemma(
        "A goroutine that listens has a timer, or was told.",
        lambda now: Implies(now.listening, Or(now.timer, now.sent != NOTHING, now.received != NOTHING)),
    ),
)


def _lost(now: Waiting) -> BoolRef:
    return And(now.decided != NOTHING, now.received == NOTHING, now.sent == NOTHING)


def _not_decided(now: Waiting) -> BoolRef:
    sent = And(now.sent != NOTHING, now.received == NOTHING, now.sent != now.decided)
    return Or(sent, And(now.received != NOTHING, now.received != now.decided))


def _start(signals: Signals, now: Waiting) -> BoolRef:
    """The pod is in the map."""
    nothing = [field == NOTHING for field in (now.sent, now.received, now.decided)]
    return And(now.pending >= 1, Not(now.listening), *nothing, now.timer == BoolVal(signals.timers))


def why_none(rules: WaitingPodRules) -> str | None:
    """Why there is no argument for these rules, or None."""
    unknown = without_form(rules, (ONE_ALLOW, BUFFER, TIMERS))
    return None if unknown is None else f"the rule {unknown} has no Z3 form"


def signals_of(rules: WaitingPodRules) -> Signals:
    """How the rules tell a waiting pod."""
    return Signals(ONE_ALLOW.of(rules), BUFFER.of(rules), TIMERS.of(rules))


_CLAIMS: tuple[Claim[Waiting], ...] = (
    Claim(ARRIVES, "the channel keeps what was decided until the goroutine receives it", _lost),
    Claim(DECIDED, "the channel takes nothing after that", _not_decided),
    Claim(
        ALL_ALLOW,
        "Allow is sent when nobody is pending",
        lambda now: And(now.received == ALLOWED, now.watched),
    ),
    Claim(
        ENDS,
        "what was decided can be received, or a timer runs",
        lambda now: And(_lost(now), now.listening, Not(now.timer)),
    ),
)
CLAIMS = tuple(claim.name for claim in _CLAIMS)


def argument(signals: Signals, claim: str) -> Argument[Waiting]:
    """The argument for one claim: that what was decided arrives, and nothing else does."""
    lemmas = {ALL_ALLOW: _ALLOWED, ENDS: _KEPT if signals.timers else _ONE_TIMER}
    return Argument(
        name=f"waiting pods: {claim}",
        state=Waiting.of,
        start=partial(_start, signals),
        steps=_steps(signals),
        lemmas=lemmas.get(claim, _KEPT),
        claims=tuple(each for each in _CLAIMS if each.name == claim),
        small=lambda now, size: now.pending <= size,
        details={"plugins": "any number", "pods": "any number"},
    )
