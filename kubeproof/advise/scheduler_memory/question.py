"""What is asked: the scheduler's release, the gate SchedulerQueueingHints, the memory limit, and who says so."""

import re

from attrs import frozen

from kubeproof.advise.pod_events.quantity import QuantityError, parse_quantity
from kubeproof.advise.scheduler_memory.figures import GATE
from kubeproof.advise.scheduler_memory.growth import judged_run, runs_of
from kubeproof.advise.scheduler_memory.picture import Dump, Picture
from kubeproof.errors import InputError
from kubeproof.systems.gates import OPTION, read_gates, refuse
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.releases import default_gates_note, newer_note
from kubeproof.visible import shortened
from model.gates import HINTS
from model.releases import OLDEST, Release, ReleaseError, release_or_newest

# The releases that this command takes: old ones have no list, and of all others the rules of the list are known.
RELEASES = range(OLDEST, QUEUEING_HINTS.minors[-1] + 1)
# Earlier releases have neither the gate nor the list.
FIRST_WITH_HINTS = HINTS.first

_IMAGE_TAG = re.compile(r":(v?1\.\d{1,3}\.\d{1,4}[0-9A-Za-z.+_-]{0,60})(?:@|$)", re.ASCII)


@frozen
class Gate:
    """Whether SchedulerQueueingHints is on, and who says so. None: nobody does."""

    on: bool | None
    by: str


@frozen
class MemoryQuestion:
    """What is known of the scheduler before its memory is looked at."""

    # None: no file and no option names the release.
    release: Release | None
    # What names it: "--release", or what in which file.
    release_by: str
    gate: Gate
    # In bytes; None: not known.
    limit: int | None
    limit_by: str
    # What the reader must know of the release and the gate.
    notes: tuple[str, ...]

    @property
    def has_list(self) -> bool | None:
        """Whether this scheduler keeps a list of pods in flight and events; None: not known."""
        if self.release is not None and self.release.version < FIRST_WITH_HINTS:
            return False
        return self.gate.on

    @property
    def may_switch_off(self) -> bool:
        """Whether the gate can be switched off, as far as the release is known."""
        return self.release is None or not HINTS.is_locked(self.release)


def question(
    picture: Picture, release: str | None = None, feature_gates: str | None = None, limit: str | None = None
) -> MemoryQuestion:
    """What the options and, where they are silent, the files say of the process that is judged.

    Raises InputError for an option that is wrong, and for dumps that are not of one scheduler.
    """
    notes: list[str] = []
    # A restart may have been an upgrade.
    run = judged_run(runs_of(picture.dumps))
    dumps = () if run is None else run.dumps
    at, by = _release(picture, dumps, release, notes)
    asked = None if feature_gates is None else gate_in(feature_gates, OPTION)
    # AllBeta=false says nothing of a gate that is locked.
    if at is not None and HINTS.is_locked(at) and not read_gates(feature_gates or "").get(GATE, True):
        refuse(HINTS, at, is_on=False)
    gate = _gate(picture, dumps, asked, at, notes)
    size, size_by = _limit(picture, limit)
    if at is not None:
        notes += (*newer_note(at), *default_gates_note(QUEUEING_HINTS, at))
    if at is not None and at.vendor is not None:
        notes.append(f"{at} is judged as upstream {at.upstream}; the vendor may have back-ports of fixes")
    return MemoryQuestion(at, by, gate, size, size_by, tuple(notes))


def gate_in(text: str, place: str) -> bool | None:
    """The gate as `--feature-gates` sets it, in kube-scheduler's own form (A=true,B=false); None: it does not.

    AllBeta sets the gate too, unless the gate is named: the gate is beta up to 1.33. `place` begins the error.
    """
    gates = read_gates(text, place)
    return gates.get(GATE, gates.get("AllBeta"))


def version_in_image(image: str) -> str:
    """The release in the tag of an image, or "".

    >>> version_in_image("registry.k8s.io/kube-scheduler:v1.28.3")
    'v1.28.3'
    """
    found = _IMAGE_TAG.search(image)
    return found[1].replace("_", "+") if found else ""


def default_gate(release: Release) -> bool:
    """Whether the gate is on in this release unless somebody says otherwise, by the release's rule."""
    return release.version >= HINTS.first and HINTS.default_in(release) is True


def release_of(text: str, place: str) -> Release:
    """The release that `text` names. Raises InputError, which begins with `place`."""
    try:
        return release_or_newest(text, RELEASES)
    except ReleaseError as error:
        raise InputError(f"{place}: {error}") from None


def _release(
    picture: Picture, dumps: tuple[Dump, ...], asked: str | None, notes: list[str]
) -> tuple[Release | None, str]:
    said = [
        (dump.version, f"kubernetes_build_info in {dump.file}") for dump in (*dumps, *picture.dumps) if dump.version
    ]
    said += [(pod.version, f"the image's tag in {pod.file}") for pod in picture.pods if pod.version]
    if asked is not None:
        at, by = release_of(asked, "--release"), "--release"
    else:
        at, by = None, ""
        for text, place in said:
            try:
                at, by = release_of(text, place), place
                break
            except InputError as error:
                notes.append(str(error))
    for text, place in said:
        if at is not None and text.removeprefix("v") not in (at.text.removeprefix("v"), at.upstream):
            notes.append(f"{place} says {text}, not {at}: {at} is taken")
            break
    return at, by


def _gate(picture: Picture, dumps: tuple[Dump, ...], asked: bool | None, at: Release | None, notes: list[str]) -> Gate:
    seen = {dump.gate: dump.file for dump in dumps if dump.gate is not None}
    if len(seen) > 1:
        notes.append("the dumps say that the gate was on and that it was off: what follows takes it as on")
    if seen:
        on = True in seen
        if asked is not None and asked != on:
            notes.append(f"--feature-gates says otherwise than kubernetes_feature_enabled in {seen[on]}, which counts")
        return Gate(on, f"kubernetes_feature_enabled in {seen[on]}")
    if at is not None and HINTS.is_locked(at):
        return Gate(True, f"locked on in {at}")
    if asked is not None:
        return Gate(asked, OPTION)
    for pod in picture.pods:
        if pod.gate is not None:
            return Gate(pod.gate, f"--feature-gates in {pod.file}")
    return Gate(None, "") if at is None else Gate(default_gate(at), f"the default of {at}")


def _limit(picture: Picture, asked: str | None) -> tuple[int | None, str]:
    if asked is not None:
        try:
            size = parse_quantity(asked)
        except QuantityError:
            raise InputError(f"--limit: '{shortened(asked)}' is not a quantity: expected one such as 2Gi") from None
        if not 0 < size < 1 << 60:
            raise InputError(f"--limit: '{shortened(asked)}' is not a memory limit: expected one such as 2Gi")
        return int(size), "--limit"
    for pod in picture.pods:
        if pod.limit is not None:
            return pod.limit, f"the limit in {pod.file}"
    return None, ""
