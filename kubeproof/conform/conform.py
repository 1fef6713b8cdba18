"""Replays recordings of the real Go components on the model, operation by operation.

A recording is a file of JSON lines, gzip'd or plain. Each line is one case: system, release, case, config, ops,
observed. A `Player` plays the operations of one recorded system.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from attrs import Factory, define, frozen

from kubeproof.conform.cache import CachePlayer
from kubeproof.conform.cpu_checkpoint import CPUCheckpointPlayer
from kubeproof.conform.cpuset import CPUSetPlayer
from kubeproof.conform.node_tree import NodeTreePlayer
from kubeproof.conform.not_covered import NotCovered
from kubeproof.conform.scheduling_queue import SchedulingQueuePlayer
from kubeproof.conform.static_policy import StaticPolicyPlayer
from kubeproof.conform.take_by_topology import TakeByTopologyPlayer
from kubeproof.errors import InputError
from model.releases import NotModelledError, Release, ReleaseError, parse_release


class Player(Protocol):
    """Plays the operations of one case. A player starts with an empty component.

    A player may also have a method `agrees(op, expected, got) -> bool`. It is asked when the answer of `play` is not
    the recorded answer. It is true if the real code may give both answers, or gave no answer (recorded alternatives, an
    endless loop). The player then goes on from the recorded answer `expected`.
    """

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        """The answer to `op`. Raises KeyError or ValueError for an entry that is not an operation."""
        ...


# Makes the player of one case from the recorded release and the case's `config` ({} if the case has none). Raises
# KeyError, TypeError or ValueError for a config that cannot be read, and NotCovered for a case that is not modelled.
PlayerFactory = Callable[[Release, dict[str, Any]], Player]

PLAYERS: dict[str, PlayerFactory] = {
    "node_tree": NodeTreePlayer,
    "scheduling_queue": SchedulingQueuePlayer,
    "cache": CachePlayer,
    "cpuset": CPUSetPlayer,
    "cpu_checkpoint": CPUCheckpointPlayer,
    "take_by_topology": TakeByTopologyPlayer,
    "static_policy": StaticPolicyPlayer,
}


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


def exit_status(replays: Sequence[Replay]) -> int:
    """1 if a recording diverges, else 3 if cases were not played, else 0."""
    if any(replay.divergences for replay in replays):
        return 1
    return 3 if any(replay.not_covered for replay in replays) else 0


def _leave_out(result: Replay, reason: str) -> None:
    """Count a case that is not played."""
    result.cases += 1
    result.not_covered[reason] = result.not_covered.get(reason, 0) + 1


def replay_file(path: Path) -> Replay:
    """Replay every case and operation of `path`. Raises InputError for a file that is not a recording."""
    result = Replay(str(path))
    for number, line in _lines(path):
        place = f"{path}: line {number}"
        case = _case(line, place)
        system, release = case["system"], case["release"]
        if result.cases == 0:
            result.system, result.release = system, release
        elif (system, release) != (result.system, result.release):
            raise InputError(
                f"{place}: {system} of {release}: expected {result.system} of {result.release}, as the lines before"
            )
        if system not in PLAYERS:
            raise InputError(f"{place}: '{system}' is not a recorded system: expected one of {', '.join(PLAYERS)}")
        try:
            player = PLAYERS[system](parse_release(release), case["config"])
        except NotModelledError as reason:
            _leave_out(result, str(reason))
            continue
        except ReleaseError as error:
            raise InputError(f"{place}: {error}") from None
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{place}: 'config' is not a config of {system}: {error}") from None
        except NotCovered as reason:
            _leave_out(result, str(reason))
            continue
        result.cases += 1
        for i, (op, expected) in enumerate(zip(case["ops"], case["observed"], strict=True)):
            try:
                got = player.play(op)
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"{place}: operation {i}: not an operation of {system}: {error}") from None
            result.operations += 1
            result.played[op["op"]] = result.played.get(op["op"], 0) + 1
            if got != expected and not _agrees(player, op, expected, got):
                result.divergences.append(Divergence(str(path), case["case"], i, op, expected, got))
                break
    if result.cases == 0:
        raise InputError(f"{path}: not a recording, since there is no case: expected one JSON object a line")
    return result


def _agrees(player: Player, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
    agrees: Callable[..., bool] | None = getattr(player, "agrees", None)
    return agrees is not None and agrees(op, expected, got)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open("rb") as raw:
            zipped = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rt", encoding="utf-8") if zipped else path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}: expected a recording (gzip'd JSON lines)"
        ) from None
    except (EOFError, zlib.error):
        raise InputError(f"{path}: the gzip stream is damaged or ends early: copy the file again") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text: expected a recording (gzip'd JSON lines)") from None


def _case(line: str, place: str) -> dict[str, Any]:
    try:
        case = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        raise InputError(f"{place}: not a JSON object: expected one case of a recording") from None
    if isinstance(case, dict):
        case.setdefault("config", {})
    wanted: dict[str, type] = {"system": str, "release": str, "case": int}
    wanted |= {"config": dict, "ops": list, "observed": list}
    for key, kind in wanted.items():
        if not isinstance(case, dict) or not isinstance(case.get(key), kind):
            raise InputError(f"{place}: '{key}' is missing or not a {kind.__name__}: expected one case of a recording")
    if len(case["ops"]) != len(case["observed"]):
        raise InputError(
            f"{place}: {len(case['ops'])} ops and {len(case['observed'])} observed: expected as many of both"
        )
    for i, (op, seen) in enumerate(zip(case["ops"], case["observed"], strict=True)):
        if not isinstance(op, dict) or not isinstance(seen, dict):
            raise InputError(f"{place}: operation {i}: expected an object in ops and in observed")
    return dict(case)
