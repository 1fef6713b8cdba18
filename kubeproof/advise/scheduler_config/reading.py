"""Reads what an operator gives the scheduler, each file recognised by its content. Raises InputError, one line."""

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import evolve, frozen

from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.scheduler_config.api_versions import (
    GROUP,
    KIND,
    LAST_WITH_POLICY,
    MINORS,
    POLICY_FORM,
    Version,
    configuration_form,
)
from kubeproof.advise.scheduler_config.configuration import (
    Configuration,
    ExtenderGiven,
    ManagedResource,
    NamedGiven,
    PolicyGiven,
    ProfileGiven,
)
from kubeproof.advise.scheduler_config.decoding import check, parse_duration
from kubeproof.advise.scheduler_config.static_pod import WITH_TEMPLATE, SchedulerFlags, read_flags
from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, key_twice, kind_text, parse, value_text
from kubeproof.input.files import read_bytes, several, shown
from model.scheduler.framework.plugin_sets import PluginSet

FILES = 8
MAX_BYTES = 4 << 20
WHAT = f"a {KIND}, a ConfigMap with one, the scheduler's pod or Deployment, or a Policy"
_EXPECTED = Expected("", WHAT, MAX_BYTES, MAX_BYTES)


@frozen
class Document:
    """A document that configures a scheduler, not yet decoded."""

    # The file, and the place in it.
    file: str
    value: dict[str, Any]
    # "Policy", or a version of KubeSchedulerConfiguration as it is written, such as v1beta3.
    version: str
    # Of a ConfigMap the key that has the document.
    key: str = ""

    @property
    def minors(self) -> tuple[int, int] | None:
        """The first and the last minor that takes it; None: no release does."""
        if self.version == "Policy":
            return MINORS["v1alpha1"][0], LAST_WITH_POLICY
        return next((minors for version, minors in MINORS.items() if version == self.version), None)


@frozen
class Given:
    """What all files together say."""

    files: tuple[tuple[str, str], ...]
    document: Document | None
    flags: SchedulerFlags | None


def read_files(paths: Iterable[str | os.PathLike[str]]) -> Given:
    """What the files say; `-` is standard input. Raises InputError."""
    files: list[tuple[str, str]] = []
    documents: list[Document] = []
    pods: list[SchedulerFlags] = []
    for path in several(paths, FILES):
        name = shown(path)
        kind, found = _read(read_bytes(path, MAX_BYTES, WHAT), name)
        files.append((name, kind))
        if isinstance(found, Document):
            documents.append(found)
        else:
            pods.append(found)
    if len(documents) > 1:
        raise InputError(f"{documents[1].file}: a second configuration beside {documents[0].file}: expected one")
    if len(pods) > 1:
        raise InputError(f"{pods[1].file}: a second scheduler beside {pods[0].file}: expected one")
    return Given(tuple(files), documents[0] if documents else None, pods[0] if pods else None)


def _read(data: bytes, name: str) -> tuple[str, Document | SchedulerFlags]:
    value = parse_one(data, name)
    kind = value.get("kind")
    if kind in ("List", "ConfigMapList", "PodList"):
        items = value.get("items")
        if not isinstance(items, list) or len(items) != 1 or not isinstance(items[0], dict):
            raise InputError(f"{name}: items: expected one object, found {_length(items)}")
        value, kind = items[0], items[0].get("kind", kind.removesuffix("List"))
    if kind == "ConfigMap":
        return "ConfigMap", _in_config_map(value, name)
    if kind in ("Pod", *WITH_TEMPLATE):
        return str(kind), read_flags(Fields(value, name, ""))
    found = _document(value, name)
    if found is None:
        what = value_text(kind)
        raise InputError(f"{name}: kind: expected {KIND}, ConfigMap, Pod, Deployment or Policy, found {what}")
    return ("Policy" if found.version == "Policy" else KIND), found


def _length(items: Any) -> str:
    return f"{len(items)}" if isinstance(items, list) else kind_text(items)


