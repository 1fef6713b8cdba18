"""Which fields of an object the rules of a system read, and which powers let a change of a field decide. Pure data.

A rule that forgets such a change is refused only where a power makes the change. What no power changes is left out of
every verdict, and is shown beside it.
"""

from attrs import frozen


@frozen
class ReadField:
    """A field of an object of Kubernetes that some rule reads."""

    # As Kubernetes writes it: `Pod.spec.priority`.
    name: str
    # The bounds of the scope under which the field's value, or its change, decides what the rules do with the object.
    powers: tuple[str, ...] = ()
    # What no power does to the field, and why. "" if nothing is left out.
    left_out: str = ""


def left_out(fields: tuple[ReadField, ...]) -> list[str]:
    """The names of the fields of which something is left out; `in part` where some power changes the field."""
    return [field.name + (" in part" if field.powers else "") for field in fields if field.left_out]
