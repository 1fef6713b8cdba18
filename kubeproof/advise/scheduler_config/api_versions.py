"""The versions of KubeSchedulerConfiguration, the releases that take them, and the fields that each of them has.

Go: `AddToScheme` in pkg/scheduler/apis/config/scheme/scheme.go, and the types in
staging/src/k8s.io/kube-scheduler/config/VERSION/types.go, read of every patch release at hand of 1.13 to
1.36; within a minor they do not differ.
"""

from typing import Literal

from attrs import frozen

GROUP = "kubescheduler.config.k8s.io"
KIND = "KubeSchedulerConfiguration"
Version = Literal["v1alpha1", "v1alpha2", "v1beta1", "v1beta2", "v1beta3", "v1"]
# Version -> the first and the last minor that takes it. 36 is the last one that is known here.
MINORS: dict[Version, tuple[int, int]] = {
    "v1alpha1": (13, 18),
    "v1alpha2": (18, 18),
    "v1beta1": (19, 22),
    "v1beta2": (22, 27),
    "v1beta3": (23, 28),
    "v1": (25, 36),
}
# The last minor that takes a Policy (pkg/scheduler/apis/config/v1 of 1.17; #105424 removes it).
LAST_WITH_POLICY = 22

# "number" is int64 in Go, or int, which is as long there; "number32" is int32.
Scalar = Literal[
    "string", "flag", "number", "number32", "decimal", "duration", "nanoseconds", "anything", "strings"
]  # fmt: skip


@frozen
class ListOf:
    """A list of mappings of this form."""

    form: "Form"


@frozen
class Field:
    """A field: what it has, and in which minors."""

    shape: "Scalar | ListOf | Form"
    since: int = 13
    until: int = 99


Form = dict[str, Field]


def of(shape: Scalar, *names: str) -> Form:
    return {name: Field(shape) for name in names}


def accepted(minor: int) -> tuple[Version, ...]:
    """The versions that a minor takes, the preferred one first."""
    return tuple(version for version, (first, last) in reversed(MINORS.items()) if first <= minor <= last)


_PLUGIN: Form = of("string", "name") | of("number32", "weight")
_PLUGIN_SET: Form = {"enabled": Field(ListOf(_PLUGIN)), "disabled": Field(ListOf(_PLUGIN))}
_PLUGIN_CONFIG: Form = of("string", "name") | of("anything", "args")
_TLS: Form = of("flag", "insecure") | of(
    "string", "serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData"
)  # fmt: skip
_RESOURCE: Form = of("string", "name") | of("flag", "ignoredByScheduler")


def _extender(https: str, timeout: Scalar) -> Form:
    return {
        **of("string", "urlPrefix", "filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb"),
        **of("number", "weight"),
        **of("flag", https, "nodeCacheCapable", "ignorable"),
        **of(timeout, "httpTimeout"),
        "tlsConfig": Field(_TLS),
        "managedResources": Field(ListOf(_RESOURCE)),
    }


# Of a Policy and of v1alpha2, where the timeout is a whole number of nanoseconds.
LEGACY_EXTENDER = _extender("enableHttps", "nanoseconds")
EXTENDER = _extender("enableHTTPS", "duration")

_CLIENT: Form = {
    **of("string", "kubeconfig", "acceptContentTypes", "contentType"),
    **of("decimal", "qps"),
    **of("number32", "burst"),
}
_ELECTION: Form = {
    **of("flag", "leaderElect"),
    **of("duration", "leaseDuration", "renewDeadline", "retryPeriod"),
    **of("string", "resourceLock", "resourceName", "resourceNamespace"),
}
_BIND_ADDRESSES: Form = of("string", "healthzBindAddress", "metricsBindAddress")
_COMMON: Form = {
    **of("string", "apiVersion", "kind"),
    **of("flag", "enableProfiling", "enableContentionProfiling"),
    **of("number32", "percentageOfNodesToScore"),
    "podInitialBackoffSeconds": Field("number", 17),
    "podMaxBackoffSeconds": Field("number", 17),
    "clientConnection": Field(_CLIENT),
    "leaderElection": Field(_ELECTION),
}


