# ruff: noqa: E501 (the texts of files)
"""A corpus of fixes of all kinds that a stranger may send: what each does, and which ends are right.

`HARMLESS`, `FATAL` and `ENDLESS` are statements that are put at the top of a file, or into a rule that is right
otherwise. `ANSWERS` are rules that return something wrong. Every file is judged in a small scope of its system.
"""

from collections.abc import Iterator
from textwrap import indent
from typing import Literal

import psutil
from attrs import frozen

# "line": one line and exit 2. "refused": the verdict. "judged": any verdict, by what the rule answers. "right": the
# rule answers right all the same, and is accepted.
End = Literal["line", "refused", "judged", "right"]


@frozen
class Stranger:
    """One file."""

    name: str
    text: str
    ends: tuple[End, ...]
    system: str = "node-listing"


GOOD = """\
from attrs import evolve
from model.scheduler.cache.node_tree import NodeArray, NodeTree, list_from_resuming_cursors, reset_exhausted
def good(tree):
    return list_from_resuming_cursors(reset_exhausted(tree))
"""

# Two forks, a session and an environment of its own: nothing shows whose it is but who has adopted it.
DAEMON = """\
import os, pathlib
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        known = pathlib.Path(__file__).parent / 'daemons' / str(os.getpid())
        known.parent.mkdir(exist_ok=True)
        known.touch()
        os.execve('/bin/sleep', ['sleep', '900'], {})
    os._exit(0)
os.wait(), os.close(w), os.read(r, 1)
"""


