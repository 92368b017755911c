# Condyle: everything from a fresh clone, on a machine that has only Python and make.
#   make demo    install into .venv, simulate a walking hip, write figures
#   make test    install into .venv, lint, type check, test
#   make test-full   the same with every combination of what is tested
#   make docs    install into .venv, build the site of documentation into site/
#   make bench   install into .venv-bench beside other engines, measure, write docs/benchmarks.md (more than an hour)

# Bytecode is kept: some tests start processes, and each would compile the package's modules again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# Python compiles modules when they are imported; to do so for all of all packages takes half of the time of installing.
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
# A stamp per install, so that a second make starts at once; a changed pyproject.toml installs again.
RUN    := $(VENV)/.installed-run
DEV    := $(VENV)/.installed-dev
# The benchmark has an environment of its own, so that no other engine comes near the package.
BENCH_VENV ?= .venv-bench
BENCH  := $(BENCH_VENV)/.installed
KRATOS := $(foreach part,Multiphysics StructuralMechanicsApplication ConstitutiveLawsApplication ContactStructuralMechanicsApplication,Kratos$(part)==10.4.4)

.DEFAULT_GOAL := help
.PHONY: help demo test test-full suite lint types format bench bench-quick verify images gallery docs clean

help:
	@echo "make demo | test | test-full | lint | types | format | verify | docs | images | gallery | bench | bench-quick | clean"

demo: $(RUN)
	$(BIN)/condyle run hip-gait --out results/hip-gait

# Types are checked beside the tests: mypy keeps one processor busy for a minute, and the tests have times when one of them waits.
test: lint
	$(MAKE) --no-print-directory -j 2 types suite

# Each worker has its half of the tests, in their order, and takes from the other's when it is done: so files are not shared
# between workers, and both seldom need the same kernel compiled at the same moment.
suite: $(DEV)
	$(BIN)/python -m pytest -n 2 --dist worksteal $(TESTS)

test-full:
	$(MAKE) --no-print-directory test TESTS=--full

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

# The pictures of the pages, in docs/images.
images: $(DEV)
	$(BIN)/python docs/make_figures.py

# The pictures of the gallery, in docs/gallery, by running the studies that have none yet: a quarter of an hour of one processor
# for all of them. STUDIES="hip-gait heavy-top" draws these anew.
gallery: $(DEV)
	$(BIN)/python docs/make_gallery.py $(STUDIES)

docs: $(DEV)
	$(BIN)/python docs/make_site.py

# On an idle machine. Each part is stored in benchmarks/measured; OPTIONS="--only human --engines condyle" and the like are passed on.
bench: $(BENCH)
	$(BENCH_VENV)/bin/python benchmarks/run.py --page docs/benchmarks.md $(OPTIONS)

bench-quick: $(BENCH)
	$(BENCH_VENV)/bin/python benchmarks/run.py --quick $(OPTIONS)

clean:
	rm -rf build dist results site .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml | $(BIN)/python
	$(PIP) -e '.[mesh]'
	@touch $@

# PARDISO is a large wheel that some platforms lack; the tests pass on the plain solvers too.
$(DEV): pyproject.toml | $(BIN)/python
	@$(PIP) -e '.[dev,pardiso]' || \
	  { echo "PARDISO is not available here; going on with the plain sparse solvers"; $(PIP) -e '.[dev]'; }
	@touch $@ $(RUN)

$(BENCH): pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check install --quiet -r benchmarks/requirements.txt -e .
	@$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check install --quiet -e '.[pardiso]' \
	  || echo "PARDISO is not available here; going on with the plain sparse solvers"
	@$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check install --quiet $(KRATOS) \
	  || echo "KratosMultiphysics is not available here; going on without it"
	@touch $@
