"""The folder of kept results: what is damaged is not there, what cannot be written is not kept, and nobody fails."""

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kubeproof.processes.pool import side_by_side
from kubeproof.store.digests import Digests
from kubeproof.store.home import bringing_home
from kubeproof.store.store import FILE, InForce, Store
from model.releases import known_release, rules_for
from model.systems.node_listing import NodeListingRules
from tests.kubeproof.processes.clusters import remote

RULES = rules_for(NodeListingRules, known_release("1.20.0"))
DIGESTS = Digests({f"{rule.__module__}:{rule.__name__}": "1" for rule in vars(RULES).values() if rule}, {}, {}, {})
HERE = InForce(DIGESTS, RULES)


def _store(folder: Path) -> Store:
    return Store(folder, DIGESTS, begun=time.time() + 3600)


def _values(folder: Path, key: str = "key") -> dict[str, Any]:
    return {name: found.value for name, found in _store(folder).found(key, HERE).items()}


def _keep(folder: Path, key: str = "key", **values: Any) -> None:
    _store(folder).keep(key, HERE, ["list_nodes"], values)


def test_values_are_kept_beside_others_with_the_fields_that_were_looked_up(tmp_path: Path) -> None:
    _keep(tmp_path, one=[1, None])
    _keep(tmp_path, two={"a": "b"})
    assert _values(tmp_path) == {"one": [1, None], "two": {"a": "b"}}
    assert _store(tmp_path).found("key", HERE)["one"].fields == {"list_nodes"}
    assert _values(tmp_path, "another") == {}


def _used(store: Store, name: str) -> str:
    """A task that finds what is there, and keeps one value."""
    store.found("key", HERE)
    store.keep("key", HERE, ["list_nodes"], {name: name})
    return name


def test_what_is_used_elsewhere_comes_home(tmp_path: Path) -> None:
    _keep(tmp_path / "there", found=1)
    home = _store(tmp_path / "home")
    each = bringing_home(map, home)
    assert list(each(partial(_used, _store(tmp_path / "there")), ["one", "two"])) == ["one", "two"]
    assert _values(tmp_path / "home") == {"found": 1, "one": "one", "two": "two"}
    assert home.found("key", HERE)["one"].fields == {"list_nodes"}


@pytest.mark.slow
def test_what_workers_of_a_cluster_use_comes_home(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[cluster]'")
    home = _store(tmp_path / "home")
    with (
        remote(tmp_path, KUBEPROOF_RESULTS=str(tmp_path / "there")) as cluster,
        side_by_side(dask=cluster.address) as there,
    ):
        assert list(bringing_home(there, home)(partial(_used, home), ["one", "two"])) == ["one", "two"]
    assert _values(tmp_path / "home") == _values(tmp_path / "there") == {"one": "one", "two": "two"}


def test_what_was_not_looked_up_may_be_another_rule(tmp_path: Path) -> None:
    _keep(tmp_path, one=1)
    other = {**DIGESTS.rules, "model.scheduler.cache.node_tree:add_node": "2"}
    assert _store(tmp_path).found("key", InForce(Digests(other, {}, {}, {}), RULES))
    changed = {**DIGESTS.rules, "model.scheduler.cache.node_tree:list_stateless": "2"}
    assert not _store(tmp_path).found("key", InForce(Digests(changed, {}, {}, {}), RULES))


def test_all_rules_count_if_their_hash_was_asked_for(tmp_path: Path) -> None:
    _store(tmp_path).keep("key", HERE, ["_attrs_cached_hash"], {"one": 1})
    assert _store(tmp_path).found("key", HERE)["one"].fields == {field for field in vars(RULES) if field[0] != "_"}


def _with(change: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        with sqlite3.connect(folder / FILE) as db:
            db.execute(change)
        db.close()

    return damage


def _end_early(folder: Path) -> None:
    (folder / FILE).write_bytes((folder / FILE).read_bytes()[:3000])


def _overwrite(folder: Path) -> None:
    (folder / FILE).write_bytes(b"not a database" * 1000)


@pytest.mark.parametrize(
    "damage",
    [
        _with("update results set value = x'00'"),
        _with("update results set value = (select substr(value, 1, length(value) - 1) from results)"),
        _with("update fields set names = 'add_node'"),
        _with("delete from fields"),
        _with("drop table results"),
        _end_early,
        _overwrite,
    ],
)
def test_a_damaged_entry_is_not_there_and_is_kept_anew(damage: Callable[[Path], None], tmp_path: Path) -> None:
    # In a process of its own each time, as a connection that is open has read the file already.
    _in_process(tmp_path, "keep")
    assert _in_process(tmp_path, "look") == "{'one': 1}"
    damage(tmp_path)
    assert _in_process(tmp_path, "look") == "{}"
    _in_process(tmp_path, "keep")
    assert _in_process(tmp_path, "look") == "{'one': 1}"


def _in_process(folder: Path, does: str) -> str:
    lines = [
        "from pathlib import Path",
        "from tests.kubeproof.store import test_store as t",
        f"f = Path({str(folder)!r})",
    ]
    lines.append("t._keep(f, one=1)" if does == "keep" else "print(t._values(f))")
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    _keep(tmp_path / "file" / "results", one=1)
    assert _values(tmp_path / "file" / "results") == {}


def test_a_full_disk_keeps_nothing_more(tmp_path: Path) -> None:
    _keep(tmp_path, one=1)
    db = _store(tmp_path)._connection()
    assert db is not None
    db.execute(f"pragma max_page_count = {db.execute('pragma page_count').fetchone()[0]}")
    _keep(tmp_path, "another", one="".join(map(str, range(20_000))))
    assert (_values(tmp_path), _values(tmp_path, "another")) == ({"one": 1}, {})


def _many(task: tuple[Path, int]) -> None:
    folder, number = task
    for at in range(20):
        _keep(folder, "key", **{f"{number}-{at}": at})


def test_two_processes_keep_side_by_side(tmp_path: Path) -> None:
    with side_by_side(2) as each:
        list(each(_many, [(tmp_path, number) for number in range(4)]))
    assert len(_values(tmp_path)) == 80


def test_what_a_killed_run_has_kept_is_whole(tmp_path: Path) -> None:
    run = "from tests.kubeproof.store import test_store as t\nfrom pathlib import Path\nfrom itertools import count\n"
    run += f"for n in count():\n    t._keep(Path({str(tmp_path)!r}), str(n), one='x' * 1000)\n    print(n, flush=True)"
    with subprocess.Popen([sys.executable, "-c", run], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 30:
                process.send_signal(signal.SIGKILL)
    assert all(_values(tmp_path, str(number)) == {"one": "x" * 1000} for number in range(31))
    _keep(tmp_path, "after", one=1)
    assert _values(tmp_path, "after") == {"one": 1}
