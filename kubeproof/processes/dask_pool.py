"""Tasks on a Dask cluster, behind the same `map` as in processes of this machine.

What a worker needs is in the task, as names and texts. A task whose worker ends, is silent or goes away is done again
by another one. Needs `distributed` (the extra `cluster`).
"""

import logging
import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, nullcontext, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from attrs import define, field

from kubeproof.errors import InputError, LostError
from kubeproof.processes.left_behind import temporary_folder
from kubeproof.processes.sources import made_of
from kubeproof.processes.tasks import Count, R, T, Told, Weigh
from kubeproof.processes.ties import kill_below
from kubeproof.processes.worker import ENDED

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local"
ATTEMPTS = 3  # how often a task is begun whose worker ends
SILENT = 300.0  # seconds, see `do`
_CONNECT = 10.0  # seconds
_FETCH = 60.0  # seconds in which a result comes that is there
_QUIET = logging.CRITICAL + 1
_LOOK = 2.0  # seconds between two looks at who does what
_EXPECTED = f"expected `{LOCAL}`, or the address of a Dask scheduler such as tcp://10.0.0.5:8786"


@define(eq=False)
class _Sent:
    """A task that the cluster has."""

    task: Any
    # Function and task, pickled.
    asked: bytes
    weight: float
    result: "Future[Any]" = field(factory=Future)
    attempts: int = 0


@contextmanager
def on_cluster(
    cluster: str, processors: int, told: Told | None, weigh: Weigh, grown: float, silent: float = SILENT
) -> Iterator["_Cluster"]:
    """See `side_by_side`. `cluster`: the address of a scheduler, or `local` for one of so many processes here.

    `silent`: see `do`. Raises InputError for an address where no scheduler is, and for a worker that was made from
    something else; LostError if the scheduler ends.
    """
    try:
        from distributed import Client
    except ModuleNotFoundError as missing:
        mend = "`pip install 'kubeproof[cluster]'` installs it"
        raise InputError(f"--dask {cluster}: {missing.name} is not installed: {mend}") from None
    # Dask tells of what is mended here, and in many lines.
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(_QUIET)
    with _local(processors) if cluster == LOCAL else nullcontext(cluster) as there:
        try:
            client = Client(there, timeout=_CONNECT, set_as_default=False, name="kubeproof")
        except (OSError, ValueError) as wrong:
            raise InputError(f"--dask {cluster}: no scheduler answers: {_line(wrong)}: {_EXPECTED}") from None
        made, ended = _Cluster(client, cluster, Count(told, weigh), weigh, grown, silent), Event()
        try:
            client.subscribe_topic(made.topic, made.hear)
            Thread(target=made.look, args=(ended,), daemon=True).start()
            yield made
        finally:
            ended.set()
            made.closed = True
            # The scheduler hears that nobody waits any more, and the workers end what they do.
            with suppress(Exception):
                client.close(timeout=_CONNECT)


@contextmanager
def _local(processors: int) -> Iterator[Any]:
    """A cluster of processes of this machine."""
    import dask
    from distributed import LocalCluster

    quiet = {"dashboard_address": "127.0.0.1:0", "silence_logs": _QUIET}
    with temporary_folder("dask") as folder, dask.config.set({"temporary-directory": str(folder)}):
        # The memory is that of the processes below the workers.
        cluster = LocalCluster(n_workers=processors, threads_per_worker=1, processes=True, memory_limit=0, **quiet)
        try:
            yield cluster
        except BaseException:
            for nanny in cluster.workers.values():
                kill_below(nanny.pid, itself=True)
            raise
        finally:
            cluster.close(timeout=_CONNECT)


class _Cluster:
    """A connection to a scheduler, and the tasks that it has."""

    def __init__(self, client: "Client", name: str, counted: Count, weigh: Weigh, grown: float, silent: float) -> None:
        self._client, self._name = client, name
        self._counted, self._weigh = counted, weigh
        # Where workers tell with which task they begin.
        self.topic = f"kubeproof-{uuid4().hex}"
        self._given = self.topic, made_of(), grown, silent
        # Then nobody waits for a result any more.
        self.closed = False
        # By Dask's name of a task: the task, and Dask's future, which keeps it alive there.
        self._there: dict[str, tuple[_Sent, Any]] = {}

    def __call__(self, function: Callable[[T], R], tasks: Iterable[T], /) -> Iterator[R]:
        sent = [_Sent(task, pickle.dumps((function, task)), self._weigh(task)) for task in tasks]
        self._counted.more(each.task for each in sent)
        for each in sorted(sent, key=lambda each: -each.weight):
            self._send(each)
        # Unlike a generator this goes on after an error: what is there can be had after the scheduler was lost.
        return map(Future.result, [each.result for each in sent])

    def _send(self, sent: _Sent) -> None:
        from kubeproof.processes.dask_worker import do

        sent.attempts += 1
        key = f"kubeproof-{uuid4().hex}"
        try:
            if self._client.status != "running":
                raise OSError
            # Dask begins the task of the highest priority first.
            future = self._client.submit(do, key, sent.asked, *self._given, key=key, priority=sent.weight, pure=False)
        except OSError:
            sent.result.set_exception(self._lost())
            return
        self._there[key] = sent, future
        future.add_done_callback(self._ended)

    def _ended(self, future: Any) -> None:
        """Called by Dask when a task has ended in whatever way, in the one thread that all connections share."""
        if self.closed:
            return None
        sent, _ = self._there.pop(future.key)
        try:
            kind, value = self._outcome(future)
            if kind == "done":
                done, value = pickle.loads(value)
                if not done:
                    raise value
            elif sent.attempts < ATTEMPTS:
                return self._send(sent)
            else:
                raise RuntimeError(f"{ENDED} ({ATTEMPTS} workers)")
            self._counted.begins(sent.task)  # of a short task this may not be heard yet
            self._counted.ends(sent.task)
        except BaseException as error:
            sent.result.set_exception(error)
        else:
            sent.result.set_result(value)
        return None

    def _outcome(self, future: Any) -> tuple[str, Any]:
        """What `do` returned. Raises InputError and LostError."""
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        try:
            # Of a connection that is closed meanwhile it would wait for ever. One that ends while it fetches says so.
            kind, value = future.result(timeout=_FETCH)
        except (CancelledError, TimeoutError, CommClosedError):
            raise self._lost() from None
        except KilledWorker:
            return "ended", None
        except Exception as error:
            expected = f"expected kubeproof {made_of()['kubeproof']} with the scheduler and on each worker"
            raise InputError(f"--dask {self._name}: {_line(error)}: {expected}") from None
        if kind == "other":
            raise InputError(f"--dask {self._name}: {_differing(value)}")
        return kind, value

    def _lost(self) -> LostError:
        return LostError(f"--dask {self._name}: the scheduler has ended, or nothing reaches it any more")

    def hear(self, event: tuple[float, Any]) -> None:
        """Called by Dask when a worker begins with a task."""
        there = self._there.get(event[1])
        if there is not None:
            self._counted.begins(there[0].task)

    def look(self, ended: Event) -> None:
        """See from time to time how many workers there are."""
        while not ended.wait(_LOOK):
            with suppress(Exception):  # the scheduler has ended, which who waits for a task hears
                self._counted.on(len(self._client.nthreads()))


def _differing(made: dict[str, str]) -> str:
    """How a worker that was made from `made` differs from this command."""
    name, own = next((name, own) for name, own in made_of().items() if made.get(name) != own)
    return f"a worker has {name} {made.get(name)} and not {own}: expected what this command has on each worker"


def _line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
