# Everything is built and run in a virtual environment, VENV, and every target brings about what it needs:
# `make solve` and `make test` work in a fresh clone. Another interpreter: make test PYTHON=python3.13 VENV=.venv-3.13

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest

# The requirements that pyproject.toml lists under the given keys.
requirements = $(BIN)/python -c 'import functools, operator, tomllib; print(*functools.reduce(operator.getitem, "$(1)".split(), tomllib.load(open("pyproject.toml", "rb"))), sep="\n")'

.PHONY: all solve build test lint types docs coverage bench dist clean

all: build lint types test docs

solve: build  ## the contest's sample: prints 2829 and the completed grid
	$(BIN)/sudoku target --grid examples/contest-1.txt

build: $(VENV)/runtime  ## compiles the kernels whose sources have changed
	@$(BIN)/python setup.py --quiet build_ext --build-lib . --build-temp build/temp

test: build $(VENV)/dev
	$(PYTEST)

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: build $(VENV)/dev
	$(BIN)/mypy

docs: build $(VENV)/dev  ## runs every example in the documents and the docstrings
	$(PYTEST) --doctest-modules --doctest-glob='*.md' README.md CONTRIBUTING.md docs dlx sudoku

coverage: build $(VENV)/dev
	$(PYTEST) --cov --cov-report=term:skip-covered

bench: build $(VENV)/bench  ## docs/benchmarks/: tables and charts of every suite; on an idle machine, for some minutes
	$(BIN)/python benchmarks/report.py

dist: $(VENV)/dev  ## dist/: the source distribution, and the wheel built from it
	$(BIN)/python -m build

clean:  ## removes all that was built, but not VENV
	rm -rf build dist *.egg-info .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks
	find dlx sudoku benchmarks examples tests \( -name '*.so' -o -name '*.c' -o -name __pycache__ \) -prune -exec rm -rf {} +

$(VENV)/runtime: pyproject.toml setup.py | $(BIN)/python
	@echo 'Building in $(VENV); the first time this takes a minute or two.'
	@$(call requirements,build-system requires) | $(PIP) install --requirement /dev/stdin
	@$(PIP) install --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: $(VENV)/runtime
	@$(call requirements,project optional-dependencies dev) | $(PIP) install --requirement /dev/stdin
	@touch $@

$(VENV)/bench: $(VENV)/dev
	@$(call requirements,project optional-dependencies bench) | $(PIP) install --requirement /dev/stdin
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import ensurepip, os, shutil, sys, sysconfig, venv; \
		header = os.path.join(sysconfig.get_path("include"), "Python.h"); \
		compiler = shutil.which(os.environ.get("CC") or sysconfig.get_config_var("CC").split()[0]); \
		sys.exit(not (sys.version_info >= (3, 11) and os.path.exists(header) and compiler))' 2>/dev/null \
	|| { printf '%s\n' 'Dancing Cover needs Python 3.11 or newer with its venv module and headers, and a C compiler.' \
		'On Debian and Ubuntu:' '' '    sudo apt-get install python3 python3-venv python3-dev gcc make' '' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
