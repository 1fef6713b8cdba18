"""Cases for the driver of the API dispatcher: calls of two pods, and their way through the queue."""

from typing import Any

from hypothesis import strategies as st

from kubeproof.conform.api_dispatcher import ApiDispatcherPlayer
from kubeproof.go.cases.case import Case, drawn
from model.releases import Release

_MOST = 14  # operations of a case
_UID = st.sampled_from(["p", "q"])
_STATUS = st.fixed_dictionaries(
    {"nominated": st.sampled_from(["", "n1"]), "condition": st.sampled_from(["", "r1", "True"])}
)


_OPERATIONS = st.lists(
    st.one_of(
        drawn(
            "patch",
            uid=_UID,
            status=_STATUS,
            condition=st.sampled_from([None, "r1", "r2"]),
            nominate=st.sampled_from([None, "", "n1", "n2"]),
        ),
        drawn("bind", uid=_UID, node=st.sampled_from(["n1", "n2"])),
        drawn("sync", uid=_UID, status=_STATUS),
        drawn("pop"),
        drawn("execute", uid=_UID, fails=st.booleans()),
        drawn("finalize", uid=_UID),
    ),
    min_size=1,
    max_size=_MOST,
)


def cases(release: Release) -> st.SearchStrategy[Case]:
    """Cases that the model can play: without a Pop that would wait, and without the end of a call that does not run."""

    def playable(drawn: list[dict[str, Any]]) -> list[dict[str, Any]]:
        player, kept = ApiDispatcherPlayer(release, {}), []
        for op in drawn:
            try:
                player.play(op)
            except ValueError:
                continue
            kept.append(op)
        return kept

    return st.tuples(st.just({}), _OPERATIONS.map(playable).filter(bool))
