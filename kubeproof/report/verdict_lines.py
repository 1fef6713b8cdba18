"""What a verdict on a fix says first: some ten lines, of which each is true alone. `validation.py` has the rest."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from attrs import evolve, frozen

from kubeproof.check.check import engines_named
from kubeproof.engines.table import ENGINES
from kubeproof.report.told import actions_text, loop_text, told_actions
from kubeproof.report.verdict_runs import also_lines, breaks_line, release_line, run_line, told_runs
from kubeproof.report.verdict_words import by_outcome, headline, names_text, verdict_of
from kubeproof.systems.releases import inferred_notes
from kubeproof.systems.system import scope_text
from kubeproof.validate.further import Looked
from kubeproof.validate.verdict import KnownRun, Part, Row, Validation
from kubeproof.verdict.result import Cause, Outcome, Result, Strength
from kubeproof.verdict.trace import Trace
from kubeproof.visible import shell_word
from properties.effect import ALONE

LAST = 3  # actions of a run that are shown
EFFECTS = 3  # lines
INDENT = "  "


@frozen
class Asked:
    """What `validate` was asked besides the fix and the release, as it is typed: for the commands that say more."""

    systems: Sequence[str] = ()
    scope: str | None = None
    feature_gates: str | None = None
    engines: Sequence[str] = ("all",)
    checkout_results: Sequence[str] = ()
    time: str | None = None

    def options(self, *, engines: Sequence[str]) -> list[str]:
        given = {
            "--system": self.systems,
            "--scope": [self.scope] if self.scope is not None else [],
            "--feature-gates": [self.feature_gates] if self.feature_gates is not None else [],
            "--engine": [] if "all" in engines else engines,
            "--checkout-results": self.checkout_results,
            "--time": [self.time] if self.time is not None else [],
        }
        return [f"{name} {shell_word(value)}" for name, values in given.items() for value in values]


def first_lines(validation: Validation, asked: Asked, *, full: bool = False) -> list[str]:
    """The verdict, bugs, what breaks and what the release does there, what else changes, how far it was looked.

    `full`: the rest of the verdict follows.
    """
    lines = [": ".join(headline(validation))]
    if len(validation.parts) == 1:
        lines += block(validation.parts[0])
    else:
        for part in by_outcome(validation):
            quiet = part.outcome is Outcome.HOLDS
            lines += [quiet_line(part)] if quiet else [f"{part.system.name}: {verdict_of(part)}", *block(part)]
    return [*lines, *further_lines(validation), *deeper(validation, asked, full=full)]


def further_lines(validation: Validation) -> list[str]:
    """Where the fix was not judged, and how many of the release's rules are not known for sure."""
    lines = [f"not judged in {name}: {why}" for name, why in validation.not_judged]
    if count := len(inferred(validation)):
        lines += [f"{count} of the release's rules {'is' if count == 1 else 'are'} inferred, not read or recorded"]
    return lines


def inferred(validation: Validation) -> tuple[str, ...]:
    """Which rules of the release are inferred, of those that the systems ask."""
    fields = [field for part in validation.parts for field in part.system.fields_asked_in(validation.release)]
    return inferred_notes(validation.release, fields)


# --- what was established in a system ---


def block(part: Part) -> Iterator[str]:
    return (INDENT + line for line in chain(bug_lines(part), _breaks(part), change_lines(part), looked(part)))


def quiet_line(part: Part) -> str:
    """One line of a system in which nothing speaks against the fix."""
    changes = [*change_lines(part)]
    more = f", and {len(changes) - 1} more" if len(changes) > 1 else ""
    text = "; ".join([verdict_of(part), *(f"{each}{more}" for each in changes[:1]), *looked(part, short=True)])
    return f"{part.system.name}: {text}"


def bug_lines(part: Part) -> Iterator[str]:
    """What became of the bugs: a line for each that is claimed, and one for the others."""
    for run in part.claimed:
        claimed = " (claimed)" if part.fix.cures is not None else ""
        yield f"{run.bug.id}{claimed}: {_fate(part, run)}"
    others = [run for run in part.known if run.appears_before and run not in part.claimed]
    why = "not claimed" if part.claims else "the file claims none"
    if cured := [run.bug.id for run in others if run.cured]:
        yield f"gone, {why}: {names_text(cured)}"
    if left := [run.bug.id for run in others if run.gone and not run.cured]:
        yield f"{names_text(left)}: the kept run is gone, but another run violates the same property in its scope"
    if stay := [run.bug.id for run in others if not run.gone]:
        more = "other " if part.claimed or cured else ""
        bugs = "bug" if len(stay) == 1 else "bugs"
        yield f"{len(stay)} {more}{bugs} of {part.release} still there: {names_text(stay)}"


