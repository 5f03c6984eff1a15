# A real race, found and told step by step: README.md quotes its end.
DEMO = specs/final-checkpoint/broken/finish-during-trigger-hangs.toml

PYTHON ?= python3
BIN = .venv/bin
STAMP = .venv/.stamp

# The same node everywhere: the one that comes as a wheel, not one that happens to be on PATH.
export PYRIGHT_PYTHON_GLOBAL_NODE = 0

.PHONY: setup demo lint test slow bench mutants rule-mutants bounds clean

setup: $(STAMP)
	@:

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	@$(BIN)/pip install -qq --disable-pip-version-check -e '.[dev]' -c constraints.txt
	@touch $@

demo: setup
	@$(BIN)/finale check $(DEMO) --property checkpoint-ends
	@$(BIN)/finale trace $(DEMO) --property checkpoint-ends

lint: setup
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/pyright
	@$(BIN)/lint-imports --no-logo

test: lint
	@$(BIN)/pytest -n 2 --dist loadgroup

slow: setup
	@$(BIN)/pytest -m slow

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
	rm -rf .venv build *.egg-info .*_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
