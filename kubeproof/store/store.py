"""The folder of kept results: one SQLite file, which any number of processes may use at once.

What cannot be read is not there, and what cannot be written is not kept: a command never fails for the store's sake.
SQLite sees to it that an entry is there as a whole or not at all, also after a kill.
"""

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import psutil
from attrs import Factory, fields, frozen

from kubeproof.store.digests import Digests, changed_since, digests_of_sources
from kubeproof.store.texts import digest_of

T = TypeVar("T")
R = TypeVar("R")

# The environment's name for the folder, and the folder without it.
FOLDER, USUAL = "KUBEPROOF_RESULTS", "out/results"
FILE = "results.sqlite"
UNUSED = 60  # days after which an entry that nobody asked for is removed
_DAY = 86_400
_WAIT = 60.0  # seconds for another process that is writing
_TABLES = """
create table if not exists fields (id text primary key, names text not null) without rowid;
create table if not exists results (
  key text, fields text, rules text, value blob not null, check_ blob not null, used integer not null,
  primary key (key, fields, rules)
) without rowid;
"""


@frozen
class Found:
    """A kept value."""

    # What JSON can say.
    value: Any
    # The rule fields that its computation looked up.
    fields: frozenset[str]


@frozen
class Entry:
    """Kept values as the folder has them."""

    key: str
    # The names of the rule fields that their computation looked up.
    fields: str
    # The digest of these rules.
    rules: str
    values: Mapping[str, Any]


# What was kept or found since `noted` began; None: nobody asks.
_notes: list[Entry] | None = None


def noted(function: Callable[[T], R], task: T) -> tuple[R, list[Entry]]:
    """What `function` answers, and what was kept or found meanwhile."""
    global _notes
    notes: list[Entry] = []
    _notes = notes
    try:
        return function(task), notes
    finally:
        _notes = None


class InForce:
    """The digests of the rules of one choice. Without `rules`: for what is computed without any."""

    def __init__(self, digests: Digests, rules: Any = None) -> None:
        # Not by attribute: whoever notes which rules are looked up would take all of them for looked up.
        given = {} if rules is None else vars(rules)
        names = () if rules is None else tuple(f.name for f in fields(type(rules)))
        self._of = {name: digests.of_rule(given[name]) for name in names}
        self._joined: dict[frozenset[str], str | None] = {}

    @property
    def all(self) -> str | None:
        """The digest of all the rules."""
        return self.of(frozenset(self._of))

    def rule_fields(self, looked_up: Iterable[str]) -> frozenset[str]:
        """The rule fields of what was looked up: all of them if the kept hash of the rules is there too."""
        names = frozenset(looked_up)
        return names if names <= self._of.keys() else frozenset(self._of)

    def of(self, fields: frozenset[str]) -> str | None:
        """The digest of the rules of `fields`; None if one is from outside, or the choice has no such field."""
        if fields not in self._joined:
            found = [self._of.get(name) for name in sorted(fields)]
            self._joined[fields] = None if None in found else digest_of(*map(str, found))
        return self._joined[fields]


