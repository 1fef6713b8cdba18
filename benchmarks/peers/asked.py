"""What is asked of every engine: a system, a property, and scopes that grow."""

from typing import Any

from attrs import frozen

from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.system import System
from model.releases import known_release, rules_for


@frozen
class Asked:
    """One invariant of a system in scopes that grow."""

    system: System
    # The invariant that the peers' forms state too.
    invariant: str
    # A release in which it holds, so that all states are seen, and one in which it is violated.
    holds: str
    violated: str
    # Small ones first.
    scopes: tuple[str, ...]
    # The bounds that all these scopes have; others are those of the scope class.
    common: str
    # What the forms in Promela and Murphi are given besides the bounds, in each of the two releases.
    given: dict[str, dict[str, str]]

    @property
    def stem(self) -> str:
        """The name of the forms' files, without the ending."""
        return self.system.name.replace("-", "_")

    def rules(self, release: str) -> Any:
        return rules_for(self.system.rules_class, known_release(release))

    def bounds(self, text: str) -> dict[str, int]:
        """The bounds that a text such as `nodes=3,zones=2` gives, and those that are always given."""
        parts = (bound.split("=") for bound in f"{text},{self.common}".split(","))
        return {name: int(value) for name, value in parts}

    def scope(self, text: str) -> Any:
        return self.system.scope_class(**self.bounds(text))

    def constants(self, text: str, release: str) -> dict[str, str]:
        """What stands before the form in Promela or Murphi, such as `NODES` 3."""
        return {name.upper(): str(value) for name, value in self.bounds(text).items()} | self.given[release]


ASKED = (
    Asked(
        NODE_LISTING,
        "listed-exactly-once",
        "1.18.7",
        "1.18.4",
        (
            "nodes=3,zones=2",
            "nodes=3,zones=3",
            "nodes=4,zones=2",
            "nodes=4,zones=3",
            "nodes=5,zones=2",
            "nodes=5,zones=3",
            "nodes=6,zones=3",
        ),
        "moves=1",
        {"1.18.7": {"RESUMES": "false"}, "1.18.4": {"RESUMES": "true"}},
    ),
    Asked(
        CPU_MANAGER,
        "allocatable-is-unreserved",
        "1.26.0",
        "1.24.0",
        ("cores=3,pods=2", "cores=3,pods=3", "cores=4,pods=3", "cores=3,pods=4", "cores=4,pods=4", "cores=5,pods=4"),
        "reserved=1,containers=1,size=2,restarts=1",
        {"1.26.0": {"OLD": "false"}, "1.24.0": {"OLD": "true"}},
    ),
    Asked(
        QUEUEING_HINTS,
        "nothing-in-flight-nothing-retained",
        "1.31.14",
        "1.30.14",
        (
            "pods=2,updates=0",
            "pods=2,updates=1",
            "pods=2,updates=2",
            "pods=3,updates=0",
            "pods=3,updates=1",
        ),
        "plugins=2,changes=2,bind_errors=1,goroutines=2,clock=1,gate=1",
        {"1.31.14": {"OLD": "false"}, "1.30.14": {"OLD": "true"}},
    ),
)
