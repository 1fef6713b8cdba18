"""What the files say of the schedulers themselves: evidence beside pods that nobody tries."""

from collections.abc import Iterator, Sequence

from attrs import Factory, define

from kubeproof.advise.pod_events.fields import Moment
from kubeproof.advise.pod_events.finding import Evidence, moment_text
from kubeproof.advise.pod_events.picture import Picture
from kubeproof.advise.pod_events.timeline import Timeline, new_leaders

# So many pods of schedulers are named.
SCHEDULERS = 3
IS_THERE = (
    "Is there a scheduler of this schedulerName, does it run, and does it lead? "
    "kubectl -n kube-system get pods,leases. Its log says whether it has heard of the pod."
)


@define
class Witnesses:
    """The schedulers, as far as the files tell of them."""

    picture: Picture
    # By name: when a scheduler was last seen to try a pod.
    seen: dict[str, Moment] = Factory(dict)

    @classmethod
    def of(cls, picture: Picture, lines: Sequence[Timeline]) -> "Witnesses":
        found = cls(picture)
        for line in lines:
            for event in line.attempts:
                if event.last is not None and event.by:
                    before = found.seen.get(event.by, event.last)
                    found.seen[event.by] = max(before, event.last, key=lambda moment: moment.at)
        return found

    def runs(self, scheduler: str, since: Moment | None) -> bool:
        """Whether a scheduler of this name has tried some pod after `since`."""
        seen = self.seen.get(scheduler)
        return seen is not None and since is not None and seen.later_than(since)

    def evidence(self, scheduler: str, since: Moment | None, group: Sequence[Timeline]) -> Iterator[Evidence]:
        """All that the files say of a scheduler that should have tried the pods of `group` after `since`."""
        if self.runs(scheduler, since):
            yield Evidence(moment_text(self.seen[scheduler]), "events", f"{scheduler} tried another pod meanwhile")
        yield from self._pods()
        yield from self._logs(group)
        yield from self._leaders()

    def _pods(self) -> Iterator[Evidence]:
        """How the pods of schedulers do, as far as they are given."""
        found = [pod for pod in self.picture.pods or () if pod.runs and pod.node]
        for pod in found[:SCHEDULERS]:
            yield Evidence(None, "now", f"{pod.full_name}: {pod.runs}")
        if len(found) > SCHEDULERS:
            yield Evidence(None, "now", f"and {len(found) - SCHEDULERS} more pods with scheduler in their name")

    def _logs(self, group: Sequence[Timeline]) -> Iterator[Evidence]:
        """What the logs say of the pods, and how many other pods were tried there."""
        for log in self.picture.logs:
            heard = sum(line.name in log.heard for line in group)
            text = f"it has heard of {heard} of these pods" if heard else "it does not name these pods as new"
            others = len(log.tried) - sum(line.name in log.tried for line in group)
            yield Evidence(moment_text(log.ends), f"log {log.file}", f"{text}, and has attempts of {others} other pods")

    def _leaders(self) -> Iterator[Evidence]:
        for moment in new_leaders(self.picture)[-1:]:
            yield Evidence(moment_text(moment), "LeaderElection", "a scheduler became leader")
        for log in self.picture.logs:
            for moment in log.lost[-1:]:
                yield Evidence(moment_text(moment), f"log {log.file}", "the scheduler lost its lease")
