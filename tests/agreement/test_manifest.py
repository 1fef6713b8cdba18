"""The counts in specs/manifest.json against a plain search, the explicit engine and TLC, with and without symmetry."""

import json
import random
from pathlib import Path

import cattrs
import pytest
from attrs import evolve

from kubeproof.check import manifest
from kubeproof.engines import tlc
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling.scopes import EXTENDED
from tests.conftest import ROOT

SPECS: Path = ROOT / "specs"
ENTRIES = manifest.read_manifest(SPECS)
# Each entry takes TLC seconds: a few in the fast run, all others in the slow one.
FAST_TLC = [
    e
    for e in ENTRIES
    if (e.scope, *e.named)
    in (
        ({"nodes": 2, "zones": 2, "moves": 1}, "list_from_resuming_cursors", "update_snapshot_on_node_change"),
        ({"nodes": 3, "zones": 2, "moves": 0}, "list_from_reset_cursors", "update_snapshot_every_cycle"),
    )
    or e == next(cpu for cpu in ENTRIES if cpu.release == "1.24.10")
    or (e.release == "1.22.3" and e.scope == cattrs.unstructure(EXTENDED))
    or (e.system == "scheduling-cycle" and e.release == "1.24.0" and e.scope["groups"])
]
FAST_STATES = {"node-listing": 5000, "cpu-manager": 1000} | dict.fromkeys(
    ("scheduling", "queueing-hints", "scheduling-cycle"), 500
)
# TLC has counted every entry: the manifest keeps a digest. The slow run asks TLC again about some, so that a digest
# which nobody has earned is found.
AGAIN = 40
SLOW_TLC = random.Random(AGAIN).sample([e for e in ENTRIES if e not in FAST_TLC], AGAIN)
# The explicit engine counts as many of the larger entries again.
LARGE = [e for e in ENTRIES if e.distinct >= FAST_STATES[e.system]]
SOME_LARGE = random.Random(AGAIN).sample(LARGE, AGAIN)
# Beyond, the plainest search takes minutes, and TLC and the explicit engine must do.
PLAIN_STATES = {"node-listing": 50_000} | dict.fromkeys(
    ("cpu-manager", "scheduling", "queueing-hints", "scheduling-cycle"), 2_000
)


def name_of(entry):
    return "-".join((",".join(f"{k}={v}" for k, v in entry.scope.items() if v), *entry.named))


def searched(machine, symmetry, steps):
    """Distinct, generated, depth by the plainest search there is.

    `steps`: what comes of a state, filled here; the states of a search with symmetry are states of one without.
    """
    keep = machine.canonical if symmetry else lambda state: state
    level = list(dict.fromkeys(keep(state) for state in machine.initial_states()))
    seen, generated, depth = set(level), len(machine.initial_states()), 0
    while True:
        for state in level:
            if state not in steps:
                steps[state] = [machine.step(state, a) for a in machine.actions(state)]
        successors = [keep(after) for state in level for after in steps[state]]
        generated += len(successors)
        level = [state for state in dict.fromkeys(successors) if state not in seen]
        if not level:
            return len(seen), generated, depth
        seen.update(level)
        depth += 1


def needs_tlc():
    try:
        find_java(), find_jar()
    except MissingError as error:
        pytest.skip(str(error))


def agrees_with_tlc(entry):
    needs_tlc()
    assert entry.asked_of_tlc() == entry


def agrees_with_search(entry):
    machine, steps = entry.of.machine(*entry.scope_and_rules()), {}
    if entry.distinct <= PLAIN_STATES[entry.system]:
        assert searched(machine, symmetry=False, steps=steps) == (entry.distinct, entry.generated, entry.depth)
        assert searched(machine, symmetry=True, steps=steps) == (entry.orbits, entry.orbits_generated, entry.depth)
    assert entry.counted() == entry


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.distinct < FAST_STATES[e.system]], ids=name_of)
def test_search(entry):
    agrees_with_search(entry)


@pytest.mark.slow
@pytest.mark.parametrize("entry", SOME_LARGE, ids=name_of)
def test_large_search(entry):
    agrees_with_search(entry)


@pytest.mark.slow
@pytest.mark.parametrize("entry", FAST_TLC, ids=name_of)
def test_tlc(entry):
    agrees_with_tlc(entry)


@pytest.mark.slow
@pytest.mark.parametrize("entry", SLOW_TLC, ids=name_of)
def test_tlc_again(entry):
    agrees_with_tlc(entry)


def test_the_file_is_as_generated():
    assert (SPECS / manifest.FILE).read_text("utf-8") == manifest.manifest_text(ENTRIES)
    blank = [(e.system, e.scope, e.named) for system in SYSTEMS.values() for e in manifest.entries(system)]
    assert [(e.system, e.scope, e.named) for e in ENTRIES] == blank


def test_every_module_is_one_of_a_system():
    forms = [e.of.tla_form(*e.scope_and_rules(), {}) for e in {(e.system, *e.named): e for e in ENTRIES}.values()]
    assert {module.name for form in forms for module in form.modules} == {path.name for path in SPECS.glob("*.tla")}


def test_tlc_has_counted_every_entry_as_it_is():
    """Neither the counts nor what TLC reads have changed since."""
    assert [(e.system, e.scope, e.named) for e in ENTRIES if e.tlc != e.digest] == [], "run `make manifest`"


def test_counts_that_tlc_does_not_give_are_refused():
    """TLC is asked: a digest is not taken for its answer."""
    needs_tlc()
    entry = evolve(min(ENTRIES, key=lambda e: e.generated), distinct=7)
    with pytest.raises(tlc.DisagreementError, match=r"the explicit engine counts \(7, .* TLC counts \("):
        entry.asked_of_tlc()


def test_a_digest_tells_other_counts_and_other_modules_apart(monkeypatch):
    entry = ENTRIES[-1]
    before = entry.digest
    assert evolve(entry, tlc="").digest == before != evolve(entry, depth=entry.depth + 1).digest
    assert len({e.digest for e in ENTRIES}) == len(ENTRIES)
    read = Path.read_text
    monkeypatch.setattr(Path, "read_text", lambda path, *how: read(path, *how) + "\\* a comment")
    assert entry.digest != before


def test_the_largest_entry_has_the_figures_of_the_trial():
    """TLC, a plain search and compiled Murphi gave these for the same system before there was this one."""
    largest = next(e for e in ENTRIES if e.scope == {"nodes": 5, "zones": 3, "moves": 0})
    assert list(largest.named) == ["list_from_reset_cursors", "update_snapshot_every_cycle"]
    assert (largest.distinct, largest.generated) == (530_179, 3_750_151)
    assert (largest.orbits, largest.orbits_generated) == (889, 6_861)


def test_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((SPECS / "manifest-schema.json").read_text("utf-8"))
    document = json.loads((SPECS / manifest.FILE).read_text("utf-8"))
    jsonschema.validate(document, schema)
    del document["entries"][0]["orbits"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)
