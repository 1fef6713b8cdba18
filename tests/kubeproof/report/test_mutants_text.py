"""The table of mutants on a narrow terminal: no name and no number is cut."""

from importlib.resources import files
from pathlib import Path

import pytest

from kubeproof.mutants.kept import Mutants, read_kept
from kubeproof.report.mutants import FATES, counts_by_field, mutants_text
from kubeproof.report.terminal import text
from kubeproof.systems.registry import SYSTEMS


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_table_of_all_rules_fits_80_columns(name: str) -> None:
    kept = read_kept(Path(str(files("mutants"))) / f"{name}.json", name)
    found = Mutants(SYSTEMS[name], None, list(kept.rules.values()))
    lines = text(mutants_text(found), width=80).splitlines()
    counts = {field: numbers for field, numbers in counts_by_field(found).items() if numbers[0]}
    total = [sum(column) for column in zip(*counts.values(), strict=True)]
    # A fate that no mutant has is left out.
    columns = [place for place, number in enumerate(total) if number]
    rows = [line.split() for line in lines]
    for field, numbers in {**counts, "all": total}.items():
        assert [field, *(str(numbers[place]) for place in columns)] in rows
    head = " ".join(lines[1 : lines.index(next(line for line in lines if line.startswith(next(iter(counts)))))]).split()
    assert set(head) == {"rule", "all", *" ".join(FATES[place - 1] for place in columns[1:]).split()}
