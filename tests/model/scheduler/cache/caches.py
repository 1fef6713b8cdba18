"""Pods and rules for the tests of the cache."""

from model.objects import Pod
from model.releases import known_release, rules_for
from model.scheduler.cache.state import CacheRules


def pod(uid: str, node: str = "n1", name: str = "", **fields: int) -> Pod:
    return Pod(name or uid, uid, node_name=node, cpu_milli=fields.pop("cpu_milli", 100), **fields)


def rules_of(release: str) -> CacheRules:
    return rules_for(CacheRules, known_release(release))
