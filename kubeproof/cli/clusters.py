"""The commands that read files of a cluster or a kubelet, and the one that shows a scheduler's memory."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kubeproof.cli import completion
from kubeproof.cli.app import GatesOption, Json, ReleaseOption, app, release_option
from kubeproof.errors import InputError
from kubeproof.output import note, print_answer

if TYPE_CHECKING:
    from kubeproof.advise.cpu_state import Configuration, Flags


# --- A kubelet's machine and configuration, for the commands that ask about its CPU manager

TopologyOption = Annotated[
    Path | None,
    typer.Option("--topology", help="The machine: lscpu -e or -p, files of /sys, or a cAdvisor MachineInfo."),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", help="The kubelet's configuration file, a ConfigMap with one, or what /configz answers."),
]
PolicyOption = Annotated[
    str | None, typer.Option("--policy", help="The kubelet's --cpu-manager-policy. Default: that of the file.")
]
PolicyOptionsOption = Annotated[
    str | None, typer.Option("--policy-options", help="Its --cpu-manager-policy-options, such as full-pcpus-only=true.")
]
ReservedOption = Annotated[
    str | None, typer.Option("--reserved-cpus", "--reserved", help="Its --reserved-cpus, such as 0,4.")
]
SystemReservedOption = Annotated[
    str | None, typer.Option("--system-reserved", help="Its --system-reserved, such as cpu=500m.")
]
KubeReservedOption = Annotated[
    str | None, typer.Option("--kube-reserved", help="Its --kube-reserved, such as cpu=500m.")
]
TopologyManagerOption = Annotated[
    str | None, typer.Option("--topology-manager-policy", help="Its --topology-manager-policy, such as best-effort.")
]


@app.command()
def nodes(
    file: Annotated[Path, typer.Argument(help="The output of kubectl get nodes -o json, or -o yaml.")],
    release: ReleaseOption = None,
    as_json: Json = False,
) -> None:
    """Say whether this cluster can lose a node in a release, by which run, and which upgrade cures this.

    Example: `kubectl get nodes -o json > nodes.json && kubeproof nodes nodes.json --release 1.18.4`
    """
    from kubeproof.advise.nodes import analyse, read_nodes, render, to_json
    from kubeproof.systems.node_listing import NODE_LISTING
    from kubeproof.systems.releases import release_named, release_notes

    at = release_named(release, minors=NODE_LISTING.minors)
    answer = analyse(read_nodes(file), at)
    note(release_notes(at, ("add_node", "remove_node", "list_nodes", "update_snapshot")))
    print_answer(answer, to_json, render, as_json)
    raise typer.Exit(1 if answer.can_lose else 0)


@app.command(name="cpu-state")
def cpu_state(
    file: Annotated[Path, typer.Argument(help="A kubelet's /var/lib/kubelet/cpu_manager_state.")],
    topology: TopologyOption = None,
    cpus: Annotated[str | None, typer.Option("--cpus", help="The machine's online CPUs, such as 0-7.")] = None,
    config: ConfigOption = None,
    policy: PolicyOption = None,
    policy_options: PolicyOptionsOption = None,
    reserved_cpus: ReservedOption = None,
    system_reserved: SystemReservedOption = None,
    kube_reserved: KubeReservedOption = None,
    topology_manager_policy: TopologyManagerOption = None,
    feature_gates: GatesOption = None,
    release: Annotated[
        str | None, release_option("The kubelet's release. Default: the newest modelled that writes such a file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say whether a kubelet starts with this state file on this machine, and what to do if it does not.

    The kubelet's flags come before its configuration file. What is not given is not judged.

    Example: `kubeproof cpu-state /var/lib/kubelet/cpu_manager_state --cpus "$(cat /sys/devices/system/cpu/online)"
    --config /var/lib/kubelet/config.yaml`
    """
    from kubeproof.advise.cpu_state import Flags, analyse, question, read_machine, read_state_file, render, to_json
    from kubeproof.input.files import shown

    once_from_stdin({"the state file": file, "--topology": topology, "--config": config})
    raw, found = read_state_file(file)
    machine = None if topology is None else (shown(topology), read_machine(topology))
    flags = Flags(
        policy, policy_options, reserved_cpus, system_reserved, kube_reserved, topology_manager_policy, feature_gates
    )
    configuration = configured(config, flags)
    asked = question(shown(file), raw, found, release=release, cpus=cpus, topology=machine, configuration=configuration)
    answer = analyse(asked)
    note(answer.notes)
    print_answer(answer, to_json, render, as_json)
    raise typer.Exit(0 if answer.consistent else 1)


