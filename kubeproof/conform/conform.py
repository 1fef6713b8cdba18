"""Replays recordings of the real Go components on the model, operation by operation.

A recording is a file of JSON lines, gzip'd or plain. Each line is one case: system, release, case, config, ops,
observed. A `Player` plays the operations of one recorded system.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NotRequired, Protocol, TypedDict

from attrs import Factory, define, frozen

from kubeproof.conform.any_cycle import AnyCyclePlayer
from kubeproof.conform.api_dispatcher import ApiDispatcherPlayer
from kubeproof.conform.cache import CachePlayer
from kubeproof.conform.cpu_checkpoint import CPUCheckpointPlayer
from kubeproof.conform.cpumanager import CPUManagerPlayer
from kubeproof.conform.cpuset import CPUSetPlayer
from kubeproof.conform.find_nodes import FindNodesPlayer
from kubeproof.conform.node_tree import NodeTreePlayer
from kubeproof.conform.operations import NotCovered
from kubeproof.conform.plugin_sets import PluginSetPlayer
from kubeproof.conform.preemption import PreemptionNodePlayer, PreemptionVictimsPlayer, PreemptPlayer
from kubeproof.conform.scheduler import SchedulerPlayer
from kubeproof.conform.scheduling_queue import SchedulingQueuePlayer
from kubeproof.conform.score import ScorePlayer
from kubeproof.conform.static_policy import StaticPolicyPlayer
from kubeproof.conform.take_by_topology import TakeByTopologyPlayer
from kubeproof.errors import InputError, RuleError
from kubeproof.input.documents import json_value, value_text
from kubeproof.input.files import Content, lines, read_bytes, several, shown
from kubeproof.input.structure import misfit
from kubeproof.visible import shortened
from model.releases import EVERY_MINOR, NotModelledError, Release, ReleaseError, parse_release


class Player(Protocol):
    """Plays the operations of one case. A player starts with an empty component.

    It is made from the recorded release and the case's config, which has the form `CONFIG`. Making it raises KeyError,
    TypeError or ValueError for a config that makes no sense, and NotCovered for a case that is not modelled.

    A player may also have a method `agrees(op, expected, got) -> bool`. It is asked when the answer of `play` is not
    the recorded answer. It is true if the real code may give both answers, or gave no answer (recorded alternatives, an
    endless loop). The player then goes on from the recorded answer `expected`.

    A player may also have `MINORS`, a range: the minors that it knows if it does not know every one; see `minors_of`.
    """

    # The form of a case's config, a TypedDict.
    CONFIG: ClassVar[type]
    # The name of each operation -> the form of its arguments, a TypedDict.
    OPERATIONS: ClassVar[Mapping[str, type]]

    def __init__(self, release: Release, config: dict[str, Any]) -> None: ...

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        """The answer to `op`, which has the form that `OPERATIONS` says. Raises an exception if `op` makes no sense."""
        ...


PLAYERS: dict[str, type[Player]] = {
    "node_tree": NodeTreePlayer,
    "api_dispatcher": ApiDispatcherPlayer,
    "scheduling_queue": SchedulingQueuePlayer,
    "cache": CachePlayer,
    "cpuset": CPUSetPlayer,
    "cpu_checkpoint": CPUCheckpointPlayer,
    "take_by_topology": TakeByTopologyPlayer,
    "static_policy": StaticPolicyPlayer,
    "cpumanager": CPUManagerPlayer,
    "scheduler": SchedulerPlayer,
    "preemption_victims": PreemptionVictimsPlayer,
    "preemption_node": PreemptionNodePlayer,
    "preempt": PreemptPlayer,
    "score": ScorePlayer,
    "find_nodes": FindNodesPlayer,
    "cycle_calls": AnyCyclePlayer,
    "plugin_sets": PluginSetPlayer,
}


def minors_of(kind: type[Player]) -> range:
    """The minors of Kubernetes whose recordings these players play."""
    return getattr(kind, "MINORS", EVERY_MINOR)


@frozen
class Divergence:
    """Where the model answers something else than the real code."""

    file: str
    # The number of the case, as the file has it.
    case: int
    # Counts from 0, as in the file.
    operation: int
    op: dict[str, Any]
    # The recorded answer, and the model's.
    expected: dict[str, Any]
    got: dict[str, Any]

    def differing(self) -> list[str]:
        """The names of the observed fields that differ."""
        keys = dict.fromkeys((*self.expected, *self.got))
        return [key for key in keys if self.expected.get(key, ...) != self.got.get(key, ...)]


@define
class Replay:
    """One file, replayed to its end. A case ends with its first divergence."""

    file: str
    # What was recorded ("node_tree"), and in which release.
    system: str = ""
    release: str = ""
    # How many cases the file has, and how many operations were played.
    cases: int = 0
    operations: int = 0
    divergences: list[Divergence] = Factory(list)
    # How many cases were not played, by the reason.
    not_covered: dict[str, int] = Factory(dict)
    # How many operations were played, by the operation's name.
    played: dict[str, int] = Factory(dict)

    @property
    def uncovered(self) -> int:
        """How many cases were not played."""
        return sum(self.not_covered.values())


def _why(error: Exception) -> str:
    """What is wrong, in words where the error has some."""
    text = shortened(str(error), 200)
    if isinstance(error, KeyError):
        return f"nobody knows {text}"
    return text if isinstance(error, ValueError) and text else f"{type(error).__name__}: {text}"


def exit_status(replays: Sequence[Replay]) -> int:
    """1 if a recording diverges, else 3 if cases were not played, else 0."""
    if any(replay.divergences for replay in replays):
        return 1
    return 3 if any(replay.not_covered for replay in replays) else 0


def _leave_out(result: Replay, reason: str) -> None:
    """Count a case that is not played."""
    result.cases += 1
    result.not_covered[reason] = result.not_covered.get(reason, 0) + 1


# A recording has 24 MB when it is unpacked, and lines of 39 kB.
MAX_BYTES = 128 * 1024 * 1024
MAX_LINE = 4 * 1024 * 1024
EXPECTED = "a recording (JSON lines, gzip'd or plain)"


class Case(TypedDict):
    """The form of a line. `ops` and `observed` have an entry for each operation."""

    system: str
    release: str
    case: int
    config: NotRequired[dict[str, Any]]
    ops: list[dict[str, Any]]
    observed: list[dict[str, Any]]


def replay_files(paths: Sequence[str | os.PathLike[str]]) -> list[Replay]:
    """Replay each file; `-` is standard input. Raises InputError."""
    return [replay_file(path) for path in several(paths)]


def read_recordings(paths: Sequence[Path]) -> list[Content]:
    """The files, for tasks that replay them. Raises InputError for one that cannot be read."""
    return [Content(path, read_bytes(path, MAX_BYTES, EXPECTED)) for path in paths]


def replay_file(path: str | os.PathLike[str]) -> Replay:
    """Replay every case and operation of `path`. Raises InputError for a file that is not a recording."""
    name = shown(path)
    read = ((f"{name}: line {number}", line) for number, line in lines(path, MAX_LINE, MAX_BYTES, EXPECTED))
    return replay_cases(name, ((place, _case(line, place)) for place, line in read))


def replay_cases(file: str, cases: Iterable[tuple[str, dict[str, Any]]]) -> Replay:
    """Replay every case and operation of `cases`, each with its place in `file`. Raises InputError."""
    result = Replay(file)
    for place, case in cases:
        system, release = case["system"], case["release"]
        if result.cases == 0:
            result.system, result.release = system, release
        elif (system, release) != (result.system, result.release):
            raise InputError(
                f"{place}: {shortened(system)} of {shortened(release)}: "
                f"expected {result.system} of {result.release}, as the lines before"
            )
        try:
            player = _player(case, place)
        except (NotModelledError, NotCovered) as reason:
            _leave_out(result, str(reason))
            continue
        result.cases += 1
        for i, (op, expected) in enumerate(zip(case["ops"], case["observed"], strict=True)):
            name = operation_name(op, PLAYERS[system], f"{place}: operation {i}")
            try:
                got = player.play(op)
                agreed = got == expected or agrees(player, op, expected, got)
            except RuleError:
                raise
            except Exception as error:  # `op` has the right form, and still cannot be played: whatever the reason
                raise InputError(f"{place}: operation {i}: {name} cannot be played here: {_why(error)}") from None
            result.operations += 1
            result.played[name] = result.played.get(name, 0) + 1
            if not agreed:
                result.divergences.append(Divergence(result.file, case["case"], i, op, expected, got))
                break
    if result.cases == 0:
        raise InputError(f"{result.file}: not a recording, since there is no case: expected one JSON object a line")
    return result


def _player(case: dict[str, Any], place: str) -> Player:
    """The player of a case. Raises NotModelledError, NotCovered and InputError."""
    system, config = case["system"], case["config"]
    if system not in PLAYERS:
        raise InputError(
            f"{place}: '{shortened(system)}' is not a recorded system: expected one of {', '.join(PLAYERS)}"
        )
    kind = PLAYERS[system]
    try:
        release = parse_release(case["release"], minors_of(kind))
    except NotModelledError:
        raise
    except ReleaseError as error:
        raise InputError(f"{place}: {error}") from None
    wrong = misfit(config, kind.CONFIG)
    if wrong is None:
        try:
            return kind(release, config)
        except NotCovered:
            raise
        except Exception as error:  # a config of the right form that makes no sense
            wrong = f"{type(error).__name__}: {shortened(str(error), 200)}"
    raise InputError(f"{place}: 'config' is not a config of {system}: {wrong}")


def operation_name(op: dict[str, Any], kind: type[Player], place: str) -> str:
    """The name of an operation, whose form was checked. Raises InputError."""
    name = op.get("op")
    if not isinstance(name, str) or name not in kind.OPERATIONS:
        raise InputError(f"{place}: op: expected one of {', '.join(kind.OPERATIONS)}, found {value_text(name)}")
    wrong = misfit(op, kind.OPERATIONS[name])
    if wrong is not None:
        raise InputError(f"{place}: not an operation {name}: {wrong}")
    return name


def agrees(player: Player, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
    """Whether `player`, which answered `got`, has `expected` for another right answer."""
    other: Callable[..., bool] | None = getattr(player, "agrees", None)
    return other is not None and other(op, expected, got)


def _case(line: str, place: str) -> dict[str, Any]:
    try:
        case = json_value(line)
    except (ValueError, RecursionError):
        raise InputError(f"{place}: not a JSON object: expected one case of a recording") from None
    wrong = misfit(case, Case)
    if wrong is not None:
        raise InputError(f"{place}: {wrong}: expected one case of a recording")
    case.setdefault("config", {})
    if len(case["ops"]) != len(case["observed"]):
        raise InputError(
            f"{place}: {len(case['ops'])} ops and {len(case['observed'])} observed: expected as many of both"
        )
    return dict(case)
