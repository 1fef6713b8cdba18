"""For each point and failure: what is undone in which order, and what is left, by release."""

from collections.abc import Sequence

from kubeproof.report.scheduling_cycle.driven import GROUPS, MIDDLE, NEW, OLD, Failing, Run, left, phases, run, said
from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, rules, table
from model.releases import Release
from model.scheduler.cycle_points import CyclePointRules
from model.scheduler.framework.status import Code

_REJECTS = Code.UNSCHEDULABLE
# What fails, in the order of a cycle.
FAILINGS = (
    *(Failing(point, code) for point in ("PreFilter", "Filter") for code in (Code.ERROR, _REJECTS)),
    Failing("extender Filter"),
    *(Failing(point) for point in ("PreScore", "Score", "NormalizeScore")),
    Failing("AssumePod"),
    *(Failing("Reserve", code, "R2") for code in (Code.ERROR, _REJECTS)),
    *(Failing(point, code) for point in ("Permit", "wait", "PreBind") for code in (Code.ERROR, _REJECTS)),
    Failing("extender Bind"),
    *(Failing("Bind", code) for code in (Code.ERROR, _REJECTS)),
)


# What both ends have in common, in the words of `said`.
TOLD_1_17 = ["the error function, in its own goroutine", "event FailedScheduling", "the pod's status"]
TOLD = ["AddUnschedulableIfNotPresent", "AddNominatedPod", "event FailedScheduling", "the pod's status"]
TOLD_SHORT = "*the failure is told*"


def aftermath(done: Run) -> list[str]:
    """What follows the failure, in words and in order."""
    assert done.failed_at is not None, "the failing call is part of the cycle"
    found: list[str] = []
    for call in done.calls[done.failed_at + 1 :]:
        words = said(call)
        # The other node is asked as well; that is no answer to the failure.
        if words and words not in ("Filter", "Score", *found[-1:]):
            found.append(words)
    return found


def shortened(words: list[str]) -> list[str]:
    """The same, where what every failure has in common is one word."""
    for told in (TOLD_1_17, TOLD):
        for at in range(len(words)):
            if words[at : at + len(told)] == told:
                return [*words[:at], TOLD_SHORT, *words[at + len(told) :]]
    return words


def follows(release: Release, failing: Failing) -> str:
    """What follows the failure, and what is left, in one sentence."""
    done = run(release, failing)
    if done.failed_at is None:
        return "is not asked"
    rest = " and ".join(left(done))
    return f"{', '.join(shortened(aftermath(done)))}. Left: " + (f"**{rest}**" if rest else "nothing")


def _name(failing: Failing) -> str:
    if failing.what == "wait":
        return "the wait for Permit: " + ("an error" if failing.code is Code.ERROR else "rejected, or time over")
    if failing.what in ("AssumePod", "extender Filter", "extender Bind"):
        return f"{failing.what}: an error"
    plugin = " of the second of two plugins" if failing.plugin == "R2" else ""
    return f"{failing.what}{plugin}: " + ("an error" if failing.code is Code.ERROR else "Unschedulable")


def rows() -> list[list[str]]:
    """Of each failure: what follows in 1.17, in 1.18, and from 1.19 on."""
    found = []
    for failing in FAILINGS:
        row = [_name(failing)]
        among: Sequence[Release]
        for _, among in GROUPS:
            row.append(cell(by_release(lambda release, failing=failing: follows(release, failing), among)))  # type: ignore[misc]
        found.append(row)
    return found


# What is asked about the points after a host, and the field of `CyclePointRules` that says so.
POINTS_ASKED = (
    ("in the scheduling cycle, after a host was chosen", "points_in_cycle"),
    ("in the goroutine", "points_in_binding"),
    ("after a failed Reserve", "after_failed_reserve"),
    ("after a failed assume", "after_failed_assume"),
    ("after a failed Permit or PreBind", "after_failed_permit"),
    ("after a failed Bind", "after_failed_bind"),
)
# How the names of the rules read.
_WORDS = {
    "reserve": "Reserve", "assume": "AssumePod", "permit": "Permit", "bind": "Bind", "pre_bind": "PreBind",
    "wait_on_permit": "wait for Permit", "delete_nominated_pod": "DeleteNominatedPodIfExists",
    "unreserve": "Unreserve", "forget": "ForgetPod", "record": TOLD_SHORT,
}  # fmt: skip


def points(release: Release, field: str) -> list[str]:
    """The points of a release, or what follows a failure, in words. Where a goroutine listens is no point."""
    return [_WORDS[name] for name in getattr(rules(CyclePointRules, release), field)() if name in _WORDS]


def point_rows() -> list[list[str]]:
    """Of each question about the points: the answer, by release from 1.13 on."""
    return [
        [says, cell(by_release(lambda release, field=field: ", ".join(points(release, field))))]  # type: ignore[misc]
        for says, field in POINTS_ASKED
    ]


def _body() -> str:
    return f"""
Each point is made to fail in turn, and all else succeeds. The profile has a plugin at each point, and two at Reserve.
Whole cycles are modelled from 1.17 to {NEW[-1]}, where the recordings of whole cycles of the real code end. What every
failure has in common is written {TOLD_SHORT}:

- 1.17 and 1.18: {", ".join(TOLD_1_17)};
- {GROUPS[-1][0]}: {", ".join(TOLD)}.

{table(("what fails", *(f"{name}: what follows, in order" for name, _ in GROUPS)), rows())}

In 1.18 preemption is no plugin: where no node fits, the pod may preempt before the failure is told.

What comes after a host was chosen is modelled of all releases:

{table(("what", "releases"), point_rows())}

Up to 1.18 a failed Reserve is followed by no Unreserve: what the plugins before reserved is left. Unreserve goes
through the plugins in their order up to 1.18, and from the last to the first from 1.19 on.
"""


def diagram(release: Release) -> str:
    """The phases of a cycle, and where each goes if it fails, as a Mermaid flowchart."""
    failing = {_step(each): each for each in FAILINGS if each.code is Code.ERROR}
    lines = ["flowchart TB"]
    ends: dict[str, list[str]] = {}
    before = "Pop([Pop])"
    for title, steps in zip(("scheduling cycle: one pod at a time", "binding cycle: a goroutine for each pod"),
                            phases(release), strict=True):  # fmt: skip
        lines.append(f'  subgraph "{title}"')
        for step in steps:
            name = _id(step)
            lines.append(f'    {before} --> {name}["{step}"]')
            before = name
            if step in failing and run(release, failing[step]).failed_at is not None:
                words = ", ".join(shortened(aftermath(run(release, failing[step])))).replace(TOLD_SHORT, "failure told")
                ends.setdefault(words, []).append(name)
        lines.append("  end")
    for number, (words, steps) in enumerate(ends.items()):
        lines += [f'  {step} -. error .-> F{number}["{words}"]' for step in steps]
    return "\n".join(lines)


def _step(failing: Failing) -> str:
    return "wait for Permit" if failing.what == "wait" else failing.what


def _id(step: str) -> str:
    return "".join(word.capitalize() if word.islower() else word for word in step.split())


def _diagrams() -> str:
    shown = (OLD[-1], MIDDLE[-1], NEW[-1])
    return "A pod that waits for Permit and is bound, call by call, and what follows an error.\n\n" + "\n\n".join(
        f"{release}:\n\n```mermaid\n{diagram(release)}\n```" for release in shown
    )


SECTIONS = (
    Section("The phases", _diagrams),
    Section("What is undone after a failure", _body),
)
