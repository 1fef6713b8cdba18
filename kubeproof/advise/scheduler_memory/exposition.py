"""Reads a dump of /metrics: prometheus-client parses, here is what the samples mean. Raises InputError only."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from math import inf, isfinite, nan

from attrs import Factory, define
from prometheus_client.parser import text_fd_to_metric_families

from kubeproof.advise.scheduler_memory.figures import BUILD, FEATURE, FIGURES, GATE, IN_FLIGHT, Figure
from kubeproof.advise.scheduler_memory.picture import Dump
from kubeproof.errors import InputError
from kubeproof.visible import shortened

MAX_BYTES = 8 * 1024 * 1024
LONGEST_LINE = 16 * 1024
# kubectl get --raw /metrics asks the API server for its own.
COMMAND = 'curl -sk -H "Authorization: Bearer $TOKEN" https://127.0.0.1:10259/metrics'
EXPECTED = f"a whole dump: {COMMAND}"
# Larger numbers are not those of a scheduler.
LARGEST = 1e18
# Metrics of every Go program and of every Kubernetes component.
SHARED = ("go_", "process_", "promhttp_", "kubernetes_", "rest_client_", "workqueue_", "hidden_metric", "registered_",
          "disabled_metric", "leader_election_", "cardinality_", "authentication_", "authorization_", "apiserver_",
          "aggregator_", "field_validation_", "watch_", "version_")  # fmt: skip

_BY_METRIC: dict[str, list[Figure]] = {}
for _figure in FIGURES:
    _BY_METRIC.setdefault(_figure.metric, []).append(_figure)
# client_golang writes no sample of this gauge before the first binding cycle: then it is 0.
BINDING = ("scheduler_goroutines", "binding")
# The metrics that are read at all.
USED = frozenset({*_BY_METRIC, IN_FLIGHT, BUILD, FEATURE})


@define
class Samples:
    """What the samples of one dump say so far. The fields are those of `Dump`."""

    name: str
    # By metric and figure: 1.33 has two metrics for one figure.
    sums: dict[tuple[str, str], float] = Factory(dict)
    in_flight: dict[str, float] = Factory(dict)
    version: str = ""
    gate: bool | None = None
    of_scheduler: bool = False
    # The first metric of another component.
    other: str = ""

    @property
    def seen(self) -> frozenset[str]:
        """The metrics of which there is a figure."""
        return frozenset(metric for metric, _ in self.sums)

    def take(self, metric: str, labels: Mapping[str, str], value: float) -> None:
        """One sample."""
        if metric == BUILD:
            self.version = labels.get("git_version", "")
        elif metric.startswith("scheduler_"):
            self.of_scheduler = True
        elif not self.other and not metric.startswith(SHARED):
            self.other = metric
        if metric == FEATURE and labels.get("name") == GATE:
            self.gate = _number(value, metric, self.name) == 1
        if metric == IN_FLIGHT:
            event = labels.get("event", "")
            self.in_flight[event] = self.in_flight.get(event, 0.0) + _number(value, metric, self.name)
        for figure in _BY_METRIC.get(metric, ()):
            if any(labels.get(label) != wanted for label, wanted in figure.label):
                continue
            key = metric, figure.name
            if figure.needed and key in self.sums:
                raise InputError(f"{self.name}: {metric} a second time: expected one dump in a file")
            self.sums[key] = self.sums.get(key, 0.0) + _number(value, metric, self.name)

    def dump(self, at: datetime | None) -> Dump:
        """The dump that the samples are. Raises InputError if they are not one of a scheduler, or not a whole one."""
        if not self.of_scheduler:
            found = f", but {shortened(self.other)}" if self.other else ""
            raise InputError(f"{self.name}: has no scheduler_ metric{found}: expected the /metrics of kube-scheduler")
        figures: dict[str, float] = {}
        metrics: dict[str, str] = {}
        for figure in FIGURES:
            value = self.sums.get((figure.metric, figure.name))
            if value is not None:
                figures.setdefault(figure.name, value)
                metrics.setdefault(figure.name, figure.metric)
            elif figure.needed:
                raise InputError(f"{self.name}: {figure.metric}: missing: expected {EXPECTED}")
        return Dump(self.name, at, figures, metrics, self.in_flight or None, self.version[:100], self.gate)


def read_dump(text: str, name: str, at: datetime | None) -> Dump:
    """The dump in `text`. Errors begin with `name`."""
    if len(text) > MAX_BYTES:
        raise InputError(f"{name}: larger than {MAX_BYTES >> 20} MiB: expected {EXPECTED}")
    if not text.endswith("\n"):
        line = text.count("\n") + 1
        raise InputError(f"{name}: line {line}: the file ends in the middle of a line: expected {EXPECTED}")
    samples, lines = Samples(name), _Lines(text, name)
    try:
        for family in text_fd_to_metric_families(lines):  # type: ignore[arg-type]
            for sample in family.samples:
                samples.take(sample.name, sample.labels, sample.value)
    except (ValueError, IndexError, OverflowError):
        raise InputError(f"{name}: line {lines.number}: not a sample of a metric: expected {EXPECTED}") from None
    samples.sums.setdefault(BINDING, 0.0)
    return samples.dump(at)


def _number(value: float, metric: str, name: str) -> float:
    number = float(value) if abs(value) <= LARGEST else inf if value > 0 else -inf if value < 0 else nan
    if not isfinite(number):
        raise InputError(f"{name}: {metric}: expected a number that a scheduler can have, found {number:.3g}")
    return number


class _Lines:
    """The lines of a text, as the parser wants a file, with the number of the last one that it took."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name, self.number = text, name, 0

    def __iter__(self) -> Iterator[str]:
        for line in self._text.split("\n"):
            self.number += 1
            if len(line) > LONGEST_LINE:
                raise InputError(f"{self._name}: line {self.number}: longer than {LONGEST_LINE}: expected {EXPECTED}")
            yield line
