"""A checkout of Kubernetes: where its packages are, and what their source has."""

import re
from functools import cache
from pathlib import Path

from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.input.files import read_text, shown

MODULE = "k8s.io/kubernetes"
# The largest file of Go in these packages has 0.3 MB.
MAX_SOURCE = 8 << 20
_MODULE_LINE = re.compile(r"^module\s+(\S+)", re.M)
_GO_LINE = re.compile(r"^go\s+(\S+)", re.M)
_CHANGES = re.compile(r"CHANGELOG-1\.(\d+)\.md")
_VENDORED = re.compile(rf"^# {MODULE} v(\S+)(?: => \S+ v(\S+))?", re.M)
_EXPECTED = "expected the folder of a checkout of Kubernetes, or of a module that vendors it"


@frozen
class Checkout:
    """A tree that has Kubernetes: itself, or in its folder `vendor`."""

    # Where `go test` is started: the folder with the go.mod.
    root: Path
    # The folder that has `pkg/scheduler`: the root, or vendor/k8s.io/kubernetes.
    kubernetes: Path
    # What the go.mod asks for ("1.22.0"); "" if it says nothing.
    go: str
    # Which release the tree says that it is: "1.28.14" of a vendored one, "1.31" of a whole one; "" if it does not say.
    # Nothing is chosen by it.
    said_release: str = ""

    @property
    def vendored(self) -> bool:
        """Whether Kubernetes is a dependency of the module."""
        return self.kubernetes != self.root

    def package(self, name: str) -> Path:
        """The folder of a package of Kubernetes, such as pkg/scheduler."""
        return self.kubernetes / name


def checkout(folder: Path) -> Checkout:
    """The checkout at `folder`. Raises InputError."""
    root = folder.absolute()
    if not root.is_dir():
        raise InputError(f"--checkout {shown(folder)}: not a folder: {_EXPECTED}")
    module = root / "go.mod"
    if not module.is_file():
        raise InputError(
            f"--checkout {shown(folder)}: not a checkout of Kubernetes, since there is no go.mod: {_EXPECTED}"
        )
    text = read_text(module, MAX_SOURCE, "a go.mod")
    named = _MODULE_LINE.search(text)
    go = _GO_LINE.search(text)
    kubernetes = root if named is not None and named[1] == MODULE else root / "vendor" / MODULE
    if not kubernetes.is_dir():
        what = f"the module {named[1]}" if named is not None else "a module without a name"
        raise InputError(
            f"--checkout {shown(folder)}: not a checkout of Kubernetes: {what}, without vendor/{MODULE}: {_EXPECTED}"
        )
    return Checkout(root, kubernetes, go[1] if go is not None else "", _said_release(root, kubernetes))


def _said_release(root: Path, kubernetes: Path) -> str:
    """The release by vendor/modules.txt, or by the newest change log."""
    if kubernetes == root:
        minors = [int(name[1]) for name in map(_CHANGES.fullmatch, _names(root / "CHANGELOG")) if name is not None]
        return f"1.{max(minors)}" if minors else ""
    listed = root / "vendor/modules.txt"
    named = _VENDORED.findall(read_text(listed, MAX_SOURCE, "a list of modules")) if listed.is_file() else []
    # `# k8s.io/kubernetes v1.22.0 => ../kubernetes v1.22.3-k3s1`: the replacement is what is there.
    return (named[-1][1] or named[-1][0]) if named else ""


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def has_symbol(package: Path, pattern: str) -> bool:
    """Whether a Go file of the folder `package`, tests left out, has a line that matches `pattern`."""
    return any(re.search(pattern, text, re.M) for text in _sources(package))


@cache
def _sources(package: Path) -> tuple[str, ...]:
    files = sorted(path for path in package.glob("*.go") if not path.name.endswith("_test.go"))
    return tuple(read_text(path, MAX_SOURCE, "Go source") for path in files)
