"""One word for each idea, and sources that a reader has: greps for words that docs/words.md rules out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
FOLDERS = (
    "model",
    "properties",
    "kubeproof",
    "specs",
    "bugs",
    "examples",
    "benchmarks",
    "counterexamples",
    "docs",
    "mutants",
    "website",
)
SUFFIXES = frozenset({".py", ".md", ".j2", ".tla", ".yaml"})

# What is banned, and what to write in its place.
BANNED = {
    r"\bdossier\b": "the repository or a URL",
    r"\b(KUBERNETES|SOURCES|BACKPORTS|DESIGN|ANCHORS|CHANGES|GO|FORMAT)\.md\b": "the repository or a URL",
    r"\.\./shared": "a file of the repository, or a URL",
    r"\bparts? 1[01]\b": "the name of the property",
    r"\bsessions?\b": "who or what did it",
    r"(?<![\w.])/(home|root|work|tmp|Users|mnt)/": "a path from the root of the repository",
    r"\bhistor(y|ies)\b": "run",
    r"\bdeliberately wrong\b": "mutant",
    r"\b(after|in) (\d+|\{+[^}\n]*\}+) events?\b": "actions",
    r"\bbut for\b|\bsave for\b|\blest\b|\bthereof\b|\bwhence\b": "except, or a sentence of its own",
    r"\bthe (former|latter)\b|\b(thereby|whereupon|hereby)\b": "the noun",
    r"Error\((\n\s*)?f?\"[^\"\n]*'[^'\"\n]*' (is|are) no [a-z]": "is not a",
}

# Where such a word is right: the file, the whole text around the word, and why.
ALLOWED = {
    ("kubeproof/pytest_plugin.py", "session: pytest.Session"): "pytest's own name",
    ("kubeproof/pytest_plugin.py", "from_parent(session,"): "pytest's own name",
    ("kubeproof/pytest_plugin.py", "session.config.hook"): "pytest's own name",
    ("kubeproof/pytest_plugin.py", "self.session.items"): "pytest's own name",
    ("model/releases.py", "TKE revision history of"): "the title of a page",
    ("kubeproof/advise/nodes/answer.py", "`history`"): "a key of --json keeps its name",
    ("kubeproof/advise/nodes/answer.py", '"history"'): "a key of --json keeps its name",
    ("counterexamples/nodetree-cursor/README.md", "TKE revision history of"): "the title of a page",
}


def _texts() -> Iterator[tuple[str, str]]:
    paths = [ROOT / page for page in PAGES]
    for folder in FOLDERS:
        paths += [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]
    for path in paths:
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def _found(pattern: str) -> Iterator[str]:
    """Each place of a banned word, with the line, but not the allowed ones."""
    for name, text in _texts():
        for allowed in (text_ for file, text_ in ALLOWED if file == name):
            text = text.replace(allowed, "-" * len(allowed))
        for found in re.finditer(pattern, text, re.IGNORECASE):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}:{line}: {text.splitlines()[line - 1].strip()[:120]}"


@pytest.mark.parametrize("pattern", BANNED)
def test_a_banned_word_is_not_used(pattern: str) -> None:
    places = list(_found(pattern))
    assert not places, f"write {BANNED[pattern]} in place of {pattern}:\n" + "\n".join(places)


@pytest.mark.parametrize(("file", "text"), ALLOWED)
def test_what_is_allowed_is_still_there(file: str, text: str) -> None:
    assert text in (ROOT / file).read_text(encoding="utf-8")


def test_the_glossary_has_each_word_once_in_one_sentence_or_two() -> None:
    glossary = (ROOT / "docs" / "words.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", glossary, re.MULTILINE)[1:]
    words = [word for names, _ in rows for word in names.split(", ")]
    assert len(words) == len(set(words)) > 30
    assert all(re.match(r"[A-Z`].*\.$", meaning) for _, meaning in rows if not set(meaning) <= {"-"})


def _documented_in_one_paragraph() -> Iterator[str]:
    """Each class whose docstring says what its fields are (`field`: ...)."""
    for folder in ("model", "properties", "kubeproof"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    named = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)]  # type: ignore[union-attr]
                    said = ast.get_docstring(node) or ""
                    if any(re.search(rf"`{name}`(,? (and )?`\w+`)*:|^`{name}`", said) for name in named):
                        yield f"{path.relative_to(ROOT).as_posix()}: {node.name}"


@pytest.mark.slow
def test_fields_are_documented_at_the_field() -> None:
    assert not list(_documented_in_one_paragraph())
