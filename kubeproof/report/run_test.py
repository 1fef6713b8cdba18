"""A run as a file for pytest: it takes the actions again, and says whether the property holds."""

import json

from attrs import frozen

from kubeproof.systems.system import System
from kubeproof.verdict.trace import Trace
from model.machine import Action
from model.releases import MINORS
from properties.property import Property

_SHORT = 55  # characters of a scope that stands in the line that makes the machine
_WHERE = {"invariant": "at the end", "step": "in the last step", "liveness": "all the way round"}


@frozen
class ReleaseTest:
    """What a test says of a release."""

    # What the name of the test begins with: a word of Python.
    name: str
    release: str
    # Whether the property holds.
    holds: bool


def run_test(head: str, system: System, property: Property, scope: str, trace: Trace, tests: list[ReleaseTest]) -> str:
    """The file. `head`: its docstring. `scope`: as `--scope` takes it. `trace`: the run whose actions are taken."""
    kind = property.kind
    imports = [
        "from kubeproof.systems.registry import system_named",
        f"from kubeproof.verdict.trace import {'ReplayError, ' if kind == 'liveness' else ''}replay",
        *(["from kubeproof.verdict.violation import violation"] if kind != "invariant" else []),
        "from model.machine import Action",
        "from model.releases import parse_release, rules_for",
        *(["from properties.property import Invariant"] if kind == "invariant" else []),
    ]
    # A system that knows other minors than most says which.
    minors = "" if system.minors == MINORS else ", system.minors"
    short = len(scope) < _SHORT
    body = [
        f'    """Whether {property.name} holds {_WHERE[kind]} of the run, under the rules of `release`."""',
        f'    system = system_named("{system.name}")',
        f"    rules = rules_for(system.rules_class, parse_release(release{minors}))",
        *([] if short else [f'    scope = "{scope}"']),
        f"    machine = system.machine(system.parse_scope({json.dumps(scope) if short else 'scope'}), rules)",
        f'    property_ = system.property_named("{property.name}")',
        *_asked(kind, trace.loop),
    ]
    lines = [
        f'"""{head}"""',
        "",
        *imports,
        "",
        "RUN = [",
        *(f"    {_action(each)}," for each in trace.actions),
        "]",
        "",
        "",
        "def run(release: str) -> bool:",
        *body,
    ]
    for each in tests:
        said = "run" if each.holds else "not run"
        lines += ["", "", f"def test_{each.name}() -> None:", f'    assert {said}("{each.release}")']
    return "\n".join(lines) + "\n"


def _action(action: Action) -> str:
    args = (f", {key}={json.dumps(value) if isinstance(value, str) else repr(value)}" for key, value in action.args)
    return f'Action.of("{action.name}"{"".join(args)})'


def _asked(kind: str, loop: int | None) -> list[str]:
    if kind == "invariant":
        return ["    assert isinstance(property_, Invariant)", "    return property_.holds(replay(machine, RUN).last)"]
    if kind == "step":
        return ["    return violation(machine, property_, replay(machine, RUN)) is None"]
    return [
        "    try:",
        f"        return violation(machine, property_, replay(machine, RUN, loop={loop})) is None",
        "    except ReplayError:",
        "        replay(machine, RUN)  # the run exists, and it does not go round",
        "        return True",
    ]


def as_name(text: str) -> str:
    """
    >>> as_name("1.19.0-rc.1")
    '1_19_0_rc_1'
    """
    return "".join(each if each.isalnum() else "_" for each in text)
