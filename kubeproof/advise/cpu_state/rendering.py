"""The answer about a state file as text, for readers who run a node and do not know this tool.

What the kubelet says stands on lines of its own that are not broken. `wording` has the lines and phrases.
"""

from collections.abc import Iterator, Sequence

from kubeproof.advise.cpu_state.answer import StateAnswer
from kubeproof.advise.cpu_state.deletion import Running
from kubeproof.advise.cpu_state.sets import Holder, Sharing
from kubeproof.advise.cpu_state.wording import (
    ENTRIES_SHOWN,
    cpus_text,
    fact,
    holder_text,
    list_text,
    more,
    said,
    wrapped,
)
from kubeproof.visible import visible


def render(answer: StateAnswer) -> str:
    """Plain text, the verdict first; no newline at the end."""
    return "\n".join(_lines(answer))


def verdict(answer: StateAnswer) -> str:
    """One line: does the kubelet start, and is the file sound."""
    kubelet = f"A kubelet of {answer.release}"
    machine = f" on {cpus_text(answer.cpus)}" if answer.cpus_by else ""
    if not answer.would_start:
        return f"{kubelet} would not start with this file{machine}:"
    if not answer.consistent:
        return f"{kubelet} would start with this file{machine}, and yet the file is not sound."
    if not answer.manager_on:
        return f"{kubelet} would start with this file{machine}: with the gate CPUManager off it does not read the file."
    if answer.configured_policy == "none":
        return f"{kubelet} would start with this file{machine}: with policy none it does not look at the CPU sets."
    if not answer.cpus_by and answer.partition is not None and not answer.partition.empty:
        return f"{kubelet} would start with this file, if the machine has the CPUs that the file names."
    return f"{kubelet} would start with this file{machine}. The file is sound."


def _lines(answer: StateAnswer) -> Iterator[str]:
    yield from wrapped(verdict(answer), "")
    if answer.refusals:
        yield from _refusals(answer)
    yield ""
    yield from _facts(answer)
    if answer.partition is not None:
        yield from _partition(answer)
    if answer.to_do:
        yield ""
        yield from _to_do(answer)
        if answer.if_deleted.starts:
            yield ""
            yield from _if_deleted(answer)
    if answer.configured_policy == "static":
        options = "policy options such as full-pcpus-only, and " if answer.policy_options is None else ""
        yield ""
        yield from wrapped(f"Not judged: {options}which pods exist.", "")


def _refusals(answer: StateAnswer) -> Iterator[str]:
    first = answer.refusals[0]
    yield ""
    if first.logged is not None:
        yield from said(first.logged)
        yield from said(f"panic: {first.panic}")
    else:
        yield from said(f"panic: {first.panic}" if first.panic else first.error)
    others = answer.refusals[1:]
    if others:
        yield ""
        yield from wrapped("Or one of these, since the kubelet looks at the entries in no fixed order:", "")
        yield from (line for each in others[:ENTRIES_SHOWN] for line in said(each.error))
        yield from more(len(others))


def _facts(answer: StateAnswer) -> Iterator[str]:
    version = "of no known format" if answer.version is None else f"version {answer.version}"
    written = {1: ", as 1.17 and older write it", 2: ", as 1.18 and later write it"}.get(answer.version or 0, "")
    yield from fact("File", f"{visible(answer.file)}: {version}{written}")
    yield from _policy(answer)
    judged = "" if answer.release == answer.judged_as else f", as upstream {answer.judged_as}"
    by = "as asked" if answer.release_by == "--release" else answer.release_by
    yield from fact("Judged by", f"Kubernetes {answer.release}{judged} ({by})")
    yield from _checksum(answer)
    if answer.configured_policy == "none" and answer.version:
        yield from fact("CPU sets", "not judged: with policy none the kubelet starts without looking at them")
        return
    if answer.cpus_by:
        yield from fact("Machine", f"{cpus_text(answer.cpus)} ({answer.cpus_by})")
    else:
        yield from fact("Machine", "not given: taken to have just the CPUs in the file")
    yield from _reserved(answer)
    if answer.unread is not None:
        yield from fact("CPU sets", f"cannot be read: {visible(answer.unread)}")


def _policy(answer: StateAnswer) -> Iterator[str]:
    of_file = visible(answer.policy) or "not named"
    if answer.configured_by is not None:
        own = "" if answer.version is None or answer.policy == answer.configured_policy else f"; the file has {of_file}"
        yield from fact("Policy", f"{visible(answer.configured_policy)} ({answer.configured_by}){own}")
    elif answer.version is not None:
        taken = answer.configured_policy
        assumed = "that of the file" if taken == answer.policy else f"{visible(taken)}, the default"
        yield from fact("Policy", f"{of_file}; configured is taken to be {assumed} (--policy or --config would tell)")
    if answer.policy_options:
        yield from fact("Options", visible(", ".join(answer.policy_options)))


def _checksum(answer: StateAnswer) -> Iterator[str]:
    checksum = answer.checksum
    if checksum is None:
        return
    if checksum.verdict == "right":
        yield from fact("Checksum", f"{checksum.found}, right")
        if checksum.right_for_release is None:
            yield from fact("", f"{answer.release} reads version 1 only, not this file")
        elif checksum.right_for_release != checksum.right:
            yield from fact("", f"{answer.release} reads version 1 only: for it {checksum.right_for_release} is right")
        return
    if checksum.verdict == "not checked":
        yield from fact("Checksum", f"0 or missing: the kubelet does not check it (right would be {checksum.right})")
        return
    both = ""
    if checksum.right_as_version_1 is not None and checksum.right_as_version_2 is not None:
        other = 1 if answer.version == 2 else 2
        number = checksum.right_as_version_1 if other == 1 else checksum.right_as_version_2
        both = f" (as version {other} it would be {number})"
    yield from fact("Checksum", f"{checksum.found}, wrong: it should be {checksum.right}{both}")
    if answer.repaired is not None:
        if answer.repaired.would_start:
            yield from fact("", "with the right one this kubelet would start")
        elif answer.repaired.error != answer.refusals[0].error:
            yield from fact("", "with the right one this kubelet would say:")
            yield from said(answer.repaired.error or "", " " * 13)