def _fate(part: Part, run: KnownRun) -> str:
    if not run.gone:
        where = "STILL THERE" if run.appears_before else f"not in {part.release}, and THERE WITH THE FIX"
        return f"{where}; {run.after}"
    if not run.appears_before:
        return f"not in {part.release} without the fix either"
    if run.left is not None:
        return f"its kept run is gone, but {run.bug.violates} is violated in the same scope by another run"
    return f"gone; {run.after}"


def _breaks(part: Part) -> Iterator[str]:
    """The shortest run that speaks against the fix or leaves the verdict open, its last actions, and the release's."""
    found = told_runs(part)
    if not found:
        return
    first = found[0]
    trace = first.trace
    yield breaks_line(part, first)
    last = Trace(trace.steps[-LAST - 1 :])
    for number, action in enumerate(told_actions(part.system, part.release, last), trace.length - last.length + 1):
        yield f"{INDENT}{number:>3}  {action.sentence}"
    if loop := loop_text(trace):
        yield f"{INDENT}     {loop}"
    if line := release_line(part, first):
        yield f"{INDENT}{line}"
    yield from also_lines(found)


def change_lines(part: Part) -> Iterator[str]:
    """What else the fix changes: a line each."""
    if part.failure is not None:
        return
    anew = [row for row in part.violated_anew if row.known]
    if like := [row for row in part.violated_anew if row.upstream and not row.known]:
        bugs = dict.fromkeys(bug for row in like for bug in row.upstream)
        yield f"violated anew, as with the known cure of {', '.join(bugs)}: {_with_lengths(like)}"
    for label, rows in (
        ("violated anew", anew),
        ("uncovered", [row for row in part.rows if row.change == "uncovered" and row.known]),
    ):
        if rows:
            bugs = dict.fromkeys(bug for row in rows for bug in row.known)
            yield f"{label}, explained by {', '.join(bugs)}: {_with_lengths(rows)}"
    if kept := [f"{each.property} ({', '.join(each.known)})" for each in part.brought if each.known]:
        yield f"violated in kept runs with the fix alone, as a documented bug explains: {names_text(kept)}"
    sooner = [row for row in part.rows if row.change == "still violated" and row.shorter and row not in part.refused_by]
    if sooner:
        yield f"still violated, and sooner than before: {_with_lengths(sooner)}"
    changed = [effect for effect in part.effects if effect.changed]
    # Of what is refused nobody asks how far it reaches.
    alone = 0 if part.outcome is Outcome.VIOLATED else EFFECTS
    for effect in changed[:alone]:
        where = ", where no scope leads" if effect.of == ALONE else ""
        yield f"changes: {effect.subject} ({effect.changed} of {effect.total} {effect.of}{where})"
    if changed[alone:]:
        yield f"changes{' also' if alone else ''}: {names_text(effect.subject for effect in changed[alone:])}"
    if not changed and not part.changes_nothing:
        yield "nothing else differs in what the system reaches without the fix"


def _with_lengths(rows: Iterable[Row]) -> str:
    """The properties, each with its shortest run."""
    shortest: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: row.after.trace.length if row.after.trace else 0):
        shortest.setdefault(row.after.property, row)
    return names_text(map(_named_with_lengths, shortest.values()))


def _named_with_lengths(row: Row) -> str:
    before, after = row.before.trace, row.after.trace
    if after is None:
        return row.after.property
    old = "" if before is None else f", before {before.length}"
    return f"{row.after.property} ({actions_text(after.length)}{old})"


def looked(part: Part, *, short: bool = False) -> Iterator[str]:
    """How far it was looked in a system, so that nobody takes ACCEPTED for more: scopes, states, what was left out."""
    if part.failure is not None:
        yield "looked no further than to this failure: of the other scopes and properties nothing is known"
        return
    engines = dict.fromkeys(row.after.engine for row in part.rows)
    yield f"looked at by {'; '.join(_looked_by(engine, part) for engine in engines)}"
    if part.looked is not None:
        yield _looked_further(part.looked, short=short)
    if part.outcome is Outcome.VIOLATED:
        return
    blind = [row.after.property for row in part.rows if row.change == "still violated" and row.anew is None]
    if blind and not part.changes_nothing:
        yield f"where {part.release} violates {names_text(blind)} anyway, it is not known whether the fix does worse"
    if line := part.system.left_out_text(part.release) if short else part.system.left_out_line(part.release):
        yield line


