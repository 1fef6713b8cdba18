"""The scopes of a system by what they are for, and what specs/manifest.json counts of the system."""

from collections.abc import Mapping
from typing import Any

from attrs import Factory, frozen


@frozen(kw_only=True)
class Scopes:
    """Objects of the system's scope class, by purpose."""

    # `check` takes this scope. It shows the documented bugs.
    default: Any
    # Where no state of the default scope meets the premise of a property, `check` takes the first of these that does.
    #
    # Each is searched in seconds. Together they and the default scope meet what most properties ask for.
    besides: tuple[Any, ...] = ()
    # The explicit engine takes this one when it judges a fix: large enough for a wrong fix to show.
    fix: Any
    # In these a fix is judged besides, and with them in the scope of each kept counterexample.
    #
    # They are for a system with several bugs, of which each hides what a fix breaks wherever the bug shows itself.
    fix_narrow: tuple[Any, ...] = ()
    # Hypothesis takes this one. It is too large to exhaust.
    large: Any
    # In this one the report checks each stretch of releases with the same rules, by the explicit engine.
    #
    # None: in the default one. A system with many stretches has no time for that.
    report: Any | None = None
    # In this one the report asks all four engines of the newest release. None: in that of `report`.
    newest: Any | None = None
    # The bounds whose smallest values are searched for a minimal counterexample, unless a bug gives them.
    #
    # The powers of the environment are part of what a bug says ("when a pod is deleted"), and too many to search.
    searched: tuple[str, ...]
    # Of the other bounds, those whose smallest value is not 0.
    least: Mapping[str, int] = Factory(dict)
    # `hunt` looks in these besides those that it makes: some documented bugs need more than a pair of powers.
    #
    # Each switches on a few powers of the environment, none of them for the sake of one bug.
    few_powers: tuple[Any, ...] = ()
    # Of a power the least values of other bounds without which a hunt cannot see what it adds.
    comes_with: Mapping[str, Mapping[str, int]] = Factory(dict)
    # The bounds that are no powers and are 0 in a hunt: they say how finely the model sees.
    grains: tuple[str, ...] = ()
    # The bounds that say what there is besides one scheduler: 0 in a hunt and in the scopes of a fix.
    #
    # A bug that needs one of them counts where it was asked about a scope that has it, and nowhere else.
    setups: tuple[str, ...] = ()
    # Of a grain the power without which runs mean nothing while the grain is on: `hunt` leaves both in a scope.
    grain_needs: Mapping[str, str] = Factory(dict)
    # The grains by which a fix is judged in further scopes, each with the powers of which one has to be on for the
    # grain to change a run; (): none has to.
    finer: Mapping[str, tuple[str, ...]] = Factory(dict)
    # Of a bound why no fix in a file can be judged while it is on. Built-in rules can.
    not_for_files: Mapping[str, str] = Factory(dict)
    # In these the mutants of rules are judged, small ones first. None: where rules are told apart and fixes are judged.
    mutants: tuple[Any, ...] = ()
    # In these the report tells rules apart, where the kept counterexamples have too many scopes for that.
    told_apart: tuple[Any, ...] = ()


@frozen(kw_only=True)
class Counted:
    """What the manifest counts. A choice of rules is one for each of `varied`, or a release that has them all."""

    # Rule fields, every built-in rule of each with every other. Other fields differ in texts that no state keeps.
    varied: tuple[str, ...] = ()
    # In place of `varied`, where rules belong together: the first of each generation that TLA+ tells apart.
    releases: tuple[str, ...] = ()
    # In these scopes every choice is counted.
    small: tuple[Any, ...]
    # (scope, names ...): the choice that has these names for `varied`, or these releases.
    large: tuple[tuple[Any, ...], ...]
