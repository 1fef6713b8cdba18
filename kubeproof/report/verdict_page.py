"""The verdict on a fix as a page: in Markdown for a pull request or the summary of a job, or in HTML.

It says what `verdict_lines.py` says, and has the whole run with which the fix breaks a property.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve
from markdown_it import MarkdownIt
from markupsafe import Markup

from kubeproof.report.markdown import environment
from kubeproof.report.mermaid import sequence_diagram
from kubeproof.report.told import ToldRun, told_run
from kubeproof.report.verdict_lines import Asked, bug_lines, change_lines, deeper, further_lines, looked, quiet_line
from kubeproof.report.verdict_runs import RunToTell, also_lines, breaks_line, release_line, told_runs
from kubeproof.report.verdict_words import by_outcome, headline, verdict_of
from kubeproof.validate.verdict import Part, Validation
from kubeproof.verdict.result import Outcome

# What Markdown or HTML would read as its own. What is between backquotes is code, and stays as it is.
_MARKS = re.compile(r"[\\*<\[\]|~&]|\b_|_\b")


def verdict_markdown(validation: Validation, asked: Asked, rest: str = "", *, full: bool = False) -> str:
    """The page in Markdown. `rest`: a text that is folded at its end; with `full` all that was established is in it."""
    page = _page(validation, asked, full=full, diagrams=True)
    folded = ["", "<details><summary>The rest</summary>", "", *_code(rest), "", "</details>"] if rest else []
    return "\n".join([*page, *folded, ""])


def verdict_html(validation: Validation, asked: Asked, rest: str = "", *, full: bool = False) -> str:
    """The page as one HTML file. It has no script, so it draws no diagram."""
    text = "\n".join(_page(validation, asked, full=full, diagrams=False))
    # Nothing of the text is HTML but the line breaks of our own tables.
    body = MarkdownIt("js-default").render(text).replace("&lt;br&gt;", "<br>")
    template = environment().get_template("verdict.html.j2")
    return template.render(title=headline(validation)[0], body=Markup(body), rest=rest)


def _page(validation: Validation, asked: Asked, *, full: bool, diagrams: bool) -> list[str]:
    """The lines of the page. `diagrams`: a run is drawn with Mermaid, as GitHub and GitLab do."""
    what, verdict = headline(validation)
    lines = [f"## {_text(what)}", "", _verdict(verdict), ""]
    parts = by_outcome(validation)
    quiet = [part for part in parts if part.outcome is Outcome.HOLDS and len(parts) > 1]
    for part in parts:
        if part not in quiet:
            head = [f"### {part.system.name}", "", _verdict(verdict_of(part)), ""] if len(parts) > 1 else []
            lines += [*head, *_part(part, diagrams)]
    lines += _list([*map(quiet_line, quiet), *further_lines(validation)])
    return [*lines, *_code("\n".join(deeper(validation, asked, full=full)))]


def _part(part: Part, diagrams: bool) -> Iterator[str]:
    """What was established in one system."""
    yield from _list(bug_lines(part))
    if found := told_runs(part):
        first = found[0]
        run = _told(part, first)
        yield from [f"**{_text(breaks_line(part, first))}**", ""]
        if diagrams:
            yield from [*_code(sequence_diagram(run).rstrip(), "mermaid"), ""]
        yield from [_actions(run), "", *_list([release_line(part, first), *also_lines(found)])]
    yield from _list([*change_lines(part), *looked(part)])


def _told(part: Part, run: RunToTell) -> ToldRun:
    """The whole run. Where the fix fails, no property is violated but the fix fails at its end."""
    property = part.system.property_named(run.result.property)
    told = told_run(part.system, part.release, property, run.trace, run.result.explanation or "", "", "")
    if part.failure is None or not told.actions:
        return told
    return evolve(told, actions=(*told.actions[:-1], evolve(told.actions[-1], broken=(part.failure,))))


def _actions(run: ToldRun) -> str:
    """All actions of a run as a table, as on the page of a bug. A fix may have had a say in its texts."""
    env = environment()
    env.filters["cell"] = _text
    macros: Any = env.get_template("run.md.j2").module
    found: str = macros.actions(run)
    return found.rstrip()


def _verdict(text: str) -> str:
    """A verdict, its word in bold."""
    word = re.match(r"[A-Z]+( [A-Z]+)?\b", text)
    return _text(text) if word is None else f"**{word[0]}**{_text(text[word.end() :])}"


def _list(lines: Iterable[str]) -> list[str]:
    items = [f"- {_text(line)}" for line in lines if line]
    return [*items, ""] if items else []


def _text(line: str) -> str:
    """A line as it is in Markdown: code between backquotes stays code, and no other sign means anything."""
    parts = line.split("`")
    if len(parts) % 2 == 0 or "``" in line:
        return _escaped(line.replace("`", "'"))
    return "`".join(part if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(text: str) -> str:
    return _MARKS.sub(lambda found: f"\\{found[0]}", text)


def _code(text: str, language: str = "") -> list[str]:
    """A block of code that no text ends before its end."""
    fence = "`" * max(3, *(len(each) + 1 for each in ["", *re.findall("`+", text)]))
    return [f"{fence}{language}", text, fence]