def _looked_by(engine: str, part: Part) -> str:
    """How far one engine looked: in how many scopes, the largest of them, and what keeps an answer from being whole."""
    rows = [row for row in part.rows if row.after.engine == engine and not row.further]
    judged = [row for row in rows if row.change != "not judged"]
    largest = _largest(judged)
    if largest is None:
        return f"{engine}: no answer"

    def scopes(of: Iterable[Row]) -> int:
        return len({row.after.scope for row in of})

    strengths = [row.after.claim.strength for row in judged if row.after.claim is not None]
    said = ["1 scope" if scopes(rows) == 1 else f"{scopes(rows)} scopes"]
    if silent := scopes(rows) - scopes(judged):
        said.append(f"{silent} without an answer")
    if early := scopes(row for row in judged if row.after.cause is Cause.LIMIT):
        said.append(f"{early} not to the end")
    bounded = scopes(row for row in judged if row.after.claim and row.after.claim.strength is Strength.BOUNDED)
    if bounded and engine == "explicit":
        said.append(f"{bounded} only to a bound of the model")
    extent = f" ({largest.states:,} states)" if largest.states else f" ({strengths[0]})" if strengths else ""
    said.append(f"{'' if scopes(rows) == 1 else 'the largest '}{scope_text(largest.scope)}{extent}")
    return f"{engine}: {', '.join(said)}"


def _looked_further(looked: Looked, *, short: bool) -> str:
    """How far the explicit engine looked where powers meet: pairs of powers, scopes, and what was left out."""
    if not looked.pairs:
        pairs = "the system has no environment actions"
    else:
        more = f" and {looked.triples_met} of {looked.triples} triples" if looked.triples else ""
        pairs = f"{looked.met} of {looked.pairs} pairs{more} of environment actions met in one run"
    if short:
        return pairs
    left = f"; {looked.left} scopes not looked at" if looked.left else ""
    cut = f", {looked.cut} not to the end" if looked.cut else ""
    where = f"the fix answers otherwise in {looked.differing} of {looked.scopes} further scopes"
    return f"{pairs}; {where} ({looked.states:,} states{cut}){left}"


def _largest(rows: Iterable[Row]) -> Result | None:
    """The result with the most states."""
    return max((row.after for row in rows), key=lambda result: result.states or 0, default=None)


# --- the commands that say more ---


def deeper(validation: Validation, asked: Asked, *, full: bool) -> Iterator[str]:
    """The command that shows the rest of the verdict, and one that looks further: the run, engines, or a scope."""

    def line(*options: str) -> str:
        return " ".join([f"kubeproof validate {_fix_text(validation)}", *options])

    if not full:
        yield f"the rest: {line(*asked.options(engines=asked.engines), '--full')}"
    if validation.outcome is Outcome.VIOLATED:
        run = next((run for part in by_outcome(validation) if (run := run_line(part))), None)
        yield from [f"the whole run: {run}"] if run else []
    elif asked.time is None and any(part.looked is not None and part.looked.left for part in validation.parts):
        yield f"deeper: {line(*asked.options(engines=asked.engines), '--time 10m')}"
    elif len(engines_named(asked.engines)) < len(ENGINES):
        yield f"deeper: {line(*asked.options(engines=['all']))}"
    else:
        part = by_outcome(validation)[0]
        if larger := _one_larger(part):
            scope = f"--scope {shell_word(larger)}"
            yield f"deeper: {line(f'--system {part.system.name}', scope, '--engine explicit')}"


def _fix_text(validation: Validation) -> str:
    fix = validation.fix
    words = [] if fix.path is None else [shell_word(str(fix.path))]
    words += [f"--rule {shell_word(each)}" for each in fix.choices]
    return " ".join([*words, f"--release {validation.release}"])


def _one_larger(part: Part) -> str | None:
    """The largest scope in which the explicit engine saw the fix act, one larger; None if there is none."""
    rows = [row for row in part.rows if row.after.engine == "explicit"]
    largest = _largest([row for row in rows if row.change == "cured"] or rows)
    if largest is None or largest.scope is None:
        return None
    for bound in part.system.scopes.searched:
        try:
            return scope_text(evolve(largest.scope, **{bound: getattr(largest.scope, bound) + 1}))
        except ValueError:
            continue
    return None
