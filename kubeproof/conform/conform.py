"""Recordings of the real Go components, replayed on the model operation by operation.

A recording is gzip'd (or plain) JSON lines, one case a line: system, release, case, config, ops, observed. What is
recorded of an operation and how it is replayed is the business of a `Player`, one for each recorded system.
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
    """Plays the operations of one case; starts from an empty component.

    A player may also have a method `agrees(op, expected, got) -> bool`, asked when what it got from `play` differs
    from what was recorded: true when the real code is free to answer either, or did not answer at all (recorded
    alternatives, an endless loop). The player then goes on from the recorded `expected`.
    """

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        """What is observed after `op`. Raises KeyError or ValueError for an operation that is none."""
        ...


# What makes the player of one case from the recorded release and the case's `config` ({} when it has none). Raises
# KeyError, TypeError or ValueError for a config that is none, NotCovered for a case of something that is not modelled.
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
    """Where the model answers something else than the real code. `operation` counts from 0, as in the file."""

    file: str
    case: int
    operation: int
    op: dict[str, Any]
    expected: dict[str, Any]
    got: dict[str, Any]

    def differing(self) -> list[str]:
        """The names of the observed fields that differ."""
        keys = dict.fromkeys((*self.expected, *self.got))
        return [key for key in keys if self.expected.get(key, ...) != self.got.get(key, ...)]


@define
class Replay:
    """One file, replayed to its end. A case that diverges is left at its first divergence."""

    file: str
    system: str = ""
    release: str = ""
    cases: int = 0
    operations: int = 0
    divergences: list[Divergence] = Factory(list)
    # How many of the cases were not played, by what they are recordings of; and what was played, by operation.
    not_covered: dict[str, int] = Factory(dict)
    played: dict[str, int] = Factory(dict)

    @property
    def uncovered(self) -> int:
        """How many cases were not played."""
        return sum(self.not_covered.values())


def exit_status(replays: Sequence[Replay]) -> int:
    """1 when a recording diverges, else 3 when cases were not played, else 0."""
    if any(replay.divergences for replay in replays):
        return 1
    return 3 if any(replay.not_covered for replay in replays) else 0


def _leave_out(result: Replay, reason: str) -> None:
    """Count a case that is not played."""
    result.cases += 1
    result.not_covered[reason] = result.not_covered.get(reason, 0) + 1


def replay_file(path: Path) -> Replay:
    """Replay every case and operation of `path`. Raises InputError for a file that is no recording."""
    result = Replay(str(path))
    for number, line in _lines(path):
        place = f"{path}: line {number}"
        case = _case(line, place)
        system, release = case["system"], case["release"]
        if result.cases == 0:
            result.system, result.release = system, release
        elif (system, release) != (result.system, result.release):
            raise InputError(f"{place}: expected {result.system} of {result.release} as in the lines before")
        if system not in PLAYERS:
            raise InputError(f"{place}: no player for recordings of '{system}'; known: {', '.join(PLAYERS)}")
        try:
            player = PLAYERS[system](parse_release(release), case["config"])
        except NotModelledError as reason:
            _leave_out(result, str(reason))
            continue
        except ReleaseError as error:
            raise InputError(f"{place}: {error}") from None
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{place}: 'config' is none of {system}: {error}") from None
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
        raise InputError(f"{path}: no cases: expected one JSON object a line")
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
        raise InputError(f"{path}: {error.strerror or error}: expected a recording (gzip'd JSON lines)") from None
    except (EOFError, zlib.error):
        raise InputError(f"{path}: the gzip stream is damaged or ends early") from None
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
            raise InputError(f"{place}: '{key}' is missing or no {kind.__name__}: expected one case of a recording")
    if len(case["ops"]) != len(case["observed"]):
        raise InputError(f"{place}: {len(case['ops'])} ops but {len(case['observed'])} observed")
    for i, (op, seen) in enumerate(zip(case["ops"], case["observed"], strict=True)):
        if not isinstance(op, dict) or not isinstance(seen, dict):
            raise InputError(f"{place}: operation {i}: expected an object in ops and in observed")
    return dict(case)
