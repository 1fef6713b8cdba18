"""pytest plugin: the properties of a release, with a fix in place, as test items in the test run of a user.

One item for each property and engine, `kubeproof::node-listing::listed-exactly-once[explicit]`. Without one of the
`--kubeproof-` options the plugin does nothing and imports nothing else: it is in the user's own environment.

An item fails if something is new: a violation that no page documents; with a fix, what speaks against the fix or
leaves that open, by the rules of `kubeproof validate`; or if a search did not come to an end. With a fix the last item
is of the whole fix, and fails if the fix changes something and cures nothing, or claims a bug of a system that is not
asked about. So the run fails if and only if `validate` by the same engines refuses the fix or leaves the verdict open.
What the release is known to violate is an expected failure (xfail) that names the bug. An item is skipped if the
property cannot be asked, or if no state of the scope meets its premise. With `--kubeproof-strict` all of these fail but
what is not-applicable.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kubeproof.bugs.beside import Beside
    from kubeproof.engines.question import Question
    from kubeproof.report.items import Said
    from kubeproof.validate.verdict import Part

ROOT = "kubeproof"
_OPTIONS = ("release", "fix", "system", "machine", "property_file", "rule", "engine", "scope")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kubeproof", "model checking of Kubernetes components")
    add = group.addoption
    add("--kubeproof-release", metavar="R", help="check the properties as of this release, e.g. 1.18.4")
    add("--kubeproof-fix", metavar="FILE", help="a Python file with functions that take the place of rules")
    add("--kubeproof-system", metavar="SYSTEM", action="append", help="e.g. node-listing; default: all. Repeatable")
    add("--kubeproof-machine", metavar="FILE", help="a Python file with a machine of yours, in place of a system")
    add(
        "--kubeproof-property-file",
        metavar="FILE",
        action="append",
        help="a Python file with properties of yours, of which alone there are items then. Repeatable",
    )
    add("--kubeproof-rule", metavar="NAME=RULE", action="append", help="choose a built-in rule. Repeatable")
    add("--kubeproof-engine", metavar="ENGINE", action="append", help="explicit (default), hypothesis, z3, tlc, all")
    add(
        "--kubeproof-scope",
        metavar="BOUNDS",
        help="as --scope takes it: nodes=4,zones=2 or 'only nodes=4,zones=2'",
    )
    add("--kubeproof-strict", action="store_true", help="what the release is known to violate fails too")


def pytest_configure(config: pytest.Config) -> None:
    if any(config.getoption(f"kubeproof_{name}") for name in _OPTIONS):
        config.pluginmanager.register(KubeproofRun(config, _plan(config)), "kubeproof-run")


Key = tuple[str, str, str]
"""(system, property, engine) of an item."""

WHOLE_FIX: Key = ("fix", "cures-something", "validate")
"""The item of a fix as a whole."""


@dataclass(frozen=True)
class Plan:
    """What the options ask for: a question for each item; `title` and `notes` are for people."""

    questions: "dict[Key, Question]"
    title: str
    # Judges the fix in a system, as `validate` does: (system, properties, engines). None: there is no fix.
    judge: "Callable[[str, list[str], list[str]], Part] | None" = None
    notes: tuple[str, ...] = ()
    strict: bool = False
    # (bug, system): bugs that the fix names as CURES, of systems that are not asked about.
    unjudged_claims: tuple[tuple[str, str], ...] = ()
    # The parts of the verdict on the fix, by system, as soon as they are known.
    parts: "dict[str, Part]" = field(default_factory=dict)
    # What the kept runs say of the release, by system, as soon as it is known.
    kept: "dict[str, Beside]" = field(default_factory=dict)

    def said(self, key: Key, keys: Sequence[Key]) -> "Said":
        """The verdict of the item `key`. `keys` are those of all items of the run. Raises RuleError.

        With a fix the first item of a system waits until all items of the system are judged, because the scopes and
        their states are the same for all of them.
        """
        from kubeproof.bugs.beside import beside
        from kubeproof.check.other_scopes import only_sampled, smallest
        from kubeproof.engines import table
        from kubeproof.report.items import of_fix, of_release

        if key == WHOLE_FIX:
            return self._of_whole_fix(keys)
        asked = self.questions[key]
        system, name, engine = key
        if self.judge is None:
            (result,) = table.answer(asked)
            explicit = self.questions.get((system, name, "explicit"))
            shown = None
            if explicit is not None and only_sampled([result]):
                # What the explicit engine violates already in its own scope is not looked for.
                shown = next(smallest(explicit, [*table.answer(explicit), result]), None)
            if system not in self.kept:
                self.kept[system] = beside(asked.system, asked.release)
            return of_release(asked.system, asked.release, result, shown, self.kept[system])
        return of_fix(self._part(system, keys), name, engine)

    def _part(self, system: str, keys: Sequence[Key]) -> "Part":
        """The verdict on the fix in a system, of the items `keys` there; of all items if none of `keys` is there."""
        assert self.judge is not None
        if system not in self.parts:
            mine = [each for each in keys if each[0] == system] or [
                each for each in self.questions if each[0] == system
            ]
            names, engines = dict.fromkeys(each[1] for each in mine), dict.fromkeys(each[2] for each in mine)
            self.parts[system] = self.judge(system, list(names), list(engines))
        return self.parts[system]

    def _of_whole_fix(self, keys: Sequence[Key]) -> "Said":
        from kubeproof.report.items import of_whole_fix
        from kubeproof.validate.verdict import Validation

        parts = tuple(self._part(system, keys) for system in dict.fromkeys(key[0] for key in self.questions))
        return of_whole_fix(Validation(parts[0].release, parts[0].fix, parts, unjudged_claims=self.unjudged_claims))


def _plan(config: pytest.Config) -> Plan:
    """The options, checked before anything runs. Raises UsageError, one line."""
    from kubeproof.errors import InputError, RuleError
    from kubeproof.house import check_house
    from kubeproof.visible import one_line

    try:
        check_house()
        return _checked(config)
    except (InputError, RuleError) as error:
        raise pytest.UsageError(f"kubeproof: {one_line(str(error))}") from None


def _checked(config: pytest.Config) -> Plan:
    from kubeproof.check.check import engines_named
    from kubeproof.engines.question import question
    from kubeproof.fix.fix import asking, chosen_fix, systems_asked, systems_with
    from kubeproof.systems.registry import SYSTEMS, scopes_named, system_named
    from kubeproof.systems.releases import release_notes, systems_at
    from kubeproof.validate import one_system
    from kubeproof.validate.further import USUAL
    from kubeproof.validate.validate import bugs_of, claims_of, unjudged_claims
    from kubeproof.visible import visible

    option = {name: config.getoption(f"kubeproof_{name}") for name in _OPTIONS}
    if option["machine"] or option["property_file"]:
        return _own(config, option)
    path = config.invocation_params.dir / option["fix"] if option["fix"] else None
    rules = tuple(option["rule"] or ())
    engines = engines_named(option["engine"] or ["explicit"])
    named = [system_named(name) for name in option["system"] or SYSTEMS]
    # The file is executed here, once for all items.
    fix = chosen_fix(path, rules, named)
    release, having, unknown = systems_at(
        systems_asked(option["system"] or (), fix), option["release"], every=bool(option["system"])
    )
    systems, unasked = asking(having, fix, release, every=bool(option["system"]))
    scopes, without = scopes_named(systems, option["scope"], every=bool(option["system"]))
    questions = {
        (system.name, p.name, engine): question(
            system, release, engine, fix=fix, scope=scopes[system.name], properties=[p], besides=True
        )
        for system in systems
        if system.name in scopes
        for p in system.properties
        for engine in engines
    }
    judge = None
    unjudged: tuple[tuple[str, str], ...] = ()
    if fix is not None:
        claims = claims_of(fix, systems_with(fix))
        unjudged = unjudged_claims(fix, claims, scopes)

        def judge(name: str, properties: list[str], by: list[str]) -> "Part":
            system = system_named(name)
            judged = one_system.judging(
                system, release, fix, bugs_of(system), claims[name], by, scopes[name], properties, further=USUAL
            )
            return judged()

    title = visible(" ".join([f"Kubernetes {release}", *([f"with {option['fix']}"] if path else []), *rules]))
    rule_fields = [name for system in systems if system.name in scopes for name in system.fields_asked_in(release)]
    notes = [f"not checked in {name}: {why}" for name, why in (*unknown, *unasked, *without)]
    strict = bool(config.getoption("kubeproof_strict"))
    return Plan(questions, title, judge, (*notes, *release_notes(release, rule_fields)), strict, unjudged)


def _own(config: pytest.Config, option: dict[str, Any]) -> Plan:
    """The items of a machine or of properties of the user. Raises InputError."""
    from kubeproof.check.check import NO_RELEASE, engines_named
    from kubeproof.engines.question import question
    from kubeproof.errors import InputError
    from kubeproof.own.system import own_system, with_properties
    from kubeproof.systems.registry import system_named
    from kubeproof.systems.releases import release_named, release_notes
    from kubeproof.visible import visible

    folder = config.invocation_params.dir
    files = [folder / name for name in option["property_file"] or ()]
    not_both = ("release", "fix", "system", "rule") if option["machine"] else ("fix", "rule")
    for name in not_both:
        if option[name]:
            with_what = "machine" if option["machine"] else "property-file"
            raise InputError(f"--kubeproof-{name}: --kubeproof-{with_what} is there too: expected one of the two")
    if option["machine"]:
        before = own_system(folder / option["machine"])
        release, title = NO_RELEASE, option["machine"]
    elif len(option["system"] or ()) == 1:
        before = system_named(option["system"][0])
        release = release_named(option["release"], minors=before.minors)
        title = f"Kubernetes {release}"
    else:
        raise InputError("--kubeproof-property-file: expected one --kubeproof-system, of which the properties are")
    system = with_properties(before, files)
    asked = system.properties if option["machine"] else system.properties[len(before.properties) :]
    scope = None if option["scope"] is None else system.parse_scope(option["scope"])
    questions = {
        (system.name, p.name, engine): question(system, release, engine, scope=scope, properties=[p], besides=True)
        for p in asked
        for engine in engines_named(option["engine"] or ["explicit"])
    }
    notes = [] if option["machine"] else release_notes(release, system.fields_asked_in(release))
    title = visible(" ".join([title, *(option["property_file"] or ())]))
    return Plan(questions, title, notes=tuple(notes), strict=bool(config.getoption("kubeproof_strict")))


class KubeproofRun:
    """The hooks of a run in which one of the options was given."""

    def __init__(self, config: pytest.Config, plan: Plan) -> None:
        self.plan = plan
        self.is_worker = hasattr(config, "workerinput")
        self.rows: list[Row] = []

    def pytest_report_header(self) -> list[str]:
        return [f"kubeproof: {self.plan.title}", *(f"kubeproof: note: {note}" for note in self.plan.notes)]

    @pytest.hookimpl(tryfirst=True)  # before -k and -m choose among the items
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        root = PropertyCollector.from_parent(session, name=ROOT, nodeid=ROOT, plan=self.plan)
        ours = list(root.collect())
        items.extend(ours)
        # So that "collected N items" counts them.
        session.config.hook.pytest_collectreport(report=pytest.CollectReport(ROOT, "passed", None, [*ours]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        known = dict(report.user_properties)
        if report.when == "call" and "kubeproof.outcome" in known:
            self.rows.append(Row.of(report, known))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.rows:
            from kubeproof.visible import visible

            terminalreporter.section(f"kubeproof: {self.plan.title}")
            for line in self.in_short():
                terminalreporter.line(visible(line))
            for line in [*text_table([HEADINGS, *(row.cells for row in numbered(self.rows))]), *self.below_table()]:
                terminalreporter.line(visible(line))

    def in_short(self) -> Iterator[str]:
        """How many items ended how, a line each."""
        for ended, text in ENDED.items():
            mine = [row for row in self.rows if row.ended == ended]
            if mine:
                names = dict.fromkeys(row.cells[1] for row in mine)
                yield f"{len(mine)} {text}" + (f": {', '.join(names)}" if ended in ("failed", "known") else "")
        yield ""

    def below_table(self) -> Iterator[str]:
        """What proofs for any size allow and assume, numbered; then what no verdict speaks of."""
        yield from (f"[{number}] {about}" for about, number in abouts(self.rows).items())
        lines = {asked.system.name: asked.system.left_out_line(asked.release) for asked in self.plan.questions.values()}
        for name in dict.fromkeys(row.cells[0] for row in self.rows):
            if lines.get(name):
                yield f"{name}: {lines[name]}"

    def pytest_sessionfinish(self) -> None:
        for asked in self.plan.questions.values():
            if asked.fix is not None:
                asked.fix.close()
        target = os.environ.get("GITHUB_STEP_SUMMARY")
        if target and self.rows and not self.is_worker:
            with open(target, "a", encoding="utf-8") as file:
                lines = markdown(self.plan.title, numbered(self.rows), list(self.in_short()), list(self.below_table()))
                file.write("\n".join(lines) + "\n")


class PropertyCollector(pytest.Collector):
    """The root of the items of kubeproof. It belongs to no file."""

    def __init__(self, plan: Plan, **known: Any) -> None:
        super().__init__(**known)
        self.plan = plan

    def collect(self) -> Iterable["PropertyItem"]:
        for system, name, engine in self.plan.questions:
            key = (system, name, engine)
            yield PropertyItem.from_parent(self, name=f"{system}::{name}[{engine}]", plan=self.plan, key=key)
        if self.plan.judge is not None:
            system, name, engine = WHOLE_FIX
            yield PropertyItem.from_parent(self, name=f"{system}::{name}[{engine}]", plan=self.plan, key=WHOLE_FIX)


class NotEstablished(Exception):
    """The property is violated, or nothing was established. The text is the whole report."""


class PropertyItem(pytest.Item):
    """One property and one engine. The item runs the engine for this property only, when its turn comes."""

    def __init__(self, plan: Plan, key: Key, **known: Any) -> None:
        super().__init__(**known)
        self.plan = plan
        self.key = key

    def runtest(self) -> None:
        from kubeproof.errors import InputError, RuleError

        keys = [item.key for item in self.session.items if isinstance(item, PropertyItem)]
        try:
            said = self.plan.said(self.key, keys)
        except (InputError, RuleError) as error:
            self.user_properties += [("kubeproof.outcome", "inconclusive"), ("kubeproof.established", str(error))]
            raise NotEstablished(f"inconclusive: {error}") from None
        except KeyboardInterrupt:
            # pytest prints the arguments of every function on the way: of an engine that takes seconds.
            raise KeyboardInterrupt from None
        told = {"outcome": str(said.outcome), "established": said.established, "about": said.about}
        self.user_properties += [(f"kubeproof.{name}", text) for name, text in told.items()]
        strict = self.plan.strict and said.outcome != "not-applicable"
        if said.kind == "skipped" and not strict:
            pytest.skip(said.text)
        if said.kind == "known" and not strict:
            pytest.xfail(said.established)  # returns under --runxfail
        if said.kind != "passed":
            raise NotEstablished(said.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, NotEstablished):
            from kubeproof.visible import visible_lines

            return visible_lines(str(excinfo.value))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.nodeid


# How an item ended, and what the summary says of it.
ENDED = {
    "failed": "to look at",
    "known": "known of the release, as expected",
    "skipped": "not looked at: the scope or the engine has nothing to say of it",
    "passed": "hold",
}
HEADINGS = ("system", "property", "engine", "outcome", "established", "seconds")


@dataclass(frozen=True)
class Row:
    """A row of the tables."""

    cells: tuple[str, ...]
    # The report of a failure, or "".
    text: str
    # A key of `ENDED`.
    ended: str
    # What a proof for any size is about, or "".
    about: str = ""

    @classmethod
    def of(cls, report: pytest.TestReport, known: dict[str, object]) -> "Row":
        _, system, rest = report.nodeid.split("::")
        name, _, engine = rest.removesuffix("]").rpartition("[")
        outcome, found = str(known["kubeproof.outcome"]), str(known["kubeproof.established"])
        cells = (system, name, engine, outcome, found, f"{report.duration:.1f}")
        known_already = hasattr(report, "wasxfail")
        ended = "known" if known_already else report.outcome
        return cls(cells, report.longreprtext if report.failed else "", ended, str(known.get("kubeproof.about", "")))


def abouts(rows: Sequence[Row]) -> dict[str, int]:
    """What proofs for any size are about, numbered."""
    return {about: number for number, about in enumerate(dict.fromkeys(row.about for row in rows if row.about), 1)}


def numbered(rows: Sequence[Row]) -> list[Row]:
    """The rows, those of proofs with the number of what they are about."""
    numbers = abouts(rows)
    return [
        replace(row, cells=(*row.cells[:4], f"{row.cells[4]} [{numbers[row.about]}]", *row.cells[5:]))
        if row.about
        else row
        for row in rows
    ]


def text_table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """`rows` as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def markdown(title: str, rows: Sequence[Row], in_short: Sequence[str], below: Sequence[str] = ()) -> Iterator[str]:
    """A GitHub job summary: what is in short, a table, what stands below it, and each failure's trace folded away."""
    yield f"### kubeproof: {title}\n"
    yield from (f"- {line}" if line else "" for line in in_short)
    yield f"| {' | '.join(HEADINGS)} |"
    yield "|" + " --- |" * len(HEADINGS)
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row.cells)} |"
    yield ""
    yield from (f"- {line}" for line in below)
    yield ""
    for row in rows:
        if row.text:
            system, name, engine, outcome, *_ = row.cells
            yield f"<details><summary>{system}: {name} [{engine}]: {outcome}</summary>\n"
            # Four ticks, so that a text with three of them stays inside.
            yield f"````text\n{row.text}\n````\n\n</details>\n"
