"""Links lead to files whose path in the release is known, and to nothing else."""

import pytest

from kubeproof.report.go_links import linked
from model.releases import known_release

GITHUB = "https://github.com/kubernetes/kubernetes/blob/"


@pytest.mark.parametrize(
    ("release", "tag", "path"),
    [
        ("1.18.4", "v1.18.4", "pkg/scheduler/internal/cache/cache.go"),
        ("1.28.0-beta.0", "v1.28.0-beta.0", "pkg/scheduler/internal/cache/cache.go"),
        ("v1.18.4-tke.4", "v1.18.4", "pkg/scheduler/internal/cache/cache.go"),
        ("1.36.2", "v1.36.2", "pkg/scheduler/backend/cache/cache.go"),
    ],
)
def test_a_file_is_linked_at_the_tag(release: str, tag: str, path: str) -> None:
    (part,) = linked("cache.go AddNode", known_release(release))
    assert (part.text, part.link) == ("cache.go AddNode", f"{GITHUB}{tag}/{path}")


def test_a_place_of_two_files_has_two_links() -> None:
    caller, arrow, callee = linked("cache.go AddNode -> node_tree.go addNode", known_release("1.18.4"))
    assert (arrow.text, arrow.link) == (" -> ", "")
    assert callee.link.endswith("/internal/cache/node_tree.go")
    assert caller.text + arrow.text + callee.text == "cache.go AddNode -> node_tree.go addNode"


@pytest.mark.parametrize("place", ["client-go shared_informer.go HandleDeltas", "a user", "kubelet.go canAdmitPod", ""])
def test_what_is_not_known_has_no_link(place: str) -> None:
    assert [part.link for part in linked(place, known_release("1.18.4"))] == [""]
