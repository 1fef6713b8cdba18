"""`kubeproof show`: the page of a bug, in Markdown or rendered for a terminal."""

from importlib.resources import files
from typing import Any, ClassVar

from attrs import frozen
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown, MarkdownElement
from rich.text import Text

from kubeproof.bugs.bug import UnshownBug
from kubeproof.bugs.catalogue import documented_bug
from kubeproof.bugs.load import AnyBug
from kubeproof.errors import InputError
from kubeproof.output import wrapped
from kubeproof.report.bug_list import bug_json
from kubeproof.report.rule_page import refuse_rule_function
from kubeproof.report.upstream import UPSTREAM
from kubeproof.systems.registry import SYSTEMS

_MARGIN = "  "  # of a line of code


@frozen
class Page:
    """What is shown of a bug."""

    bug: AnyBug
    # The page, in Markdown: what happens, why, which releases, what helps.
    text: str
    # The text of an issue about the bug, in Markdown; "" for none.
    upstream: str


def page_of(name: str) -> Page:
    """The page of the bug with this id or number. Raises InputError, which says what else `name` is."""
    _refuse_other(name)
    bug = documented_bug(name)
    if isinstance(bug, UnshownBug):
        return Page(bug, _unshown_page(bug), "")
    folder = files("counterexamples") / bug.folder
    upstream = folder / UPSTREAM
    try:
        text = (folder / "README.md").read_text(encoding="utf-8")
        return Page(bug, text, upstream.read_text(encoding="utf-8") if upstream.is_file() else "")
    except (OSError, ValueError):
        raise InputError(
            f"counterexamples/{bug.folder}: page missing or damaged: `make counterexamples` makes it"
        ) from None


def _refuse_other(name: str) -> None:
    """Raises InputError if `name` names a system, a property, or a function for a rule."""
    refuse_rule_function(name)
    if name in SYSTEMS:
        raise InputError(f"'{name}' is a system: expected a bug; `kubeproof list {name}` shows the system")
    of = [system.name for system in SYSTEMS.values() if name in (each.name for each in system.properties)]
    if of:
        raise InputError(
            f"'{name}' is a property of {', '.join(of)}: expected a bug; `kubeproof bugs --property {name}` lists the "
            "bugs that violate it"
        )


def _unshown_page(bug: UnshownBug) -> str:
    """The page of a bug of which nothing is kept."""
    upstream = [*(f"- issue: <{each}>" for each in bug.issues), *(f"- fix: <{each}>" for each in bug.fixes)]
    parts = [
        f"# {bug.id}: {bug.title}",
        bug.consequence,
        "## Why",
        bug.mechanism,
        "## Why nothing shows this bug",
        bug.reason,
        *(["## Notes", *bug.notes] if bug.notes else []),
        "## Upstream",
        "\n".join([*upstream, f"- until an upgrade: {bug.mitigation}"]),
    ]
    return "\n\n".join(parts) + "\n"


def page_markdown(page: Page) -> str:
    """The page, then the text for upstream."""
    return "\n---\n\n".join(filter(None, (page.text, page.upstream)))


class _Code(CodeBlock):
    """Lines of code that can be copied: a line is broken as a command may be, and a word never."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = str(self.text).rstrip().split("\n")
        broken = (part for line in lines for part in wrapped(line, options.max_width - len(_MARGIN)))
        yield Text("\n".join(f"{_MARGIN}{line}" for line in broken), "bold", no_wrap=True, overflow="ignore")


class _Markdown(Markdown):
    """Markdown whose code can be copied."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "fence": _Code}


def rendered(text: str) -> Markdown:
    """Markdown for a terminal. To be printed with `crop=False`: a word of code may be wider than the terminal."""
    found = _Markdown(text)
    # A terminal draws no diagram, and the table below tells the run.
    found.parsed = [token for token in found.parsed if (token.type, token.info) != ("fence", "mermaid")]
    for token in found.parsed:
        for part in token.children or ():
            _break_line(part)
    return found


def _break_line(token: Token) -> None:
    """Markdown has no line break in the cell of a table but that of HTML, which a terminal does not know."""
    if token.type == "html_inline" and token.content == "<br>":
        token.type, token.tag, token.content = "hardbreak", "br", ""


def page_json(page: Page) -> dict[str, Any]:
    """The bug as `bugs --json` has it, with its page and the text for upstream in Markdown."""
    return {**bug_json(page.bug), "page": page.text, "upstream": page.upstream or None}
