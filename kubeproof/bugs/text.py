"""The form of a bug's text: a YAML head between two lines `---`, then Markdown sections that begin with `## `."""

import re
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

import yaml
from attrs import frozen

from kubeproof.errors import InputError

# The loader of libyaml, if PyYAML has it, is ten times as fast, and each command reads all bugs.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@frozen
class BugText:
    """A bug's text, taken apart."""

    # The file as a reader knows it, such as bugs/scheduling/queue-hol.md.
    place: str
    head: dict[str, Any]
    # Heading -> Markdown, a paragraph on one line, paragraphs parted by an empty line.
    sections: dict[str, str]

    def refuse(self, where: str, what: str) -> NoReturn:
        """Raises InputError: the file, where in it, what is wrong and what was expected."""
        raise InputError(f"{self.place}: {where}: {what}")

    def names_in_head(self, required: Collection[str], optional: Collection[str]) -> None:
        """Raises InputError unless the head has all keys of `required`, and no other but `optional`."""
        _names(self, "head", self.head, required, optional)

    def headings(self, required: Collection[str], optional: Collection[str]) -> None:
        """The same for the sections."""
        _names(self, "sections", self.sections, required, optional)

    def text(self, key: str) -> str:
        """A text of the head, not empty."""
        value = self.head[key]
        if not (isinstance(value, str) and value.strip()):
            self.refuse(f"head, {key}", f"{value!r} is not a text: expected one line, in quotation marks if need be")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts of the head; a key that is not there is an empty list."""
        value = self.head.get(key, [])
        if not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
            self.refuse(f"head, {key}", f"{value!r} is not a list of names: expected e.g. [{key}]")
        return tuple(value)

    def numbers(self, key: str) -> tuple[int, ...]:
        """A list of numbers of the head; a key that is not there is an empty list."""
        value = self.head.get(key, [])
        if not (isinstance(value, list) and all(type(each) is int and each > 0 for each in value)):
            self.refuse(f"head, {key}", f"{value!r} is not a list of numbers: expected e.g. [91601, 97120]")
        return tuple(value)

    def issues(self) -> tuple[int | str, ...]:
        """The issues of the head: numbers of upstream's issues, and addresses of others."""
        value = self.head.get("issues", [])
        if not (isinstance(value, list) and all(_is_issue(each) for each in value)):
            self.refuse("head, issues", f"{value!r} is not a list of numbers: expected e.g. [91601, 97120]")
        return tuple(value)

    def paragraphs(self, heading: str) -> tuple[str, ...]:
        """The paragraphs of a section; none if it is not there."""
        return tuple(filter(None, self.sections.get(heading, "").split("\n\n")))


def _is_issue(value: Any) -> bool:
    if isinstance(value, str):
        return value.startswith("https://github.com/")
    return type(value) is int and value > 0


def parse(place: str, text: str) -> BugText:
    """Take a bug's text apart. Raises InputError."""
    parts = re.split(r"^---[ \t]*$\n?", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise InputError(f"{place}: no head: expected YAML between two lines '---' at the beginning of the file")
    try:
        head = yaml.load(parts[1], Loader=_LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 2}" if mark else "head"
        raise InputError(f"{place}: {line}: not YAML: {getattr(error, 'problem', None) or error}") from None
    if not isinstance(head, dict):
        raise InputError(f"{place}: head: not a mapping: expected lines such as 'id: QUEUE-HOL'")
    before, *sections = re.split(r"^## ", parts[2], flags=re.MULTILINE)
    if before.strip():
        raise InputError(f"{place}: text before the first section: expected a line that begins with '## '")
    found: dict[str, str] = {}
    for section in sections:
        heading, _, body = section.partition("\n")
        heading = heading.strip()
        if heading in found:
            raise InputError(f"{place}: sections: '{heading}' is there twice: expected each once")
        found[heading] = "\n\n".join(_paragraphs(body))
        if not found[heading]:
            raise InputError(f"{place}: sections: '{heading}' is empty: expected text, or no such section")
    return BugText(place, head, found)


def _paragraphs(body: str) -> Iterator[str]:
    """Each paragraph on one line: Markdown takes a line break for a space."""
    for paragraph in re.split(r"\n[ \t]*\n", body):
        words = " ".join(paragraph.split())
        if words:
            yield words


def _names(
    text: BugText, where: str, found: Collection[Any], required: Collection[str], optional: Collection[str]
) -> None:
    for name in required:
        if name not in found:
            text.refuse(where, f"'{name}' is missing")
    for name in found:
        if name not in required and name not in optional:
            text.refuse(where, f"'{name}' is not known: expected one of {', '.join((*required, *optional))}")
