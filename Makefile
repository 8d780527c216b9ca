PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint bench clean

demo: $(READY)
	@$(BIN)/fipscm demo

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/fipscm bench smoke

clean:
	rm -rf .venv

# The environment is rebuilt only when the list of dependencies changes.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
		{ echo "fipscm needs Python 3.11 to 3.13, but $(PYTHON) is `$(PYTHON) --version`: run make PYTHON=python3.12"; exit 1; }
	@echo "Setting up .venv (once, a few minutes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev,baselines,cluster]"
	@touch $(READY)
