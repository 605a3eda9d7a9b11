# Every target works in a fresh clone: it makes the virtual environment VENV and installs what it needs there.
# To use another interpreter: make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --maxprocesses=8 --dist=worksteal
export PYTHONDONTWRITEBYTECODE :=  # with bytecode, the processes of the tests start in 5 s instead of 9 s

all: build lint docs package test  ## all checks that a change must pass

help:  ## lists the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' Makefile

solve: build  ## solves a contest's sudoku: prints 2829 and the completed grid
	$(BIN)/sudoku target --grid examples/contest-1.txt

build: $(VENV)/runtime  ## compiles the kernels whose sources have changed; DLX_BUILD=debug, profile, sanitize: see CONTRIBUTING.md
	@$(BIN)/python setup.py --quiet build_ext --build-lib . --build-temp build/temp

test: build $(VENV)/test  ## runs the tests on all cores
	$(PYTEST)
	@echo 'make nightly makes eight times as many random tries, adds tests with a browser, nauty and dask, and measures the coverage.'

nightly: build $(VENV)/full  ## runs all tests, with eight times as many random tries, and measures the coverage
	$(PYTEST) --nightly --cov --cov-report=term:skip-covered

lint: build $(VENV)/full  ## checks style and layout by ruff, and types by mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: build $(VENV)/full  ## runs every example in the documents and the docstrings
	$(PYTEST) --doctest-modules --doctest-glob='*.md' README.md CONTRIBUTING.md docs dlx sudoku

site: build $(VENV)/site  ## makes site/: the documents and the docstrings as pages that need no network
	rm -rf site
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --nitpicky --fresh-env --doctree-dir build/doctrees docs site

package: $(VENV)/full  ## makes dist/: the sources, and a wheel for this Python, which is tested in a new environment
	rm -rf dist
	$(BIN)/python -m build --sdist
	BIN=$(abspath $(BIN)) .ci/wheels $(abspath $(BIN))/python

bench: build $(VENV)/bench  ## runs the usual benchmarks and writes docs/benchmarks/; takes tens of minutes on an idle machine
	$(BIN)/python benchmarks/report.py

clean:  ## removes everything that was built, except VENV
	rm -rf build dist site *.egg-info .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find dlx sudoku benchmarks examples tests \( -name '*.so' -o -name __pycache__ \) -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys, ensurepip, venv, sysconfig; sys.exit(sys.version_info < (3, 11) or not open(sysconfig.get_path("include") + "/Python.h"))' \
		&& command -v $(firstword $(CC)) >/dev/null || { echo 'Dancing Cover needs Python 3.11 or newer with its headers, and a C compiler.' \
		'On Debian and Ubuntu: sudo apt-get install python3 python3-venv python3-dev gcc' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

requirements = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))$(1), sep="\n")'

$(VENV)/runtime: pyproject.toml setup.py | $(BIN)/python
	@echo 'Compiling the kernels takes one or two minutes ...'
	@$(call requirements,["build-system"]["requires"]) | $(PIP) install --requirement /dev/stdin
	@$(PIP) install --no-build-isolation --editable .
	@touch $@

$(VENV)/full: $(VENV)/test
$(VENV)/test $(VENV)/full $(VENV)/bench $(VENV)/site: $(VENV)/%: $(VENV)/runtime
	@$(call requirements,["project"]["optional-dependencies"]["$*"]) | $(PIP) install --requirement /dev/stdin
	@touch $@

.PHONY: all help solve build test nightly lint docs site package bench clean
