"""What releases do differently with an assumed pod once it is bound or not. Touches nothing but its arguments.

Go: `FinishBinding`, `ForgetPod` in pkg/scheduler/internal/cache/cache.go. Each function here runs with
`schedulerCache.mu` held.
"""

from model.objects import Pod
from model.scheduler.cache.pods import forget_pod_state
from model.scheduler.cache.state import OK, Cache, CacheRules, Outcome, PodState, Result, find_pod_state, put_pod_state

# --- FinishBinding


def mark_with_deadline(rules: CacheRules, cache: Cache, state: PodState, now: int) -> Cache:
    """The assumed pod's binding is finished: from `now` on the pod may expire (`FinishBinding`, to 1.35)."""
    deadline = rules.binding_deadline(now, rules.assumed_pod_ttl())
    return put_pod_state(cache, PodState(state.key, state.pod, True, True, deadline))


def no_mark(rules: CacheRules, cache: Cache, state: PodState, now: int) -> Cache:
    """Nobody tells the cache: 1.36 has no FinishBinding, since no assumed pod expires from 1.25 on."""
    return cache


# --- ForgetPod


def forget_only_assumed(rules: CacheRules, cache: Cache, pod: Pod) -> Result:
    """A pod that the cache does not know is an error (`ForgetPod`, to 1.34)."""
    state = find_pod_state(cache, pod.uid)
    return _not_assumed(rules, pod, cache) if state is None else _forget_known(rules, cache, state, pod)


def forget_unless_gone(rules: CacheRules, cache: Cache, pod: Pod) -> Result:
    """A pod that the cache does not know is forgotten already (`ForgetPod`; 1.35).

    From 1.35 on the handler of pods forgets an assumed pod that is deleted, before its binding fails.
    """
    state = find_pod_state(cache, pod.uid)
    return (OK, cache) if state is None else _forget_known(rules, cache, state, pod)


def _forget_known(rules: CacheRules, cache: Cache, state: PodState, pod: Pod) -> Result:
    if state.pod.node_name != pod.node_name:
        text = rules.cached_pod_text(pod)
        return Outcome(f"pod {text} was assumed on {pod.node_name} but assigned to {state.pod.node_name}"), cache
    return forget_pod_state(rules, cache, state, pod) if state.assumed else _not_assumed(rules, pod, cache)


def _not_assumed(rules: CacheRules, pod: Pod, cache: Cache) -> Result:
    return Outcome(f"pod {rules.cached_pod_text(pod)} wasn't assumed so cannot be forgotten"), cache
