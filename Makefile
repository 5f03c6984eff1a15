# A real race, found and told step by step: README.md quotes its end.
DEMO = specs/final-checkpoint/broken/finish-during-trigger-hangs.toml

PYTHON ?= python3
BIN = .venv/bin
# What is installed beside Finale. CI adds flink: 330 MB of jars, for one test.
EXTRAS ?= dev
# Who asks for more later gets more.
STAMP = .venv/.stamp-$(EXTRAS)

# The same node everywhere: the one that comes as a wheel, not one that happens to be on PATH.
export PYRIGHT_PYTHON_GLOBAL_NODE = 0

.PHONY: setup demo lint quick test agreement slow bench mutants rule-mutants bounds clean \
	lint-ruff lint-format lint-mypy lint-pyright lint-imports

setup: $(STAMP)
	@:

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) packaging/links.py
	@echo "setting up .venv, once: installing what Finale needs takes one or two minutes"
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check -e '.[$(EXTRAS)]' -c constraints.txt
	@touch $@

demo: setup
	@echo "a task finishes while the coordinator triggers its checkpoint: does the checkpoint end?"
	@echo
	@echo "$$ finale check $(DEMO) --property checkpoint-ends"
	@$(BIN)/finale check $(DEMO) --property checkpoint-ends
	@echo
	@echo "$$ finale trace $(DEMO) --property checkpoint-ends"
	@$(BIN)/finale trace $(DEMO) --property checkpoint-ends

# While you type: no file that takes long, and few examples of each property.
quick: setup
	@FINALE_EXAMPLES=quick $(BIN)/pytest --tier quick -n 2 --dist loadgroup

# Before a commit.
test: lint
	@$(BIN)/pytest --tier test -n 2 --dist loadgroup

# Tests of more than ten seconds, mostly of many cases; CI runs them after `test`.
agreement: setup
	@$(BIN)/pytest --tier agreement -n 2 --dist loadgroup

LINTERS = ruff format mypy pyright imports
lint: setup
	@$(MAKE) --no-print-directory --jobs 2 --output-sync $(LINTERS:%=lint-%)
lint-ruff:
	@$(BIN)/ruff check --quiet
lint-format:
	@$(BIN)/ruff format --check --quiet
lint-mypy:
	@$(BIN)/mypy --no-error-summary
lint-pyright:
	@$(BIN)/pyright
lint-imports:
	@$(BIN)/lint-imports --no-logo

slow: setup
	@FINALE_EXAMPLES=nightly $(BIN)/pytest -m slow

bench: setup
	@$(BIN)/python -m benchmarks

# What is not judged yet; it may be ended, and goes on from there.
mutants: setup
	@$(BIN)/python -m tests.mutation

# The same for the rules of the protocols, which the specs must tell.
rule-mutants: setup
	@$(BIN)/python -m tests.mutation.rules

# What is not searched yet; it may be ended, and goes on from there.
bounds: setup
	@$(BIN)/python -m tests.bounds

clean:
	rm -rf .venv build python/*.egg-info .*_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