def parse_one(data: bytes, name: str) -> dict[str, Any]:
    """The one mapping in a file. Raises InputError: empty, a list, several documents, no YAML and no JSON."""
    lines = data.decode("utf-8", "replace").lstrip("\ufeff").splitlines(keepends=True)
    second = _second_document(lines)
    if second is not None:
        if lines[second - 1][3:].strip() or not all(_says_nothing(line) for line in lines[second:]):
            raise InputError(f"{name}: line {second}: a second document begins: expected one, {WHAT}")
        # The file ends with a line ---, as templates leave it.
        data = "".join(lines[: second - 1]).encode()
    try:
        value = parse(data, name, _EXPECTED)
    except InputError as error:
        raise _tab(data, name, error) from None
    if not isinstance(value, dict):
        raise InputError(f"{name}: top level: expected {WHAT}, found {kind_text(value)}")
    twice = key_twice(data.decode("utf-8-sig"))
    if twice is not None:
        line, key = twice
        raise InputError(
            f"{name}: line {line}: {value_text(key)} a second time in one mapping: expected each field once"
        )
    return value


def _tab(data: bytes, name: str, error: InputError) -> InputError:
    """The error of a file that is no YAML, in plainer words where a tab indents the line."""
    place = re.match(r"line (\d+), ", str(error).removeprefix(f"{name}: "))
    lines = data.decode("utf-8", "replace").splitlines()
    line = lines[int(place[1]) - 1] if place is not None and int(place[1]) <= len(lines) else ""
    if "\t" not in line[: len(line) - len(line.lstrip())]:
        return error
    return InputError(f"{name}: line {place[1]}: a tab before the text: expected spaces" if place else str(error))


def _says_nothing(line: str) -> bool:
    """Whether a line of YAML is empty or a comment."""
    return not line.strip() or line.startswith("#")


def _second_document(lines: Sequence[str]) -> int | None:
    """The line at which a second YAML document begins. The first one may begin with --- too."""
    begun = False
    for number, line in enumerate(lines, 1):
        if not begun and line.lstrip()[:1] in ("{", "["):
            return None
        if line.rstrip() == "---" or line.startswith(("--- ", "---\t")):
            if begun:
                return number
            begun = bool(line[3:].strip())
        elif not _says_nothing(line) and not line.startswith("%"):
            begun = True
    return None


def _document(value: dict[str, Any], name: str) -> Document | None:
    """The document, if its kind is one that configures a scheduler."""
    kind, api = value.get("kind"), value.get("apiVersion")
    if kind == "Policy" and api in ("v1", "kubescheduler.config.k8s.io/v1", None):
        return Document(name, value, "Policy")
    if kind != KIND:
        return None
    group, _, version = api.partition("/") if isinstance(api, str) else ("", "", "")
    if group not in (GROUP, "componentconfig") or not re.fullmatch(
        r"v\d{1,3}((alpha|beta)\d{1,3})?", version, re.ASCII
    ):
        raise InputError(f"{name}: apiVersion: expected {GROUP}/VERSION, found {value_text(api)}")
    return Document(name, value, version if group == GROUP else f"{group}/{version}")


def _in_config_map(value: dict[str, Any], name: str) -> Document:
    """The one document in the data of a ConfigMap."""
    data = Fields(value, name, "").map("data")
    found: list[Document] = []
    for key, text in data.value.items():
        place = f"{name}: data[{value_text(key)}]"
        if not isinstance(text, str):
            raise InputError(f"{place}: expected a string, found {value_text(text)}")
        if KIND in text or "Policy" in text:
            document = _document(parse_one(text.encode(), place), place)
            if document is not None:
                found.append(evolve(document, key=key))
    if len(found) != 1:
        raise InputError(f"{name}: data: expected one key with a {KIND} or a Policy, found {len(found)}")
    return found[0]


def decoded(document: Document, minor: int) -> Configuration:
    """What the document says, in the fields that this minor knows. Raises InputError."""
    place = f"{document.file}: "
    if document.version == "Policy":
        check(document.value, POLICY_FORM, "Policy", minor, place)
        return _policy(document)
    version = next(each for each in MINORS if each == document.version)
    check(document.value, configuration_form(version), f"{KIND} {version}", minor, place)
    return _configuration(document, version)


