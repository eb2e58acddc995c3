# Two commands on a fresh machine: `make demo` and `make test`. They need python3 >= 3.11 and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint wheel-test bench bench-compare clean

demo: $(VENV)/user  ## Train the Game of Life until every neighbourhood is right.
	$(BIN)/grapheme train life

test: $(VENV)/dev  ## Run the tests.
	$(BIN)/python -m pytest

lint: $(VENV)/dev  ## Run the linters and the type checker.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

wheel-test: $(VENV)/dev  ## Build the wheel and run the tests on it, outside the repository.
	PYTHON="$(PYTHON)" bash tests/wheel.sh

bench: $(VENV)/dev  ## Run the benchmarks quickly on the current commit.
	cd asv_bench && PATH="$(abspath $(BIN)):$$PATH" asv machine --yes > /dev/null && \
	PATH="$(abspath $(BIN)):$$PATH" asv run --quick --show-stderr --python=same --set-commit-hash=$$(git rev-parse HEAD)

bench-compare: $(VENV)/dev  ## Compare the current commit with the one before it.
	cd asv_bench && PATH="$(abspath $(BIN)):$$PATH" asv machine --yes > /dev/null && \
	PATH="$(abspath $(BIN)):$$PATH" asv continuous --quick --show-stderr HEAD~1 HEAD

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/user: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@ $(VENV)/user

clean:
	rm -rf $(VENV) dist build .asv asv_bench/.asv .mypy_cache .pytest_cache .ruff_cache
