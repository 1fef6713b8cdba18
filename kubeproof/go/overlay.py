"""What `go test -overlay` adds to a package, and the tests of the package that are left out."""

import json
from collections.abc import Mapping
from pathlib import Path

from kubeproof.go.checkout import Checkout
from kubeproof.go.driver import Chosen

OVERLAY = "overlay.json"


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
        path.write_text(text, "utf-8")
        replaced[str(package / name)] = str(path)
        written.append(path)
    overlay = out / OVERLAY
    overlay.write_text(json.dumps({"Replace": replaced}, indent=2) + "\n", "utf-8")
    return [*written, overlay]
