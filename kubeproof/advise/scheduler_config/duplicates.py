"""Whether a mapping has a key twice. Go's strict decoder refuses that; a YAML reader takes the last one silently."""

from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def key_twice(text: str) -> tuple[int, str] | None:
    """The line and the name of the first key that a mapping has twice.

    `text`: YAML or JSON that was read already, so that its depth and its aliases are bounded.

    >>> key_twice('{"a": 1, "b": {"c": 1, "c": 2}}')
    (1, 'c')
    """
    try:
        left = [yaml.compose(text, Loader=_Loader)]
    except yaml.YAMLError:
        # JSON that is no YAML, such as with a tab between its words.
        return None
    while left:
        node = left.pop()
        if isinstance(node, yaml.SequenceNode):
            left.extend(reversed(node.value))
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    return key.start_mark.line + 1, key.value
                seen.add(str(key.value))
            left.extend(value for _, value in reversed(node.value))
    return None
