"""A rule from outside has no form in any language: the question is not applicable, and the reason names the field."""

import pytest
from attrs import evolve, fields

from kubeproof.engines import tlc
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Outcome
from model.releases import newest, parse_release, rules_for
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerScope
from properties.cpu_manager.sets import DISJOINT
from properties.forms import Forms, NoFormError, of_releases, without_form
from properties.smt.cpu_manager.forms import CALLED
from properties.smt.cpu_manager.system import encode as encode_cpu_manager
from properties.smt.form import SmtForm
from properties.smt.node_listing.system import encode as encode_node_listing
from properties.smt.scheduling.proof import OPEN
from properties.smt.scheduling.system import encode as encode_scheduling

ENCODE = {
    "node-listing": encode_node_listing,
    "cpu-manager": encode_cpu_manager,
    "scheduling": encode_scheduling,
}
# With this release every system has formulas for runs, and operators.
RELEASE = {"node-listing": "1.19.0", "cpu-manager": "1.24.10", "scheduling": "1.24.0"}
EVERY_FIELD = [(name, field.name) for name in ENCODE for field in fields(SYSTEMS[name].rules_class)]


def from_outside(*arguments: object) -> object:
    raise AssertionError("a rule without a form is not called")


def smallest(name):
    """A scope that every form has."""
    return SYSTEMS[name].scope_class(**({"pods": 1, "goroutines": 1} if name == "scheduling" else {}))


def rules_of(name):
    return rules_for(SYSTEMS[name].rules_class, parse_release(RELEASE[name]))


@pytest.mark.parametrize("name", ENCODE)
def test_releases_have_forms(name):
    """So that a reason below is that of the rule from outside."""
    assert SYSTEMS[name].tla_form(smallest(name), rules_of(name), {}).reason is None
    encoded = ENCODE[name](smallest(name), rules_of(name))
    assert isinstance(encoded, SmtForm)
    assert encoded.violations


@pytest.mark.parametrize(("name", "field"), EVERY_FIELD)
def test_tla_names_the_field_of_a_rule_from_outside(name, field):
    form = SYSTEMS[name].tla_form(smallest(name), evolve(rules_of(name), **{field: from_outside}), {})
    assert form.reason is not None
    assert f"{field}=from_outside" in form.reason


@pytest.mark.parametrize(
    ("name", "field"), [each for each in EVERY_FIELD if each[0] != "cpu-manager" or each[1] not in CALLED]
)
def test_z3_names_the_field_of_a_rule_from_outside(name, field):
    found = ENCODE[name](smallest(name), evolve(rules_of(name), **{field: from_outside}))
    if isinstance(found, SmtForm):
        # The proofs leave open what this rule says. Formulas for runs there are none.
        assert name == "scheduling"
        assert field in OPEN
        assert not found.violations
        assert all(f"{field}=from_outside" in reason for reason in found.unsupported.values())
    else:
        assert f"{field}=from_outside" in found


def test_an_operator_for_a_snapshot_does_not_help_to_read_states(tmp_path):
    """What a snapshot copies decides which generations a state has, and TLC's states have none."""
    rules = evolve(rules_of("scheduling"), take_snapshot=from_outside)
    form = SYSTEMS["scheduling"].tla_form(smallest("scheduling"), rules, {"take_snapshot": tmp_path / "own.tla"})
    assert "take_snapshot=from_outside" in form.reason


def test_an_unknown_way_to_write_the_checkpoint_is_not_taken_for_the_releases():
    """The formulas for runs have no checkpoint: up to then they judged this rule as if it were the release's."""
    rules = evolve(newest(SYSTEMS["cpu-manager"].rules_class, "cpu-manager"), store_checkpoint=from_outside)
    assert encode_cpu_manager(CPUManagerScope(), rules) == (
        "the rule store_checkpoint=from_outside has no Z3 formula for runs"
    )


def test_engines_say_not_applicable():
    rules = evolve(rules_of("cpu-manager"), reconcile_state=from_outside)
    machine = CPUManagerMachine(CPUManagerScope(), rules)
    (found,) = tlc.check(machine, SYSTEMS["cpu-manager"].tla_form(machine.scope, rules, {}), [DISJOINT])
    assert found.outcome is Outcome.NOT_APPLICABLE
    assert "reconcile_state=from_outside" in found.reason


def test_a_table_gives_a_form_or_names_the_field():
    rules = rules_of("node-listing")
    table = Forms("list_nodes", {rules.list_nodes: "found"})
    assert table.of(rules) == "found"
    other = evolve(rules, list_nodes=from_outside)
    assert not table.has(other)
    with pytest.raises(NoFormError, match=r"^list_nodes=from_outside$"):
        table.of(other)
    assert without_form(rules, [table]) is None
    assert without_form(other, [table]) == "list_nodes=from_outside"
    assert without_form(other, [table], called=iter(["add_node", "list_nodes"])) is None


def test_fields_without_a_table_take_the_rules_of_releases():
    rules = rules_of("node-listing")
    assert rules.list_nodes in of_releases("list_nodes")
    assert without_form(evolve(rules, add_node=from_outside), []) == "add_node=from_outside"
    # A rule of another field is none of this one.
    assert without_form(evolve(rules, add_node=rules.list_nodes), []) == f"add_node={rules.list_nodes.__name__}"
