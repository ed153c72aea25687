# `make` lists the targets. Every target creates .venv first if it is not there.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help capacity test quick lint sabotage coverage bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "pavlov needs Python 3.11 or later; name one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

capacity: .venv/ready ## measure how capacity grows with d_k: table, figure, verdicts, answer
	$(BIN)/pavlov capacity --dk 64..1024

test: .venv/ready ## all tests, on all cores
	$(BIN)/python -m pytest -n auto --dist worksteal

quick: .venv/ready ## the tests that take less than about ten seconds each
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

lint: .venv/ready ## style, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

sabotage: .venv/ready ## break the code on purpose, one line at a time, and see the tests turn red
	$(BIN)/python tests/sabotage.py

coverage: .venv/ready ## 1000 seeded repeats of a small study: how often do intervals hold the truth? (half an hour)
	$(BIN)/python tests/statistics/coverage_study.py 1000

bench: .venv/ready ## time to a stated precision, against plain NumPy and against what this machine can do (ten minutes)
	$(BIN)/python tests/benchmark/bench.py

clean: ## remove the environment and caches, not the results
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .import_linter_cache build dist