@frozen(eq=False)
class Store:
    """Kept results, and the digests by which they are found. Goes to other processes, which may have other folders."""

    folder: Path
    digests: Digests
    # When the process that made the store began: sources that are younger may be others than the digests tell of.
    begun: float = Factory(lambda: psutil.Process().create_time())

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.folder, self.digests, self.begun)

    def found(self, key: str, rules: InForce) -> dict[str, Found]:
        """What is kept under `key` and goes for these rules, by its name there."""
        return self._trying(lambda db: self._found(db, key, rules)) or {}

    def _found(self, db: sqlite3.Connection, key: str, rules: InForce) -> dict[str, Found]:
        found: dict[str, Found] = {}
        for (of_names,) in db.execute("select distinct fields from results where key = ?", (key,)).fetchall():
            names = _fields(db, of_names)
            of_rules = None if names is None else rules.of(names)
            if names is not None and of_rules is not None:
                values = _values(db, (key, of_names, of_rules))
                if values and _notes is not None:
                    _notes.append(Entry(key, " ".join(sorted(names)), of_rules, values))
                found |= {name: Found(value, names) for name, value in values.items()}
        return found

    def keep(self, key: str, rules: InForce, looked_up: Iterable[str], values: Mapping[str, Any]) -> None:
        """Keep `values`, which were computed under `rules` and looked up these fields of them, beside others there."""
        names = rules.rule_fields(looked_up)
        of_rules = rules.of(names)
        if of_rules is not None:
            self.take(Entry(key, " ".join(sorted(names)), of_rules, dict(values)))

    def take(self, entry: Entry) -> None:
        """Keep an entry beside others there, if the sources are still those that the digests tell of."""
        if changed_since(self.begun):
            return
        if _notes is not None:
            _notes.append(entry)
        row = entry.key, digest_of(entry.fields), entry.rules

        def put(db: sqlite3.Connection) -> None:
            with db:
                db.execute("begin immediate")
                db.execute("insert or replace into fields values (?, ?)", (row[1], entry.fields))
                packed = zlib.compress(json.dumps(_values(db, row) | dict(entry.values)).encode())
                put = "insert or replace into results values (?, ?, ?, ?, ?, ?)"
                db.execute(put, (*row, packed, sha256(packed).digest(), _today()))

        self._trying(put)

    def _trying(self, does: Callable[[sqlite3.Connection], T]) -> T | None:
        """What `does` answers; None if the file cannot be used. A damaged file is removed."""
        db = self._connection()
        if db is None:
            return None
        try:
            return does(db)
        except sqlite3.OperationalError:  # the disk is full, or the folder is gone
            return None
        except sqlite3.DatabaseError:
            db.close()
            _remove(self.folder / FILE)
            del _CONNECTIONS[os.getpid(), self.folder]
            return None

    def _connection(self) -> sqlite3.Connection | None:
        own = os.getpid(), self.folder
        if own not in _CONNECTIONS:
            # A second time if the first one has removed a damaged file.
            _CONNECTIONS[own] = _opened(self.folder / FILE) or _opened(self.folder / FILE)
        return _CONNECTIONS[own]


def _received(folder: Path, digests: Digests, begun: float) -> Store:
    """The store of another process, maybe on another machine: the environment may name a folder there."""
    return Store(Path(os.environ.get(FOLDER) or folder), digests, begun)


# Those of this process, by the folder: a worker gets the store with each of its tasks.
_CONNECTIONS: dict[tuple[int, Path], sqlite3.Connection | None] = {}


def _fields(db: sqlite3.Connection, name: str) -> frozenset[str] | None:
    """The fields that have this digest together."""
    row = db.execute("select names from fields where id = ?", (name,)).fetchone()
    return frozenset(row[0].split()) if row is not None and digest_of(row[0]) == name else None


def _values(db: sqlite3.Connection, row: tuple[str, str, str]) -> dict[str, Any]:
    """The values of one entry; none if the entry is damaged."""
    where = "where key = ? and fields = ? and rules = ?"
    found = db.execute(f"select value, check_, used from results {where}", row).fetchone()
    if found is None or sha256(found[0]).digest() != found[1]:
        return {}
    if found[2] < _today():
        db.execute(f"update results set used = ? {where}", (_today(), *row))
    values: dict[str, Any] = json.loads(zlib.decompress(found[0]))
    return values


def _opened(path: Path) -> sqlite3.Connection | None:
    """The file at `path`; None if it is damaged, and then removed, or if it cannot be made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error):
        return None
    try:
        db.execute("pragma journal_mode = wal")
        db.execute("pragma synchronous = normal")
        db.executescript(_TABLES)
        db.execute("delete from results where used < ?", (_today() - UNUSED,))
    except sqlite3.OperationalError:
        db.close()
        return None
    except sqlite3.DatabaseError:
        db.close()
        _remove(path)
        return None
    return db


def _remove(path: Path) -> None:
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        each.unlink(missing_ok=True)


def _today() -> int:
    return int(time.time() // _DAY)


def store_of_sources(environment: Mapping[str, str] = os.environ) -> Store:
    """The store of this project's results. Reads all sources: some seconds, once in a command."""
    return Store(Path(environment.get(FOLDER) or USUAL).absolute(), digests_of_sources())
