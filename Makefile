# Two commands on a fresh machine: `make demo` and `make test`. They need python3 >= 3.11 and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint wheel-test plugin-test bench bench-once bench-compare clean

# Tests run on all cores, a file at a time; PYTEST= runs them one after another.
PYTEST ?= -n auto --dist loadfile
# Which benchmarks to run, as in BENCH=Cliques.
BENCH ?= .
ASV := PATH="$(abspath $(BIN)):$$PATH" asv

demo: $(VENV)/user  ## Train the Game of Life until every neighbourhood is right.
	$(BIN)/grapheme train life

test: $(VENV)/dev  ## Run the tests, but for the commands of the documents, which need the plugins: see plugin-test.
	$(BIN)/python -m pytest $(PYTEST) --ignore tests/test_documented_commands.py

lint: $(VENV)/dev  ## Run the linters, the type checker and the check of layers.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

wheel-test: $(VENV)/dev  ## Build the wheel and run the tests on it, outside the repository.
	PYTHON="$(PYTHON)" bash tests/wheel.sh $(PYTEST)

plugin-test: $(VENV)/dev  ## Install the plugins as a stranger's would be and run the tests of each.
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(foreach plugin,$(wildcard plugins/*),-e '$(plugin)[test]')
	for plugin in plugins/*; do $(BIN)/python -m pytest $(PYTEST) -c $$plugin/pyproject.toml $$plugin/tests || exit 1; done
	$(BIN)/python -m pytest $(PYTEST) tests/test_documented_commands.py

bench: $(VENV)/dev  ## Run the benchmarks quickly on the current commit.
	cd asv_bench && $(ASV) machine --yes > /dev/null && \
	$(ASV) run --quick --show-stderr --python=same --set-commit-hash=$$(git rev-parse HEAD) --bench "$(BENCH)"

bench-once: $(VENV)/dev  ## Run every benchmark once, on numba and one thread, and fail if any of them fails.
	cd asv_bench && $(ASV) machine --yes > /dev/null && \
	$(ASV) run --quick --show-stderr --python=same --bench "\('numba', 1|startup|Simplify"

bench-compare: $(VENV)/dev  ## Compare the current commit with the one before it.
	cd asv_bench && $(ASV) machine --yes > /dev/null && \
	$(ASV) continuous --quick --show-stderr HEAD~1 HEAD --bench "$(BENCH)"

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
