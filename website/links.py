"""Texts of the repository as pages of the site: their links lead to other pages, or to nothing.

A file that the site has not, such as a module or an example, is named without a link.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

# A block of code, in which nothing is a link.
_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]+)\)")
_ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def page_of_text(text: str, place: str, pages: Mapping[str, str], files: Iterable[str] = ()) -> str:
    """A Markdown text of the repository, at `place` there, as the text of a page.

    `pages`: by the place of a text in the repository that of its page in the site. `files`: what lies in the site
    where it lies in the repository.
    """
    there = {**pages, **{file: file for file in files}}

    def link(found: re.Match[str]) -> str:
        target, _, anchor = found["target"].partition("#")
        if "://" in target or not target:
            return found[0]
        to = there.get(posixpath.normpath(posixpath.join(posixpath.dirname(place), target)))
        if to is None:
            return found["text"]
        relative = posixpath.relpath(to, posixpath.dirname(pages[place]) or ".")
        return f"{found['image']}[{found['text']}]({relative}{f'#{anchor}' if anchor else ''})"

    return "".join(part if is_code else _LINK.sub(link, _lists(part)) for is_code, part in _parts(text))


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """The text in parts: whether it is a block of code, and the part."""
    end = 0
    for found in _FENCE.finditer(text):
        yield False, text[end : found.start()]
        yield True, found[0]
        end = found.end()
    yield False, text[end:]


def _lists(text: str) -> str:
    """An empty line before each list: GitHub begins a list without one, Python-Markdown does not."""
    lines = text.split("\n")
    made = lines[:1]
    for before, line in pairwise(lines):
        in_list = before.startswith(" ") or _ITEM.match(before)
        if _ITEM.match(line) and before and not in_list:
            made.append("")
        made.append(line)
    return "\n".join(made)


def title_of(text: str) -> str:
    """The heading of a Markdown text.

    >>> title_of("# Words\\n\\nOne word.")
    'Words'
    """
    return text.partition("# ")[2].partition("\n")[0].replace("`", "")