@app.command(name="cpu-take")
def cpu_take(
    pod: Annotated[
        str, typer.Argument(metavar="POD", help="How many CPUs, such as 4; or a file with a pod or a pod template.")
    ],
    topology: TopologyOption = None,
    cpus: Annotated[str | None, typer.Option("--cpus", help="The online CPUs, where each is a core.")] = None,
    state: Annotated[
        Path | None,
        typer.Option("--state", help="The kubelet's cpu_manager_state. Default: a kubelet that begins anew."),
    ] = None,
    hint: Annotated[
        str | None,
        typer.Option(
            "--hint", help="The topology manager's hint: NUMA nodes, such as 0,1. Default: as it would choose."
        ),
    ] = None,
    config: ConfigOption = None,
    policy: PolicyOption = None,
    policy_options: PolicyOptionsOption = None,
    reserved_cpus: ReservedOption = None,
    system_reserved: SystemReservedOption = None,
    kube_reserved: KubeReservedOption = None,
    topology_manager_policy: TopologyManagerOption = None,
    feature_gates: GatesOption = None,
    release: ReleaseOption = None,
    as_json: Json = False,
) -> None:
    """Say which CPUs a pod would get from a kubelet's static policy, on this machine and with these options.

    The exit status is 0 if the kubelet takes the pod, 1 if it refuses the pod or does not start.

    Example: `kubeproof cpu-take 4 --topology lscpu.txt --reserved-cpus 0 --policy-options full-pcpus-only=true`
    """
    from kubeproof.advise.cpu_state import Flags, read_machine, read_state_file
    from kubeproof.advise.cpu_take import analyse, asked_pod, question, render, to_json
    from kubeproof.input.files import shown

    once_from_stdin({"the pod": Path(pod), "--topology": topology, "--state": state, "--config": config})
    flags = Flags(
        policy, policy_options, reserved_cpus, system_reserved, kube_reserved, topology_manager_policy, feature_gates
    )
    asked = question(
        asked_pod(pod),
        release=release,
        cpus=cpus,
        topology=None if topology is None else (shown(topology), read_machine(topology)),
        configuration=configured(config, flags),
        state=None if state is None else (shown(state), *read_state_file(state)),
        hint=hint,
    )
    answer = analyse(asked)
    note(answer.notes)
    print_answer(answer, to_json, render, as_json)
    raise typer.Exit(0 if answer.admitted else 1)


def once_from_stdin(given: dict[str, Path | None]) -> None:
    """Raise InputError if two of the files are standard input."""
    first, *others = [name for name, path in given.items() if str(path) == "-"] or [""]
    if others:
        raise InputError(f"{others[0]} -: standard input is {first} already: expected the name of a file")


def configured(config: Path | None, flags: "Flags") -> "Configuration":
    """The kubelet's configuration: the file, and the flags."""
    from kubeproof.advise.cpu_state import NOT_GIVEN, read_configuration, with_flags

    return with_flags(NOT_GIVEN if config is None else read_configuration(config), flags)


