#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own and runs tests from a folder outside the repository: those
# of everything that a wheel may lack or announce wrongly. That the code is right, the other tests say once.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check build
"$work/venv/bin/python" -m build --quiet --wheel --outdir "$work" .
wheel=$(echo "$work"/*.whl)
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel[dev]"
cp -r tests pyproject.toml "$work/"
cd "$work"
"$work/venv/bin/python" -m pytest -p no:cacheprovider "$@" tests/test_*.py tests/datasets tests/cortex/test_registry.py \
  tests/cuda/test_api.py tests/cuda/test_compile.py tests/graph/test_graph_command.py tests/graph/test_networkx_backend.py
