# `make report` shows everything, `make test` checks the fast part. Both make their own virtual environment.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
OUT    ?= out/report
# Replayed for the report: the recordings beside the project, or the excerpts in it.
RECORDINGS ?= $(or $(wildcard ../shared/conformance/scheduler/node_tree-*.jsonl.gz),$(wildcard tests/data/node_tree-*.jsonl)) \
              $(wildcard tests/data/static_policy-*.jsonl tests/data/cache-*.jsonl tests/data/scheduling_queue-*.jsonl)

.PHONY: report report-all site test test-changed test-all coverage lint types imports counterexamples manifest tlc-runs mutants bench clean

report: $(VENV)/ready
	@$(BIN)/kubeproof report --out $(OUT) $(addprefix --recordings ,$(RECORDINGS))

# Everything anew that out/results does not have. Writes the tables that `make report` shows as kept.
report-all: $(VENV)/ready
	@$(BIN)/kubeproof report --all --keep kubeproof/report/tables --out $(OUT) $(addprefix --recordings ,$(RECORDINGS))

# The site, from the bugs, docs/ and the program itself: out/site/index.html opens from disk. Needs nothing but Python.
site: $(VENV)/ready-site
	$(BIN)/python -m website

test: lint types imports
	$(BIN)/pytest -n 2 -m "not slow"

# Of the slow tests those that what changed since tests/passed.txt may break, and a tenth of the rest.
test-changed: $(VENV)/ready
	$(BIN)/pytest -n 2 -m slow --since-passed

# Every test that has not passed; goes on where an earlier run was stopped. Writes tests/passed.txt.
test-all: lint types imports
	$(BIN)/pytest -n 2 --until-passed

# Apart from `make test`: counting lines takes as much time again as the tests do.
coverage: $(VENV)/ready
	$(BIN)/pytest -n 2 -m "not slow" --cov=model --cov=properties --cov-report=term-missing:skip-covered

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/ready
	$(BIN)/mypy

imports: $(VENV)/ready
	$(BIN)/lint-imports

counterexamples: $(VENV)/ready
	$(BIN)/kubeproof report --counterexamples counterexamples

manifest: $(VENV)/ready
	$(BIN)/python -m kubeproof.check.manifest

# After a change of a module: TLC runs for the tests that read its kept runs, some 15 minutes.
tlc-runs: $(VENV)/ready
	rm -rf out/tlc-runs && mkdir -p out/tlc-runs
	KUBEPROOF_TLC_RUNS=$(CURDIR)/out/tlc-runs $(BIN)/pytest -n 2 -m "" $(wildcard tests/agreement/test_tla_*.py)
	$(BIN)/python -m tests.agreement.tlc_runs out/tlc-runs

# Takes hours of CPU time after a change of many rules; goes on where an earlier run was stopped.
mutants: $(VENV)/ready
	$(BIN)/kubeproof mutants node-listing --kept mutants/node-listing.json \
	  $(addprefix --recordings ,$(wildcard tests/data/node_tree-*.jsonl tests/data/cache-*.jsonl))
	$(BIN)/kubeproof mutants scheduling --kept mutants/scheduling.json \
	  $(addprefix --recordings ,$(wildcard tests/data/cache-*.jsonl tests/data/scheduling_queue-*.jsonl))
	$(BIN)/kubeproof mutants preemption --kept mutants/preemption.json
	$(BIN)/kubeproof mutants async-preemption --kept mutants/async-preemption.json
	$(BIN)/kubeproof mutants api-calls --kept mutants/api-calls.json
	$(BIN)/kubeproof mutants queueing-hints --kept mutants/queueing-hints.json \
	  $(addprefix --recordings ,$(wildcard tests/data/scheduling_queue-*.jsonl))
	$(BIN)/kubeproof mutants scheduling-cycle --kept mutants/scheduling-cycle.json \
	  $(addprefix --recordings ,$(wildcard tests/data/scheduling_queue-*.jsonl))
	$(BIN)/kubeproof mutants cpu-manager --kept mutants/cpu-manager.json \
	  $(addprefix --recordings ,$(wildcard tests/data/cpu*.jsonl tests/data/static_policy-*.jsonl tests/data/take_by_topology-*.jsonl))

bench: $(VENV)/ready
	$(BIN)/python -m benchmarks.explicit_engine
	$(BIN)/python -m benchmarks.first_counterexamples queueing-hints --engines
	$(BIN)/python -m benchmarks.first_counterexamples scheduling-cycle
	$(BIN)/python -m benchmarks.first_counterexamples preemption
	$(BIN)/python -m benchmarks.cluster_commands
	$(BIN)/python -m benchmarks.z3_queries
	$(BIN)/python -m benchmarks.peers

$(VENV)/ready: pyproject.toml constraints.txt setup.py $(wildcard kubeproof/engines/explicit/core.p*)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev]"
	touch $@

$(VENV)/ready-site: $(VENV)/ready
	$(BIN)/pip install --quiet -c constraints.txt -e ".[site]"
	touch $@

clean:
	rm -rf $(VENV) out build dist *.egg-info