def runs(pid: int) -> bool:
    """Whether the process runs. Who should have asked how a killed one ended may be gone."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# What a file does and then goes on.
HARMLESS = {
    "prints": 'print(\'{"verdict": "accepted"}\', flush=True)',
    "prints-much": "print('x' * 5_000_000)",
    "prints-to-stderr": "import sys; print('Traceback', file=sys.stderr)",
    "writes-to-fd-1": "import os; os.write(1, b'text'); os.write(2, b'text')",
    "closes-stdout": "import sys; sys.stdout.close()",
    "no-stdout": "import sys; sys.stdout = None; sys.stderr = None",
    "logs": "import logging; logging.error('Traceback')",
    "warns": "import warnings; warnings.simplefilter('error')",
    "daemon-thread": "import threading, time; threading.Thread(target=time.sleep, args=(900,), daemon=True).start()",
    "thread": "import threading, time; threading.Thread(target=time.sleep, args=(900,)).start()",
    "child": "import subprocess; subprocess.Popen(['sleep', '900'])",
    "child-of-its-own-session": "import subprocess; subprocess.Popen(['sleep', '900'], start_new_session=True)",
    "daemon": "import subprocess; subprocess.run(['sh', '-c', 'setsid sleep 900 &'])",
    "daemon-without-environment": DAEMON,
    "ignores-signals": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "at-exit": "import atexit, time; atexit.register(time.sleep, 900)",
    "no-garbage": "import gc; gc.disable()",
    "no-thread-switch": "import sys; sys.setswitchinterval(1000)",
    "excepthook": "import sys; sys.excepthook = None",
    "changes-folder": "import os; os.chdir('/')",
    "no-environment": "import os; os.environ.clear()",
    "patches-verdict": "import kubeproof.validate.verdict as j; j.Part.reasons = []",
    "patches-outcome": "from kubeproof.verdict.result import Outcome; Outcome.VIOLATED._value_ = 'holds'",
    "patches-engine": "import kubeproof.engines.table as t; t.ENGINES.clear()",
    "patches-guard": "import kubeproof.fix.guarded as g; g.guarded = lambda field, rule, returns: rule",
    "patches-property": "import properties.node_listing as p; p.PROPERTIES = ()",
    "patches-other-rule": "import model.scheduler.cache.node_tree as t; t.add_node = None",
    "patches-releases": "import model.releases as r; r.ROWS = ()",
}
# They may come to the limit of memory.
THREADS = ("thread", "daemon-thread")

# What ends or stops a file.
FATAL = {
    "no-path": "import sys; sys.path.clear(); import html.parser",
    "raises": "raise ValueError('no')",
    "raises-base": "raise BaseException('no')",
    "raises-own": "class E(BaseException): pass\nraise E('no')",
    "raises-without-text": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
    "raises-lines": "raise ValueError('a\\nb\\r\\x1b[31m')",
    "raises-long": "raise ValueError('x' * 10_000_000)",
    "raises-group": "raise ExceptionGroup('many', [ValueError('a'), KeyError('b')])",
    "system-exit": "raise SystemExit",
    "system-exit-0": "raise SystemExit(0)",
    "system-exit-text": "raise SystemExit('bye')",
    "sys-exit": "import sys; sys.exit(0)",
    "interrupt": "raise KeyboardInterrupt",
    "generator-exit": "raise GeneratorExit",
    "stop-iteration": "raise StopIteration",
    "memory-error": "raise MemoryError",
    "rule-error": "from kubeproof.errors import RuleError\nraise RuleError('no')",
    "input-error": "from kubeproof.errors import InputError\nraise InputError('no')",
    "asserts": "assert False",
    "import-of-nothing": "import nowhere_at_all",
    "recursion": "def f(): return f()\nf()",
    "endless-recursion": "import sys; sys.setrecursionlimit(10**9)\ndef f(n): return repr(f(n))\nf(1)",
    "os-exit-0": "import os; os._exit(0)",
    "os-exit-3": "import os; os._exit(3)",
    "aborts": "import os; os.abort()",
    "kills-itself": "import os; os.kill(os.getpid(), 9)",
    "terminates-itself": "import os, signal; signal.signal(15, signal.SIG_DFL); os.kill(os.getpid(), 15)",
    "segfault": "import ctypes; ctypes.string_at(0)",
    "much-memory": "x = bytearray(1 << 40)",
    "more-memory": "x = []\nwhile True: x.append(bytearray(1 << 26))",
    "executes-another": "import os; os.execv('/bin/true', ['true'])",
    "closes-files": "import os; os.closerange(0, 200)",
    "writes-to-files": "import os\nfor fd in range(3, 40):\n    try: os.write(fd, b'x' * 64)\n    except OSError: pass",
    "own-pipe": (
        "import gc\nfrom kubeproof.fix.wire import Pipe\n"
        "for c in gc.get_objects():\n    if isinstance(c, Pipe): c.send(b'[1,\"loaded\",[[],null,[]]]')"
    ),
    "sends-accepted": (
        "import gc\nfrom kubeproof.fix.wire import Pipe\n"
        "for c in gc.get_objects():\n    if isinstance(c, Pipe): c.send(b'\"accepted\"')"
    ),
    "no-builtins": "import builtins; vars(builtins).clear()",
    "alarm": "import signal, time; signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(900)",
}

# What never comes to an end. Each takes the time limit.
ENDLESS = {
    "loops": "while True: pass",
    "sleeps": "import time; time.sleep(900)",
    "swallows": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "waits": "import threading; threading.Lock().acquire(); l = threading.Lock(); l.acquire(); l.acquire()",
    "stops": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "reads": "import os; r, w = os.pipe(); os.read(r, 1)",
    "one-long-step": "10 ** (10 ** 10)",
}

# What list_nodes(tree) does in place of a right answer: the body of the function.
ANSWERS = {
    "nothing": "pass",
    "none": "return None",
    "a-list": "return list(good(tree))",
    "names-in-a-list": "names, tree = good(tree); return list(names), tree",
    "names-in-a-generator": "names, tree = good(tree); return (n for n in names), tree",
    "one": "return (good(tree)[0],)",
    "three": "return (*good(tree), None)",
    "no-tree": "return good(tree)[0], None",
    "a-number-in-names": "names, tree = good(tree); return (*names, 1), tree",
    "bytes": "names, tree = good(tree); return tuple(n.encode() for n in names), tree",
    "own-str": "class S(str): pass\nnames, tree = good(tree)\nreturn tuple(map(S, names)), tree",
    "own-tuple": "class T(tuple): pass\nnames, tree = good(tree)\nreturn T(names), tree",
    "named-tuple": (
        "from collections import namedtuple\nnames, tree = good(tree)\nreturn namedtuple('P', 'a b')(names, tree)"
    ),
    "own-tree": "class N(NodeTree): pass\nnames, tree = good(tree)\nreturn names, N(tree.zones, tree.tree)",
    "list-in-tree": "names, tree = good(tree); return names, evolve(tree, zones=list(tree.zones))",
    "list-in-array": (
        "names, tree = good(tree)\nreturn names, evolve(tree, tree=tuple(NodeArray(list(a.nodes)) for a in tree.tree))"
    ),
    "set-in-tree": "names, tree = good(tree); return names, evolve(tree, tree=set(tree.tree))",
    "dict-in-tree": "names, tree = good(tree); return names, evolve(tree, tree={z: 1 for z in tree.zones})",
    "float-cursor": "names, tree = good(tree); return names, evolve(tree, zone_index=0.5)",
    "bool-cursor": "names, tree = good(tree); return names, evolve(tree, zone_index=True)",
    "none-in-tree": "names, tree = good(tree); return names, evolve(tree, tree=None)",
    "deleted-field": "names, tree = good(tree); object.__delattr__(tree, 'tree'); return names, tree",
    "big-cursor": "names, tree = good(tree); return names, evolve(tree, zone_index=10**6)",
    "negative-cursor": "names, tree = good(tree); return names, evolve(tree, zone_index=-7)",
    "more-zones-than-arrays": "names, tree = good(tree); return names, evolve(tree, zones=(*tree.zones, 'z9'))",
    "fewer-arrays": "names, tree = good(tree); return names, evolve(tree, tree=())",
    "unknown-node": "names, tree = good(tree); return (*names, 'n99'), tree",
    "empty-name": "names, tree = good(tree); return (*names, ''), tree",
    "surrogate": "names, tree = good(tree); return (*names, '\\ud800'), tree",
    "control-characters": "names, tree = good(tree); return (*names, '\\x1b[31m\\n'), tree",
    "markup": "names, tree = good(tree); return (*names, '[bold]x[/nope]'), tree",
    "twice": "names, tree = good(tree); return names * 2, tree",
    "very-long-name": "names, tree = good(tree); return (*names, 'x' * 1_000_000), tree",
    "very-much": "names, tree = good(tree); return (*names, 'x' * 100_000_000), tree",
    "itself": "l = []; l.append(l); return (l,), tree",
    "a-function": "return (lambda: 1), tree",
    "a-function-in-tree": "names, tree = good(tree); return names, evolve(tree, zones=(lambda: 1,))",
    "a-model-function": "from model.scheduler.cache.node_tree import add_node; return (add_node,), tree",
    "a-module": "import os; return (os,), tree",
    "an-exception": "return ValueError('no'), tree",
    "a-generator": "yield 1",
    "a-reduce": "class R:\n    def __reduce__(self): import os; return os._exit, (0,)\nreturn (R(),), tree",
    "evil-equality": "class Q:\n    def __eq__(self, other): raise SystemExit\nreturn (Q(),), tree",
    "evil-repr": "class Q:\n    def __repr__(self): raise SystemExit\nreturn (Q(),), tree",
    "changes-argument": "object.__setattr__(tree, 'num_nodes', tree.num_nodes + 1); return good(tree)",
    "empties-argument": "object.__setattr__(tree, 'tree', ()); object.__setattr__(tree, 'zones', ()); return (), tree",
    "random": "import random; names, tree = good(tree); return tuple(random.sample(names, len(names))) * 3, tree",
    "time": "import time; names, tree = good(tree); return (*names, str(time.perf_counter())), tree",
    "identity": "names, tree = good(tree); return (*names, str(id(object()) + id([]))), tree",
    "pid": "import os; names, tree = good(tree); return (*names, str(os.getpid())), tree",
    "hash-order": "names, tree = good(tree); return tuple({*names, 'a', 'b', 'c', 'd', 'e'}), tree",
    "hash": "names, tree = good(tree); return (*names, str(hash('a'))), tree",
    "counts-calls": "global n; n = globals().get('n', 0) + 1; names, tree = good(tree); return names[n % 2:], tree",
    "remembers-first": "global m; m = globals().get('m') or good(tree)[0]; return m + ('x',), good(tree)[1]",
}  # fmt: skip

FILES = {
    "empty": "",
    "no-text": "\ufeff",
    "not-python": "func list_nodes(tree) {",
    "deep": "x = " + "(" * 5000 + ")" * 5000,
    "deep-minus": "x = " + "-" * 100_000 + "1",
    "null": "\0",
    "rule-is-number": "list_nodes = 1",
    "rule-is-class": "class list_nodes: pass",
    "rule-is-generator": "def list_nodes(tree): yield tree",
    "rule-is-async": "async def list_nodes(tree): return (), tree",
    "rule-is-builtin": "list_nodes = len",
    "rule-is-partial": "from functools import partial\nlist_nodes = partial(lambda a, tree: a, 1)",
    "rule-has-no-name": "class C:\n    def __call__(self, tree): return None\nlist_nodes = C()",
    "rule-lies": "class C:\n    def __call__(self, tree): return None\n    def __getattr__(self, n): raise SystemExit\nlist_nodes = C()",
    "rule-name-is-number": "class C:\n    __name__ = 1\n    def __call__(self, tree): return None\nlist_nodes = C()",
    "rule-says-it-is-built-in": (
        "def list_nodes(tree): return None\nlist_nodes.__name__ = 'list_stateless'\nlist_nodes.__module__ = 'model.scheduler.cache.x'"
    ),
    "wrong-arity": "def list_nodes(): return ()",
    "wrong-arity-2": "def list_nodes(a, b): return ()",
    "keyword-only": "def list_nodes(*, tree): return (), tree",
    "signature-lies": "def list_nodes(): return ()\nlist_nodes.__signature__ = 1",
    "other-rules-each-time": (
        "import os\nif os.getpid() % 2:\n    def list_nodes(tree): return None\nelse:\n    def add_node(tree, node, zone): return None"
    ),
    "unknown-cures": "CURES = 'NOTHING'\ndef list_nodes(tree): return None",
    "evil-cures": "class C:\n    def __repr__(self): raise SystemExit\nCURES = C()\ndef list_nodes(tree): return None",
    "module-getattr": "def __getattr__(name): raise SystemExit\ndef list_nodes(tree): return None",
    "evil-form": "def list_nodes(tree): return None\ndef list_nodes_smt(tree): import os; os._exit(0)",
}  # fmt: skip

OTHERS = {
    "scheduling": {
        "call-arity": "from model.scheduler.calls import Call\ndef skip_pod_schedule(pod): return (Call('queue', 'add'),)",
        "call-unknown": "from model.scheduler.calls import Call\ndef skip_pod_schedule(pod): return (Call('queue', 'x'),)",
        "call-of-lists": "from model.scheduler.calls import Call\ndef skip_pod_schedule(pod): return [Call('queue', 'add', [pod])]",
        "call-of-numbers": "from model.scheduler.calls import Call\ndef skip_pod_schedule(pod): return (Call('cycle', 'schedule_pod', (1, 2, 3)),)",
        "queue-name": "def queue_for_failed_pod(queue, info, cycle): return 'nowhere'",
        "prefers-nobody": "def prefer(nominated, feasible): return ('n99',)",
        "prefers-nothing": "def prefer(nominated, feasible): return ()",
        "head-99": "def active_q_heads(active): return (99,)",
        "backoff-of-text": "def backoff_time(setup, queue, info): return 'soon'",
        "calls-what-it-is-given-later": (
            "kept = []\ndef nominator_add(nominator, pod, node, lister):\n    kept.append(lister)\n"
            "    if lister: [each('p1') for each in kept if each]\n    return nominator"
        ),
        "calls-what-it-is-given-wrongly": (
            "def nominator_add(nominator, pod, node, lister):\n    lister and lister(1, 2, 3)\n    return nominator"
        ),
    },
    "cpu-manager": {
        "no-such-cpu": (
            "from model.cpu.policy.types import Change\nfrom attrs import evolve\n"
            "def validate_state(policy, state):\n    s = evolve(state, default=frozenset({99}))\n    return Change(s, stores=(s,))"
        ),
        "cpu-is-text": (
            "from model.cpu.policy.types import Change\nfrom attrs import evolve\n"
            "def validate_state(policy, state):\n    s = evolve(state, default=frozenset({'a'}))\n    return Change(s, stores=(s,))"
        ),
        "takes-what-is-not": "def take_by_topology(topo, available, num_cpus, strategy='packed'): return frozenset({1.5})",
        "error-is-text": "def smt_alignment_error(policy, state, num_cpus): return 'no'",
        "pods-of-nothing": "def active_pods(pods): return (None,)",
        "containers": "def initial_containers(containers): return ((),)",
    },
}  # fmt: skip


def corpus() -> Iterator[Stranger]:
    """All files."""
    of_good = f"{GOOD}def list_nodes(tree):\n"
    for name, deed in HARMLESS.items():
        yield Stranger(f"{name}-at-import", f"{deed}\n{of_good}    return good(tree)\n", ("right",))
        ends: tuple[End, ...] = ("right", "refused") if name in THREADS else ("right",)
        yield Stranger(f"{name}-in-rule", f"{of_good}{indent(deed, '    ')}\n    return good(tree)\n", ends)
    for name, deed in {**FATAL, **ENDLESS}.items():
        yield Stranger(f"{name}-at-import", f"{deed}\n{of_good}    return good(tree)\n", ("line",))
        yield Stranger(f"{name}-in-rule", f"{of_good}{indent(deed, '    ')}\n    return good(tree)\n", ("refused",))
    for name, body in ANSWERS.items():
        ends = ("refused", "judged") if name.endswith("-cursor") else ("refused",)
        yield Stranger(f"answers-{name}", f"{of_good}{indent(body, '    ')}\n", ends)
    for name, text in FILES.items():
        yield Stranger(f"file-{name}", text, ("line", "refused"))
    for system, files in OTHERS.items():
        for name, text in files.items():
            yield Stranger(f"{system}-{name}", f"{text}\n", ("refused", "judged", "line"), system)
