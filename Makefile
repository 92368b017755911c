# Condyle: everything from a fresh clone, on a machine that has only Python and make.
#   make demo    install into .venv, simulate Taylor's disk with a beam, write figures
#   make test    install into .venv, lint, type check, test

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# A stamp per install, so that a second make starts at once; a changed pyproject.toml installs again.
RUN    := $(VENV)/.installed-run
DEV    := $(VENV)/.installed-dev

.DEFAULT_GOAL := help
.PHONY: help demo test lint types format bench verify clean

help:
	@echo "make demo | test | lint | types | format | verify | bench | clean"

demo: $(RUN)
	$(BIN)/condyle run taylor-disk-beam --out results/taylor-disk-beam

test: lint types
	$(BIN)/python -m pytest -n 2

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

verify: $(RUN)
	$(BIN)/condyle verify

bench: $(RUN)
	@for script in benchmarks/bench_*.py; do \
	  if [ -e "$$script" ]; then echo "$$script"; $(BIN)/python "$$script" || exit 1; fi; done

clean:
	rm -rf build dist results .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml | $(BIN)/python
	$(PIP) -e .
	@touch $@

# PARDISO is a large wheel that some platforms lack; the tests pass on the plain solvers too.
$(DEV): pyproject.toml | $(BIN)/python
	$(PIP) -e '.[dev]'
	@$(PIP) -e '.[pardiso]' || echo "PARDISO is not available here; going on with the plain sparse solvers"
	@touch $@ $(RUN)