@app.command(name="pod-events")
def pod_events(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="The output of kubectl get pods -A -o json, and of events and nodes; a scheduler's log: one file or "
            "several."
        ),
    ],
    release: Annotated[
        str | None, release_option("The scheduler's release. Default: name every release with such a bug.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what is odd about the pods of a cluster, which bugs of the scheduler that fits, and what cures these bugs.

    The exit status is 1 if there are findings, 0 if nothing was found.

    Example: `kubectl get pods,events,nodes -A -o json > all.json && kubeproof pod-events all.json --release 1.17.4`
    """
    from kubeproof.advise.pod_events import analyse, read_files, render, to_json
    from kubeproof.systems.releases import minor_note, newer_note, release_named
    from model.releases import EVERY_MINOR

    at = None if release is None else release_named(release, minors=EVERY_MINOR)
    answer = analyse(read_files(files), at)
    note([] if at is None else [*newer_note(at), *minor_note(at, ())])
    print_answer(answer, to_json, render, as_json)
    raise typer.Exit(1 if answer.findings else 0)


@app.command()
def preemption(
    files: Annotated[
        list[Path], typer.Argument(help="The output of kubectl get pods,nodes,pdb,pc -A -o json: one file or several.")
    ],
    pod: Annotated[str, typer.Option("--pod", help="The pod that waits: namespace/name.")],
    release: ReleaseOption = None,
    feature_gates: Annotated[
        str | None,
        typer.Option("--feature-gates", help="As kube-scheduler has them, such as InPlacePodVerticalScaling=true."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say whom a pod that waits would evict in a release, and whether less harm would do.

    The exit status is 1 if the release may evict needlessly, 0 if not, 3 if these files do not decide.

    Example: `kubectl get pods,nodes,pdb,pc -A -o json > all.json && kubeproof preemption all.json --pod shop/cart-0`
    """
    from kubeproof.advise.preemption import (
        ASKED_GATES,
        RULE_FIELDS,
        analyse,
        exit_status,
        pod_named,
        read_files,
        render,
        to_json,
    )
    from kubeproof.systems.gates import gates_in
    from kubeproof.systems.releases import release_named, release_notes
    from model.releases import EVERY_MINOR

    at = release_named(release, minors=EVERY_MINOR)
    gates = gates_in((at,), feature_gates, ASKED_GATES, "preemption")
    picture = read_files(files)
    answer = analyse(picture, pod_named(picture, pod), at, gates)
    note(release_notes(at, RULE_FIELDS))
    print_answer(answer, to_json, render, as_json)
    raise typer.Exit(exit_status(answer))


@app.command(name="scheduler-memory")
def scheduler_memory(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE[@TIME]",
            help="Any mix of: dumps of the scheduler's /metrics, or Prometheus' answer to query_range; its pod, its "
            "events in JSON; its log at -v=5; go tool pprof -top of its heap. FILE@2024-01-12T10:00Z says "
            "when a dump was taken.",
        ),
    ],
    release: Annotated[str | None, release_option("The scheduler's release. Default: as the files say.")] = None,
    feature_gates: GatesOption = None,
    limit: Annotated[
        str | None, typer.Option("--limit", help="The memory limit, such as 2Gi. Default: that of the pod.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say whether a scheduler's memory grows, and whether the bugs of queueing hints fit.

    The exit status is 1 if a modelled bug fits, 0 if nothing grows, 3 if the files do not tell why it grows, or
    whether it grows.

    Example, on the scheduler's machine, some hours apart: `curl -sk -H "Authorization: Bearer $TOKEN"
    https://127.0.0.1:10259/metrics > 1.txt`, the same into 2.txt, and `kubeproof scheduler-memory 1.txt 2.txt`
    """
    from kubeproof.advise.scheduler_memory import analyse, exit_status, question, read_files, render, to_json

    picture = read_files(files)
    answer = analyse(picture, question(picture, release, feature_gates, limit))
    print_answer(answer, to_json, render, as_json)
    raise typer.Exit(exit_status(answer))


@app.command(name="scheduler-config")
def scheduler_config(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="A KubeSchedulerConfiguration in YAML or JSON, a ConfigMap with one, or up to 1.22 a Policy; and "
            "the scheduler's pod or Deployment, for its flags.",
        ),
    ],
    release: Annotated[
        str | None,
        release_option("Such as 1.28.3. Default: that of the pod's image, or the newest that takes the file."),
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option("--nodes", help="How many nodes the cluster has, or the output of kubectl get nodes -o json."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a kube-scheduler's configuration brings: how long a cycle may last, what a dead extender stops.

    The answer has the numbers, the hazards, most with a run of the modelled cycle for this configuration, what the
    scheduler itself would refuse, and what has no effect. The exit status is 1 for a hazard that the default
    configuration does not have and for what the scheduler refuses, 0 for none, 3 if the files do not tell.

    Example: `kubeproof scheduler-config /etc/kubernetes/scheduler-config.yaml --release 1.28.3 --nodes 500`
    """
    from kubeproof.advise.scheduler_config import analyse, exit_status, question, read_files, render, to_json

    given = read_files(files)
    answer = analyse(given, question(given, release, nodes))
    print_answer(answer, to_json, render, as_json)
    raise typer.Exit(exit_status(answer))


@app.command()
def growth(
    subject: Annotated[str, typer.Argument(help="queueing-hints: the events that the queue keeps for pods in flight.")],
    release: Annotated[str | None, release_option("Such as 1.28.3, from 1.28 to 1.36. Default: the newest.")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", help="More releases, such as 1.28.5,1.31.13,1.36.3.", autocompletion=completion.releases
        ),
    ] = None,
    workload: Annotated[str, typer.Option("--workload", help="scale-loop, churn, slow-bind or quiet.")] = "scale-loop",
    powers: Annotated[
        str,
        typer.Option(
            "--with",
            help="What goes on besides, with commas between: some of updates, deletes, recreates, rejections, errors, "
            "slow-binds; or none.",
        ),
    ] = "updates,deletes",
    pods: Annotated[int, typer.Option("--pods", min=1, max=10_000, help="How many pods the cluster has.")] = 1_000,
    events: Annotated[
        int, typer.Option("--events", min=1, max=50_000, help="After how many events users and controllers stop.")
    ] = 10_000,
    object_bytes: Annotated[
        int, typer.Option("--object-bytes", min=0, max=2**21, help="The size of a pod or node in memory.")
    ] = 6_000,
    feature_gates: Annotated[
        str | None,
        typer.Option(
            "--feature-gates",
            help="SchedulerQueueingHints=true or =false. Default: a run with each of the two, and "
            "from 1.34 on with true alone.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how many events the scheduling queue retains in a long run, release against release, gate on and off.

    A run of the components is made for each release, no exploration: the same workload, drawn in the same way each
    time. The answer has the largest and the last number of retained events, the number when all is at rest, the slope,
    the first event after which the number never is 0 again, and the pod that holds the events. The document of `--json`
    also has the picture (key `svg`).

    Example: `kubeproof growth queueing-hints --release 1.28.3 --against 1.28.5,1.31.13,1.32.2`
    """
    from kubeproof.growth.answer import answer, answer_json, answer_text
    from kubeproof.growth.asked import asked
    from kubeproof.growth.scheduler import RULE_FIELDS
    from kubeproof.systems.queueing_hints import QUEUEING_HINTS
    from kubeproof.systems.releases import default_gates_note, release_notes

    question = asked(subject, release, against, feature_gates, workload, powers, pods=pods, events=events)
    found = answer(question, object_bytes)
    note([line for each in question.releases for line in release_notes(each, RULE_FIELDS)])
    note([line for each in question.releases for line in default_gates_note(QUEUEING_HINTS, each)])
    print_answer(found, answer_json, answer_text, as_json)
