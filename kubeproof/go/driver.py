"""Drivers: Go files that play operations on a component of a checkout.

A driver has one Go file for all releases, and a part for each thing that is called otherwise in some release. Which
file a part takes is found by looking at the source: a branch may have any version's name. `go test -overlay` adds the
files to a package.
"""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kubeproof.errors import InputError
from kubeproof.go.checkout import Checkout, has_symbol
from kubeproof.output.files import write_whole

FOLDER = "kubeproof.go"
OVERLAY = "overlay.json"
# What stands in a pattern for a text that differs from source to source, and what is not a text.
_ANY = re.compile(r"\.[*+]|\\[wS]\+?")
_NO_TEXT = re.compile(r"^\^|\$$|\\[tb]")
_ESCAPED = re.compile(r"\\(.)")


def _each(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


@frozen
class Half:
    """A Go file for those trees that have some symbols."""

    file: str
    # Regular expressions, or one: each must match a line of the package.
    symbols: tuple[str, ...] = field(converter=_each)
    # Go files, or one, with what other halves of the part have too.
    shared: tuple[str, ...] = field(converter=_each, default=())

    @property
    def told(self) -> str:
        """The symbols as people read them."""
        return " and ".join(map(readable, self.symbols))


def readable(pattern: str) -> str:
    r"""A pattern as the source that it is about.

    >>> readable(r"^func \(nt \*nodeTree\) list\(.*nodes \[\]\*v1\.Node\)")
    'func (nt *nodeTree) list(...nodes []*v1.Node)'
    """
    text = _ANY.sub("...", _NO_TEXT.sub("", pattern)).replace(" +", " ")
    return _ESCAPED.sub(r"\1", text).rstrip(", ")


@frozen
class Driver:
    """How a component is driven."""

    # As recordings name the component ("cache"); the name of the folder of its Go files.
    name: str
    # Its package, below k8s.io/kubernetes; the first that is there is driven.
    packages: tuple[str, ...]
    # The name in the package clause.
    package_clause: str
    # What is called otherwise in some release: of each part the first half whose symbols are there is taken.
    parts: Mapping[str, tuple[Half, ...]]
    # The Go file for all releases, and others beside it.
    common: str = "driver.go"
    beside: tuple[str, ...] = ()
    # Files of the frame that the driver makes use of.
    frame: tuple[str, ...] = ("frame.go",)
    # The `Rules` classes of the model's component, for which a fix may bring a rule.
    rules: tuple[type[Any], ...] = ()
    # Those of them whose rules its operations have to tell apart, where drivers of its parts do the rest; (): all.
    own_rules: tuple[type[Any], ...] = ()
    # Releases whose trees it drives, one of each form that the component had; (): those of every row of the rules.
    releases: tuple[str, ...] = ()

    def source(self, name: str) -> str:
        """A Go file of the driver's folder."""
        return _source(self.name, name)


@frozen
class Chosen:
    """A driver for one checkout."""

    driver: Driver
    package: str
    # By part: the half that was taken.
    halves: dict[str, Half]

    @property
    def symbols(self) -> dict[str, str]:
        """By part: what decided."""
        return {name: half.told for name, half in self.halves.items()}

    def sources(self) -> dict[str, str]:
        """The Go files, by the name that they get in the package."""
        driver = self.driver
        clause = f"\npackage {driver.package_clause}\n"
        found = {
            name.removesuffix(".go"): _source("frame", name).replace("\npackage driver\n", clause, 1)
            for name in driver.frame
        }
        found |= {name.removesuffix(".go"): _source(driver.name, name) for name in (driver.common, *driver.beside)}
        for name, half in self.halves.items():
            found[name] = _source(driver.name, half.file)
            found |= {shared.removesuffix(".go"): _source(driver.name, shared) for shared in half.shared}
        return {f"zz_kubeproof_{name}_test.go": text for name, text in found.items()}


def choose(driver: Driver, tree: Checkout) -> Chosen:
    """The driver for `tree`. Raises InputError if the tree has no such package, or a part has no half for it."""
    package = next((name for name in driver.packages if tree.package(name).is_dir()), None)
    if package is None:
        raise InputError(
            f"--checkout {tree.root}: no package {' or '.join(driver.packages)} in {tree.kubernetes}: "
            f"expected it for the driver {driver.name}"
        )
    return Chosen(driver, package, {part: _half(driver, part, tree, package) for part in driver.parts})


def _half(driver: Driver, part: str, tree: Checkout, package: str) -> Half:
    folder = tree.package(package)
    for half in driver.parts[part]:
        if all(has_symbol(folder, symbol) for symbol in half.symbols):
            return half
    looked = " nor ".join(f"'{half.told}'" for half in driver.parts[part])
    raise InputError(
        f"--checkout {tree.root}: the driver {driver.name} does not know this source: "
        f"{part}: neither {looked} is in {folder}"
    )


def _source(folder: str, name: str) -> str:
    return (files(FOLDER) / "drivers" / folder / name).read_text("utf-8")


def write_overlay(chosen: Chosen, tree: Checkout, out: Path, more: Mapping[str, str] | None = None) -> list[Path]:
    """Write the Go files and overlay.json into the folder `out`; the files that were written.

    `more`: further files of the package, by name.

    The tests of the package itself are left out of this build: they may need packages that a vendored tree lacks, and
    have nothing to do with what is recorded.
    """
    package = tree.package(chosen.package)
    replaced = {str(path): "" for path in sorted(package.glob("*_test.go"))}
    written = []
    for name, text in {**chosen.sources(), **(more or {})}.items():
        path = out / name
        write_whole(path, text)
        replaced[str(package / name)] = str(path)
        written.append(path)
    overlay = out / OVERLAY
    write_whole(overlay, json.dumps({"Replace": replaced}, indent=2) + "\n")
    return [*written, overlay]