def _points(version: Version) -> Form:
    """The extension points under `plugins`."""
    named = ["queueSort", "preFilter", "filter", "score", "reserve", "permit", "preBind", "bind", "postBind"]
    found = {name: Field(_PLUGIN_SET) for name in named}
    if version == "v1alpha1":
        found |= {"postFilter": Field(_PLUGIN_SET), "normalizeScore": Field(_PLUGIN_SET, until=15)}
    else:
        found["preScore"] = Field(_PLUGIN_SET)
    if version in ("v1alpha1", "v1alpha2"):
        found["unreserve"] = Field(_PLUGIN_SET)
    else:
        found["postFilter"] = Field(_PLUGIN_SET)
        found |= {"multiPoint": Field(_PLUGIN_SET, 23), "preEnqueue": Field(_PLUGIN_SET, 26)}
        found |= {"placementGenerate": Field(_PLUGIN_SET, 36), "placementScore": Field(_PLUGIN_SET, 36)}
    return found


def _profile(version: Version) -> Form:
    found: Form = {
        **of("string", "schedulerName"),
        "plugins": Field(_points(version)),
        "pluginConfig": Field(ListOf(_PLUGIN_CONFIG)),
    }
    if version == "v1":
        found["percentageOfNodesToScore"] = Field("number32", 26)
    return found


_POLICY_SOURCE: Form = {
    "file": Field(of("string", "path")),
    "configMap": Field(of("string", "namespace", "name")),
}


def configuration_form(version: Version) -> Form:
    """The fields of a KubeSchedulerConfiguration of this version."""
    if version == "v1alpha1":
        return {
            **_COMMON,
            **_BIND_ADDRESSES,
            **of("string", "schedulerName"),
            **of("number32", "hardPodAffinitySymmetricWeight"),
            **of("number", "bindTimeoutSeconds"),
            **of("flag", "disablePreemption"),
            "failureDomains": Field("string", until=14),
            "leaderElection": Field(_ELECTION | of("string", "lockObjectNamespace", "lockObjectName")),
            "algorithmSource": Field({"policy": Field(_POLICY_SOURCE), "provider": Field("string")}),
            "plugins": Field(_points(version), 15),
            "pluginConfig": Field(ListOf(_PLUGIN_CONFIG), 15),
        }
    found: Form = {
        **_COMMON,
        "profiles": Field(ListOf(_profile(version))),
        "extenders": Field(ListOf(LEGACY_EXTENDER if version == "v1alpha2" else EXTENDER)),
    }
    if version in ("v1alpha2", "v1beta1", "v1beta2"):
        found |= _BIND_ADDRESSES
    if version == "v1alpha2":
        return found | of("flag", "disablePreemption") | of("number", "bindTimeoutSeconds")
    found["parallelism"] = Field("number32", 20)
    if version == "v1":
        found["delayCacheUntilActive"] = Field("flag", 28)
    return found


_SHAPE: Form = of("number", "utilization", "score")
_RESOURCE_SPEC: Form = of("string", "name") | of("number", "weight")
POLICY_FORM: Form = {
    **of("string", "apiVersion", "kind"),
    **of("flag", "alwaysCheckAllPredicates"),
    **of("number", "hardPodAffinitySymmetricWeight"),
    "extenders": Field(ListOf(LEGACY_EXTENDER)),
    "predicates": Field(
        ListOf({
            **of("string", "name"),
            "argument": Field({
                "serviceAffinity": Field(of("strings", "labels")),
                "labelsPresence": Field(of("strings", "labels") | of("flag", "presence")),
            }),
        })
    ),
    "priorities": Field(
        ListOf({
            **of("string", "name"),
            **of("number", "weight"),
            "argument": Field({
                "serviceAntiAffinity": Field(of("string", "label")),
                "labelPreference": Field(of("string", "label") | of("flag", "presence")),
                "requestedToCapacityRatioArguments": Field({
                    "shape": Field(ListOf(_SHAPE)),
                    "resources": Field(ListOf(_RESOURCE_SPEC)),
                }),
            }),
        })
    ),
}  # fmt: skip
