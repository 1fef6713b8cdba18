"""What a file of the scheduler says, whatever its version: profiles, extenders, and a few numbers. Data alone."""

from typing import Any

from attrs import field, frozen

from model.scheduler.framework.plugin_sets import PluginSet


@frozen
class ProfileGiven:
    """A profile as it is written."""

    name: str
    points: dict[str, PluginSet] = field(factory=dict)
    # None: not set.
    percentage: int | None = None
    # (plugin, its arguments), in order.
    args: tuple[tuple[str, dict[str, object]], ...] = ()
    # (point, plugin) of the weights that are written as 0.
    zero_weights: tuple[tuple[str, str], ...] = ()


@frozen
class ManagedResource:
    """A resource that an extender manages."""

    name: str
    ignored_by_scheduler: bool = False


@frozen
class ExtenderGiven:
    """An extender as it is written."""

    url: str = ""
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    bind_verb: str = ""
    weight: int = 0
    # In nanoseconds; 0: not set.
    timeout: int = 0
    ignorable: bool = False
    node_cache_capable: bool = False
    resources: tuple[ManagedResource, ...] = ()


@frozen
class NamedGiven:
    """A predicate or a priority of a Policy."""

    name: str
    # Of a priority.
    weight: int = 0
    # The kinds of arguments that are given, such as "labelPreference"; None: no argument.
    arguments: tuple[str, ...] | None = None


@frozen
class PolicyGiven:
    """The predicates and priorities of a Policy."""

    # None: not set, and the defaults hold.
    predicates: tuple[NamedGiven, ...] | None = None
    priorities: tuple[NamedGiven, ...] | None = None
    # hardPodAffinitySymmetricWeight; 0: not set.
    hard_affinity: int = 0


@frozen
class Configuration:
    """A KubeSchedulerConfiguration or a Policy."""

    # The name of the file, and the place of the document in it.
    file: str
    # Such as v1beta3; "Policy" of a Policy; "" if no file says anything.
    version: str
    profiles: tuple[ProfileGiven, ...] = (ProfileGiven("default-scheduler"),)
    extenders: tuple[ExtenderGiven, ...] = ()
    # None: not set.
    percentage: int | None = None
    parallelism: int | None = None
    initial_backoff: int | None = None
    max_backoff: int | None = None
    # v1alpha1 and v1alpha2.
    disable_preemption: bool = False
    policy: PolicyGiven | None = None
    # algorithmSource.provider, or --algorithm-provider.
    provider: str = ""
    # The gates that --feature-gates sets.
    gates: dict[str, bool] = field(factory=dict)
    # Whether the image is that of Kubernetes, which has no plugins but those of the tree.
    upstream_image: bool = False
    # Where algorithmSource says that a Policy is.
    policy_elsewhere: str = ""
    # The fields of the document, as they are written.
    top: dict[str, Any] = field(factory=dict)
