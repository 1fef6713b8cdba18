"""Reads what Prometheus answers to `query_range`: one dump for each time. Raises InputError only.

API: https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.scheduler_memory.exposition import BINDING, USED, Samples
from kubeproof.advise.scheduler_memory.figures import FIGURES
from kubeproof.advise.scheduler_memory.picture import Dump
from kubeproof.errors import InputError
from kubeproof.input.documents import value_text
from kubeproof.visible import shortened

SELECTOR = '{job="kube-scheduler",__name__=~"(process|go|scheduler)_.*|kubernetes_(build_info|feature_enabled)"}'
EXPECTED = f"Prometheus' answer to query_range of {SELECTOR}"
# The labels by which Prometheus tells one process from another.
IDENTITY = ("job", "namespace", "pod", "instance")
# Times in an answer of Prometheus, whose own limit is 11,000.
TIMES = 11_000
_NEEDED = {figure.metric for figure in FIGURES if figure.needed}


def is_answer(document: dict[str, Any]) -> bool:
    """Whether a JSON document is an answer of Prometheus, of whatever kind."""
    return "status" in document and "kind" not in document and ("data" in document or "error" in document)


def read_query(document: dict[str, Any], name: str) -> tuple[Dump, ...]:
    """A dump for each time at which all that is needed is known. Errors begin with `name`."""
    top = Fields(document, name, "")
    if top.text("status") != "success":
        raise InputError(f"{name}: error: {shortened(top.text('error') or 'no success', 200)}: expected {EXPECTED}")
    data = top.map("data")
    if data.text("resultType") != "matrix":
        raise InputError(f"{name}: data.resultType: not a matrix, but {value_text(data.value.get('resultType'))}: "
                         f"expected {EXPECTED}")  # fmt: skip
    at_time: dict[float, Samples] = {}
    known: set[tuple[str, ...]] = set()
    for series in data.maps("result"):
        _series(series, at_time, known)
    needed = sorted(_NEEDED)
    whole = [at for at, samples in sorted(at_time.items()) if all((metric in samples.seen) for metric in needed)]
    if not whole:
        missing = next((m for m in needed if not any(m in each.seen for each in at_time.values())), ", ".join(needed))
        raise InputError(f"{name}: {missing}: not there at any time: expected {EXPECTED}")
    dumps: list[Dump] = []
    with_binding = any(BINDING in samples.sums for samples in at_time.values())
    for at in whole:
        if with_binding:
            at_time[at].sums.setdefault(BINDING, 0.0)
        dump = at_time[at].dump(datetime.fromtimestamp(at, UTC))
        # Prometheus repeats what it scraped last where the step is shorter than the time between scrapes.
        if not dumps or (dumps[-1].figures, dumps[-1].in_flight) != (dump.figures, dump.in_flight):
            dumps.append(dump)
    return tuple(dumps)


def _series(series: Fields, at_time: dict[float, Samples], known: set[tuple[str, ...]]) -> None:
    """Takes one series of the answer."""
    labels = series.texts("metric")
    metric = labels.get("__name__", "")
    if not metric:
        raise InputError(f"{series.file}: {series.place}.metric.__name__: missing: expected {EXPECTED}")
    if metric not in USED:
        return
    known.add(tuple(labels.get(label, "") for label in IDENTITY))
    if len(known) > 1:
        one, two = (" ".join(filter(None, each)) or "no instance" for each in sorted(known))
        schedulers = f"series of two processes, {shortened(one)} and {shortened(two)}"
        raise InputError(f"{series.file}: {series.place}: {schedulers}: expected one scheduler: name its instance")
    for at, value in _values(series):
        if at not in at_time:
            if len(at_time) >= TIMES:
                raise InputError(f"{series.file}: {series.place}: more than {TIMES} times: expected a longer step")
            shown = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            at_time[at] = Samples(f"{series.file} at {shown}")
        at_time[at].take(metric, labels, value)


def _values(series: Fields) -> Iterator[tuple[float, float]]:
    """The times and values of a series, as `[1705050000, "1.5"]`."""
    found = series.value.get("values")
    if not isinstance(found, list):
        raise series.refuse("values", "a list", found)
    for number, pair in enumerate(found):
        try:
            at, text = pair
            if isinstance(at, bool) or not isinstance(at, int | float) or not isinstance(text, str) or len(text) > 40:
                raise ValueError
            value = float(text)
        except (TypeError, ValueError):
            place = f"{series.file}: {series.place}.values[{number}]"
            raise InputError(f'{place}: expected a time and a value, such as [1705050000, "1.5"]') from None
        if not 0 < at < 1e11:
            raise InputError(f"{series.file}: {series.place}.values[{number}]: not a time: expected seconds since 1970")
        yield float(at), value
