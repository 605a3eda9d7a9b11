# Everything is built and run in a virtual environment, VENV, and every target brings about what it needs:
# `make solve` and `make test` work in a fresh clone. Another interpreter: make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest
COMPILE = $(BIN)/python setup.py --quiet build_ext --build-lib . --build-temp build/temp
# Each process takes the tests of a part of the folders, and shares their browsers and clusters; who is done takes more.
PARALLEL := --numprocesses=auto --maxprocesses=8 --dist=worksteal
INSTANCE ?= queens 12
# Bytecode is kept, whatever the environment says: without it each process of the tests takes 9 s to collect them, not 5.
export PYTHONDONTWRITEBYTECODE :=

# The requirements that pyproject.toml lists under the given keys.
requirements = $(BIN)/python -c 'import functools, operator, tomllib; print(*functools.reduce(operator.getitem, "$(1)".split(), tomllib.load(open("pyproject.toml", "rb"))), sep="\n")'

.PHONY: all checks help solve build test nightly quick coverage lint types docs site package wheels dist annotate profile bench clean

all: build checks test  ## everything that a change has to pass

checks: lint types docs package  ## all of that but the build and the tests, each on one core

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

solve: build  ## the contest's sample: prints 2829 and the completed grid
	$(BIN)/sudoku target --grid examples/contest-1.txt

build: $(VENV)/runtime  ## compiles the kernels whose sources have changed; DLX_BUILD=debug, profile, sanitize: see CONTRIBUTING.md
	@$(COMPILE)

test: build $(VENV)/dev  ## the tests, on all cores
	$(PYTEST) $(PARALLEL)

nightly: coverage  ## the coverage, and all tests, also those that are marked nightly, with eight times as many tries of the random ones
	$(PYTEST) $(PARALLEL) --nightly

quick: build $(VENV)/dev  ## the tests that are not marked slow, and those of them that should be
	$(PYTEST) $(PARALLEL) -m 'not slow' --quiet --durations=5 --durations-min=0.5

# Coverage takes as long again as the tests: it is for those that are quick, which run 97% of the lines.
coverage: build $(VENV)/dev  ## the tests that are not marked slow, with the share of the Python lines that they run: at least 90%
	$(PYTEST) $(PARALLEL) -m 'not slow' --cov --cov-report=term:skip-covered

lint: $(VENV)/dev  ## ruff: style, and the layout of every source
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: build $(VENV)/dev  ## mypy, strict
	$(BIN)/mypy

docs: build $(VENV)/dev  ## runs every example in the documents and the docstrings
	$(PYTEST) $(PARALLEL) --doctest-modules --doctest-glob='*.md' README.md CONTRIBUTING.md docs dlx sudoku

site: build $(VENV)/site  ## site/: the documents and the docstrings as pages, which need no network; warnings are errors
	rm -rf build/site site
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --nitpicky --doctree-dir build/site/doctrees docs build/site/pages
	mv build/site/pages site

package: dist  ## the wheel of this Python, installed in an environment of its own, where both commands have to work
	BIN=$(abspath $(BIN)) .ci/wheels $(abspath $(BIN))/python

wheels: dist  ## dist/: a wheel for every Python on this machine, tested in the same way
	BIN=$(abspath $(BIN)) .ci/wheels

dist: $(VENV)/dev  ## dist/: the source distribution
	rm -rf dist
	$(BIN)/python -m build --sdist

annotate: $(VENV)/runtime  ## build/annotate/: each kernel as a page that shows which lines need the interpreter
	$(BIN)/python -c 'import setup; setup.translate(setup.kernels(), setup.WAYS["release"], "build/annotate", annotate=True, force=True)'

profile: $(VENV)/dev  ## where the time goes on a named instance: make profile INSTANCE='queens 12', or INSTANCE=sample1-15
	@$(MAKE) --no-print-directory build DLX_BUILD=profile
	$(BIN)/python benchmarks/profiling.py $(INSTANCE)

bench: build $(VENV)/bench  ## docs/benchmarks/: tables and charts of every suite; on an idle machine, for some minutes
	$(BIN)/python benchmarks/report.py

clean:  ## removes all that was built, but not VENV
	rm -rf build dist site *.egg-info .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
	find dlx sudoku benchmarks examples tests \( -name '*.so' -o -name '*.c' -o -name __pycache__ \) -prune -exec rm -rf {} +

$(VENV)/runtime: pyproject.toml setup.py | $(BIN)/python
	@echo 'Fetching what the build needs into $(VENV) ...'
	@$(call requirements,build-system requires) | $(PIP) install --requirement /dev/stdin
	@echo 'Compiling the kernels, which takes one minute, or two on a slow machine ...'
	@$(COMPILE)
	@$(PIP) install --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: $(VENV)/runtime
	@$(call requirements,project optional-dependencies dev) | $(PIP) install --requirement /dev/stdin
	@touch $@

$(VENV)/bench: $(VENV)/dev
	@$(call requirements,project optional-dependencies bench) | $(PIP) install --requirement /dev/stdin
	@touch $@

$(VENV)/site: $(VENV)/runtime
	@$(call requirements,project optional-dependencies site) | $(PIP) install --requirement /dev/stdin
	@touch $@

# What a Python must have, and what Debian and Ubuntu call the package; ends with status 1 and the list of what is missing.
define NEEDS
import os, shutil, sys, sysconfig
from importlib.util import find_spec
compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
needs = [
    ("Python 3.11 or newer, and this is " + ".".join(map(str, sys.version_info[:2])), "python3", sys.version_info >= (3, 11)),
    ("the modules venv and ensurepip", "python3-venv", find_spec("venv") and find_spec("ensurepip")),
    ("the headers of Python", "python3-dev", os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))),
    ("a C compiler, " + compiler, "gcc", shutil.which(compiler)),
]
missing = [(need, package) for need, package, there in needs if not there]
if missing:
    print("Dancing Cover needs", "; ".join(need for need, package in missing) + ".", file=sys.stderr)
    print("On Debian and Ubuntu: sudo apt-get install", *(package for need, package in missing), file=sys.stderr)
    sys.exit(1)
endef
export NEEDS

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo 'Dancing Cover needs Python 3.11 or newer, and there is no $(PYTHON).' \
		'On Debian and Ubuntu: sudo apt-get install python3 python3-venv python3-dev' >&2; exit 1; }
	@$(PYTHON) -c "$$NEEDS"
	@$(PYTHON) -m venv $(VENV)
