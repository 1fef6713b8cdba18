"""The groups in which `kubeproof --help` shows the commands, and the order."""

import typer

GROUPS = {
    "Bugs and properties": ("bugs", "show", "reproduce", "check", "hunt", "growth", "rules", "list"),
    "A fix": ("validate", "conform", "go"),
    "Your cluster": ("nodes", "cpu-state", "pod-events", "preemption", "scheduler-memory", "scheduler-config"),
    "Keeping the models": ("report", "mutants"),
}


def put_in_groups(app: typer.Typer) -> None:
    """Give each command of `app` its group. Raises KeyError for a command that no group has."""
    place = {name: (group, number) for group, names in GROUPS.items() for number, name in enumerate(names)}
    order = list(GROUPS)

    def key(command: typer.models.CommandInfo) -> tuple[int, int]:
        group, number = place[_name(command)]
        return order.index(group), number

    app.registered_commands.sort(key=key)
    for command in app.registered_commands:
        command.rich_help_panel = place[_name(command)][0]
    for group in app.registered_groups:
        group.rich_help_panel = place[_name(group)][0]


def _name(command: typer.models.CommandInfo | typer.models.TyperInfo) -> str:
    return str(command.name or getattr(command.callback, "__name__", ""))
