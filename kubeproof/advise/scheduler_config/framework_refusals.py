"""What the framework says when kube-scheduler makes its profiles, after the validation.

Go: `NewFramework`, `updatePluginList`, `expandMultiPointPlugins` in pkg/scheduler/framework/runtime/framework.go (1.18:
framework/v1alpha1), `NewMap` in pkg/scheduler/profile/profile.go, read of every patch release at hand of 1.18 to 1.31.
"""

from collections.abc import Iterator

from kubeproof.advise.scheduler_config.configuration import Configuration
from kubeproof.advise.scheduler_config.plugins import LOOKED_FOR, acts_at, ever_in_tree, meant
from kubeproof.advise.scheduler_config.policies import twice_mend
from kubeproof.advise.scheduler_config.profiles import MULTI_POINT, MergedProfile
from kubeproof.advise.scheduler_config.refusal import Refusal
from model.go.formats import quote
from model.scheduler.framework.plugin_sets import PluginSet


def framework_refusals(
    configuration: Configuration, profiles: tuple[MergedProfile, ...], minor: int
) -> Iterator[Refusal]:
    """What `NewMap` finds, profile by profile.

    A plugin that no release's registry has is refused only if the image is known to be that of Kubernetes.
    """
    if minor < 18:
        return
    first_sort = ""
    for given, profile in zip(configuration.profiles, profiles, strict=True):
        configured = [name for name, _ in given.args]
        # Up to 1.21 what an extender has ignored comes as a second configuration.
        resources = [each for extender in configuration.extenders for each in extender.resources]
        if minor <= 21 and any(each.ignored_by_scheduler for each in resources):
            configured.append("NodeResourcesFit")
        twice = next((name for name in configured if configured.count(name) > 1), None)
        missing = {name for name in profile.unknown if configuration.upstream_image or ever_in_tree(name)}
        found = f"repeated config for plugin {twice}"
        if twice is None:
            found = _in_framework(profile, missing, minor)
        if found:
            start = "initializing profiles: creating profile for scheduler name"
            mend = "".join(meant(name, minor).strip(" ()") for name in sorted(missing)[:1])
            if configuration.policy is not None:
                mend = twice_mend(configuration.policy)
            yield Refusal(f"{start} {profile.name}: {found}", mend)
            return
        sort = next(iter(profile.at("queueSort")), "")
        first_sort = first_sort or sort
        if sort and sort != first_sort:
            text = f"different queue sort plugins for profile {quote(profile.name)}: {quote(sort)}"
            yield Refusal(f"initializing profiles: {text}, first: {quote(first_sort)}")
            return


def kind_of(point: str) -> str:
    """The Go interface of the plugins at a point."""
    return f"{point[0].upper()}{point[1:]}Plugin"


def _in_framework(profile: MergedProfile, missing: set[str], minor: int) -> str:
    for point in LOOKED_FOR:
        kind = kind_of(point)
        seen: set[str] = set()
        for name, _ in profile.merged.get(point, PluginSet()).enabled:
            if name in missing:
                return f"{kind} {quote(name)} does not exist"
            if name not in profile.unknown and point not in acts_at(name, minor):
                return f"plugin {quote(name)} does not extend {kind} plugin"
            if name in seen:
                return f"plugin {quote(name)} already registered as {quote(kind)}"
            seen.add(name)
    multi = profile.merged.get(MULTI_POINT, PluginSet()).names
    gone = next((name for name in multi if name in missing), None)
    if gone is not None:
        return f"{kind_of(LOOKED_FOR[0])} {quote(gone)} does not exist"
    for point in LOOKED_FOR:
        here = [name for name in multi if point in acts_at(name, minor) and name in profile.at(point)]
        twice = next((name for name in here if here.count(name) > 1), None)
        if twice is not None:
            return f"plugin {quote(twice)} already registered as {quote(kind_of(point))}"
    sorts, named = len(profile.at("queueSort")), quote(profile.name)
    # An unknown plugin under multiPoint may sort the queue, or bind.
    if sorts != 1 and not (sorts == 0 and profile.anywhere):
        if minor >= 25:
            return f"only one queue sort plugin required for profile with scheduler name {named}, but got {sorts}"
        if minor >= 23:
            return f"one queue sort plugin required for profile with scheduler name {named}"
        return "no queue sort plugin is enabled" if sorts == 0 else "only one queue sort plugin can be enabled"
    if not profile.at("bind") and not profile.anywhere:
        return "at least one bind plugin is needed" + (
            f" for profile with scheduler name {named}" if minor >= 25 else ""
        )  # fmt: skip
    return ""