def _configuration(document: Document, version: Version) -> Configuration:
    top = Fields(document.value, document.file, "")
    algorithm = top.map("algorithmSource")
    policy = algorithm.map("policy")
    elsewhere = policy.map("file").text("path") or policy.map("configMap").text("name")
    if version == "v1alpha1":
        profiles: tuple[ProfileGiven, ...] = (_profile(top),)
    else:
        given = tuple(_profile(each) for each in top.maps("profiles")) or (ProfileGiven("default-scheduler"),)
        # Only a profile that is alone has a name by default.
        profiles = given if len(given) == 1 else tuple(
            evolve(each, name=each.name if named.value.get("schedulerName") is not None else "")
            for each, named in zip(given, top.maps("profiles"), strict=True)
        )  # fmt: skip
    return Configuration(
        file=document.file,
        version=version,
        profiles=profiles,
        extenders=tuple(_extender(each) for each in top.maps("extenders")),
        percentage=_number(top, "percentageOfNodesToScore"),
        parallelism=_number(top, "parallelism"),
        initial_backoff=_number(top, "podInitialBackoffSeconds"),
        max_backoff=_number(top, "podMaxBackoffSeconds"),
        disable_preemption=top.flag("disablePreemption"),
        provider=algorithm.text("provider"),
        policy_elsewhere=elsewhere,
        top=document.value,
    )


def _policy(document: Document) -> Configuration:
    top = Fields(document.value, document.file, "")
    given = {key: tuple(_named(each) for each in top.maps(key)) for key in ("predicates", "priorities")
             if top.value.get(key) is not None}  # fmt: skip
    return Configuration(
        file=document.file,
        version="Policy",
        extenders=tuple(_extender(each) for each in top.maps("extenders")),
        policy=PolicyGiven(
            given.get("predicates"), given.get("priorities"), _number(top, "hardPodAffinitySymmetricWeight") or 0
        ),
    )


def _named(fields: Fields) -> NamedGiven:
    """A predicate or priority. An argument that is null is none; of an argument, so is a kind that is null."""
    argument = fields.value.get("argument")
    kinds = None if argument is None else tuple(kind for kind, value in argument.items() if value is not None)
    return NamedGiven(fields.name("name"), _number(fields, "weight") or 0, kinds)


def _number(fields: Fields, key: str) -> int | None:
    found = fields.value.get(key)
    return None if found is None else int(found)


def _plugins(fields: Fields, key: str) -> tuple[tuple[str, int], ...]:
    return tuple((each.name("name"), _number(each, "weight") or 0) for each in fields.maps(key))


def _profile(fields: Fields) -> ProfileGiven:
    plugins = fields.map("plugins")
    points, zeros = {}, []
    for point in plugins.value:
        inner = plugins.map(point)
        zeros += [(point, each.name("name")) for each in inner.maps("enabled") if each.value.get("weight") == 0]
        points[point] = PluginSet(_plugins(inner, "enabled"), tuple(name for name, _ in _plugins(inner, "disabled")))
    return ProfileGiven(
        # The default where none is written; "" is a name that the scheduler refuses.
        name="default-scheduler" if fields.value.get("schedulerName") is None else fields.text("schedulerName"),
        points=points,
        percentage=_number(fields, "percentageOfNodesToScore") if "profiles" in fields.place else None,
        args=tuple((each.name("name"), each.map("args").value) for each in fields.maps("pluginConfig")),
        zero_weights=tuple(zeros),
    )


def _extender(fields: Fields) -> ExtenderGiven:
    timeout = fields.value.get("httpTimeout")
    return ExtenderGiven(
        url=fields.text("urlPrefix"),
        filter_verb=fields.text("filterVerb"),
        preempt_verb=fields.text("preemptVerb"),
        prioritize_verb=fields.text("prioritizeVerb"),
        bind_verb=fields.text("bindVerb"),
        weight=_number(fields, "weight") or 0,
        timeout=(parse_duration(timeout) or 0) if isinstance(timeout, str) else int(timeout or 0),
        ignorable=fields.flag("ignorable"),
        node_cache_capable=fields.flag("nodeCacheCapable"),
        resources=tuple(
            ManagedResource(each.text("name"), each.flag("ignoredByScheduler"))
            for each in fields.maps("managedResources")
        ),
    )
