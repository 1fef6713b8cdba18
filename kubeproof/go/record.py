"""`kubeproof go record`: what a user needs to record a component of a checkout."""

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from attrs import frozen

from kubeproof.conform.conform import MAX_BYTES, MAX_LINE, PLAYERS, operation_name
from kubeproof.errors import InputError
from kubeproof.go.checkout import MODULE, Checkout, checkout
from kubeproof.go.driver import OVERLAY, Chosen, choose, write_overlay
from kubeproof.go.registry import driver_named
from kubeproof.input.documents import json_value, value_text
from kubeproof.input.files import lines, shown
from kubeproof.input.structure import misfit
from kubeproof.output.files import write_whole
from kubeproof.visible import shell_word

OPERATIONS = "operations.jsonl"
RESULTS = "results.jsonl"
_EXPECTED = "operations (JSON lines: one case a line) or a recording"


class Operations(TypedDict):
    """The form of a case that is to be played; `system` is there in a recording."""

    case: int
    config: NotRequired[dict[str, Any]]
    ops: list[dict[str, Any]]
    system: NotRequired[str]


@frozen
class ToRecord:
    """What was written for one recording."""

    chosen: Chosen
    tree: Checkout
    out: Path
    files: tuple[Path, ...]
    cases: int
    operations: int

    @property
    def command(self) -> str:
        """The one line that a user runs."""
        return go_test(self.tree, self.out, self.chosen.package)


def go_test(
    tree: Checkout, out: Path, package: str, pattern: str = "^TestKubeproof$", flags: Sequence[str] = ()
) -> str:
    """The command that runs the tests of an overlay in `out`: one line for a shell."""
    words = [
        *("go", "test", "-overlay", str(out / OVERLAY), "-count=1", "-timeout=0", "-vet=off"),
        *(("-mod=vendor",) if tree.vendored else ()),
        *flags,
        *("-run", pattern, f"{MODULE}/{package}"),
    ]
    there = f"cd {shell_word(str(tree.root))} && KUBEPROOF_OUT={shell_word(str(out))}"
    return f"{there} {' '.join(map(shell_word, words))}"


def record(component: str, folder: Path, out: Path | None, operations: Path | None = None) -> ToRecord:
    """Write the driver of `component`, its overlay and its operations into `out`. Raises InputError."""
    chosen, tree, target = prepared(component, folder, out)
    cases = list(kept_operations(component) if operations is None else read_operations(operations, component))
    written = write_overlay(chosen, tree, target)
    path = target / OPERATIONS
    header = {
        "component": component,
        "package": chosen.package,
        "halves": {name: half.file for name, half in chosen.halves.items()},
        "symbols": chosen.symbols,
        "tree_says": tree.said_release,
    }
    # What an earlier run wrote is of other operations.
    (target / RESULTS).unlink(missing_ok=True)
    write_whole(path, "".join(json.dumps(line) + "\n" for line in [header, *cases]))
    played = sum(len(case["ops"]) for case in cases)
    return ToRecord(chosen, tree, target, (*written, path), len(cases), played)


def prepared(component: str, folder: Path, out: Path | None) -> tuple[Chosen, Checkout, Path]:
    """The driver for the checkout at `folder`, and the folder to write to, which is made. Raises InputError."""
    driver = driver_named(component)
    tree = checkout(folder)
    chosen = choose(driver, tree)
    return chosen, tree, out_folder(Path(f"kubeproof-{component}") if out is None else out, tree)


def out_folder(out: Path, tree: Checkout) -> Path:
    """The folder to write to, made if it is not there. Raises InputError: it must not be in the checkout."""
    target = out.absolute()
    if target.resolve().is_relative_to(tree.root.resolve()):
        raise InputError(f"--out {shown(out)}: in the checkout, where nothing is written: expected a folder outside")
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"--out {shown(out)}: {error.strerror or error}: expected a place to write to") from None
    return target


def kept_operations(component: str) -> Iterator[Operations]:
    """The operations that come with kubeproof."""
    for line in (files("kubeproof.go") / "operations" / f"{component}.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def read_operations(path: Path, component: str) -> Iterator[Operations]:
    """The operations of a user, or those of a recording. Raises InputError."""
    cases = 0
    for number, line in lines(path, MAX_LINE, MAX_BYTES, _EXPECTED):
        place = f"{shown(path)}: line {number}"
        try:
            case = json_value(line)
        except (ValueError, RecursionError):
            raise InputError(f"{place}: not a JSON object: expected {_EXPECTED}") from None
        if isinstance(case, dict) and "component" in case and number == 1:
            if case["component"] != component:
                raise InputError(
                    f"{place}: operations of {value_text(case['component'])}: expected those of {component}"
                )
            continue
        wrong = misfit(case, Operations)
        if wrong is not None:
            raise InputError(f"{place}: {wrong}: expected {_EXPECTED}")
        if case.get("system", component) != component:
            raise InputError(f"{place}: operations of {case['system']}: expected those of {component}")
        config = case.get("config", {})
        kind = PLAYERS.get(component)
        if kind is not None:
            wrong = misfit(config, kind.CONFIG)
            if wrong is not None:
                raise InputError(f"{place}: 'config' is not a config of {component}: {wrong}")
            for i, op in enumerate(case["ops"]):
                operation_name(op, kind, f"{place}: operation {i}")
        cases += 1
        yield {"case": case["case"], "config": config, "ops": case["ops"]}
    if cases == 0:
        raise InputError(f"{shown(path)}: no case: expected {_EXPECTED}")