def _reserved(answer: StateAnswer) -> Iterator[str]:
    reserved = answer.reserved
    if reserved is None:
        yield from fact("Reserved", "not given, not judged")
        return
    faults = []
    if reserved.not_in_pool and answer.pool:
        faults.append(f"{cpus_text(reserved.not_in_pool)} not in the shared pool")
    if reserved.taken:
        faults.append(f"{cpus_text(reserved.taken)} given to containers")
    cpus = cpus_text(reserved.cpus) if reserved.cpus else visible(reserved.given)
    yield from fact("Reserved", cpus + (f"; {', '.join(faults)}" if faults else ""))


def _partition(answer: StateAnswer) -> Iterator[str]:
    found = answer.partition
    assert found is not None
    if found.empty:
        yield from fact("CPU sets", "all empty: the kubelet begins with every CPU in the shared pool")
        return
    if found.holds:
        whole = "they partition the machine" if answer.cpus_by else "no CPU is in two of them"
    else:
        whole = "they do NOT partition the machine"
    yield from fact("CPU sets", whole)
    yield f"  {list_text(answer.pool) or '(none)'}: the shared pool"
    for entry in answer.entries[:ENTRIES_SHOWN]:
        yield f"  {list_text(entry.cpus) or '(none)'}: {holder_text(Holder(entry.pod, entry.container))}"
    yield from more(len(answer.entries))
    if found.in_no_set:
        yield from wrapped(f"Not in any set: {cpus_text(found.in_no_set)}", "")
    if found.not_in_machine:
        yield from wrapped(f"Not in the machine: {cpus_text(found.not_in_machine)}", "")
    yield from _shared(found.shared)


def _shared(shared: Sequence[Sharing]) -> Iterator[str]:
    for one in shared[:ENTRIES_SHOWN]:
        names = [
            *(["the shared pool"] if one.pool else []),
            *(holder_text(each) for each in one.holders[:ENTRIES_SHOWN]),
        ]
        yield f"In several sets: {cpus_text(one.cpus)}"
        yield from (f"  {name}" for name in names)
        yield from more(len(one.holders))
    yield from more(len(shared), "")
    if any(one.one_pod for one in shared):
        yield from wrapped(
            "Containers of one pod may share CPUs with its init containers, which end before them; the file does not "
            "say which are init containers.",
            "",
        )
    if any(not one.one_pod and len(one.holders) > 1 for one in shared):
        yield from wrapped(
            "No kubelet of any release checks whether two containers have the same CPU: it goes on with both.", ""
        )


def _to_do(answer: StateAnswer) -> Iterator[str]:
    yield "What has to be done"
    for step in answer.to_do:
        if step.instead:
            yield from wrapped(f"Either {step.do[0].lower()}{visible(step.do[1:])}. Or:", "  ")
    for number, step in enumerate((step for step in answer.to_do if not step.instead), 1):
        if step.command is None:
            yield from wrapped(f"{number}. {visible(step.do)}", "  ", "     ")
        else:
            yield f"  {number}. {step.do + ':':<23}{step.command}"
    if any(step.command for step in answer.to_do) and answer.if_deleted.running:
        yield from wrapped(
            "A drain leaves pods of DaemonSets and static pods, and a kubelet that is down already stops no container: "
            "see that none of the containers below runs before the file is deleted (crictl ps), or reboot.",
            "  ",
        )


def _if_deleted(answer: StateAnswer) -> Iterator[str]:
    after = answer.if_deleted
    yield "If the file is deleted without draining"
    pool = cpus_text(after.pool) if answer.cpus_by else "every CPU of the machine"
    if not after.running:
        if answer.unread is not None:
            unknown = (
                "Which containers have exclusive CPUs cannot be read from the file. Each that has runs on, while its"
            )
            yield from wrapped(f"{unknown} CPUs go to the shared pool, which then has {pool}.", "  ")
        else:
            none = "No container in the file has exclusive CPUs, so that nothing that runs is disturbed."
            yield from wrapped(f"{none} The shared pool then has {pool}.", "  ")
        return
    yield from wrapped(
        f"The kubelet starts with {pool} in the shared pool. These containers, if they run, run on "
        "where they are, while their CPUs are in the pool, for other containers to use:",
        "  ",
    )
    for one in after.running[:ENTRIES_SHOWN]:
        yield f"    {list_text(one.cpus)}: {holder_text(one.holder)}{_outside(one)}"
    yield from more(len(after.running), "    ")
    moved = [one for one in after.running if one.given_anew is not None]
    if not moved:
        return
    if after.at_admission:
        anew = (
            "As it admits them again it gives them CPUs anew, and the next reconcile moves them there. If it takes them"
        )
    else:
        anew = "The next reconcile gives them CPUs anew and moves them there. If it takes them"
    yield from wrapped(f"{anew} in the order of the file:", "  ")
    for one in moved[:ENTRIES_SHOWN]:
        same = "as before" if one.given_anew == one.cpus else f"{list_text(one.cpus)} before"
        yield f"    {list_text(one.given_anew or '')} ({same}): {holder_text(one.holder)}"
    yield from more(len(moved), "    ")


def _outside(one: Running) -> str:
    return "" if one.in_pool == one.cpus else f" (in the pool: {list_text(one.in_pool) or 'none'})"
