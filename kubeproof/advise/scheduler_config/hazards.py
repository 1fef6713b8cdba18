"""What may go wrong with a configuration, each hazard with a run of the model for this very configuration.

A hazard that the release's default configuration has too is told apart: nobody who writes a file brings it.
"""

from attrs import evolve

from kubeproof.advise.scheduler_config.api_versions import accepted
from kubeproof.advise.scheduler_config.configuration import Configuration
from kubeproof.advise.scheduler_config.extender_hazards import extender_hazards
from kubeproof.advise.scheduler_config.hazard import Hazard
from kubeproof.advise.scheduler_config.panics import panics
from kubeproof.advise.scheduler_config.plugin_hazards import plugin_hazards
from kubeproof.advise.scheduler_config.profiles import MergedProfile, merged_profiles
from kubeproof.advise.scheduler_config.runs import Scheduler
from kubeproof.advise.scheduler_config.score_hazards import score_hazards
from model.releases import Release

__all__ = ["Hazard", "found_hazards", "preempts"]


def preempts(configuration: Configuration, profile: MergedProfile, minor: int) -> bool:
    """Whether a pod of this profile that does not fit preempts others."""
    if minor >= 19:
        return "DefaultPreemption" in profile.at("postFilter")
    return not configuration.disable_preemption


def found_hazards(
    configuration: Configuration, profiles: tuple[MergedProfile, ...], release: Release
) -> tuple[Hazard, ...]:
    """All hazards. One that several profiles share is there once, with the run of the first."""
    usual = Configuration("", accepted(release.minor)[0], gates=configuration.gates)
    known = {(each.kind, each.about) for each in _found(usual, merged_profiles(usual, release), release)}
    found = _found(configuration, profiles, release)
    return tuple(evolve(each, default_too=(each.kind, each.about) in known) for each in found)


def _found(configuration: Configuration, profiles: tuple[MergedProfile, ...], release: Release) -> tuple[Hazard, ...]:
    found: dict[tuple[str, str], Hazard] = {}
    for profile in profiles:
        scheduler = Scheduler(configuration, profile, release, preempts(configuration, profile, release.minor))
        for hazard in (
            *panics(scheduler),
            *extender_hazards(scheduler),
            *plugin_hazards(scheduler),
            *score_hazards(scheduler),
        ):
            key = hazard.kind, hazard.about
            before = found.setdefault(key, hazard)
            if before is not hazard:
                found[key] = evolve(before, profiles=(*before.profiles, profile.name))
    return tuple(found.values())
