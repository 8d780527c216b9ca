PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --editable
PRODUCT := .venv/.product
EVERYTHING := .venv/.everything

.PHONY: demo test soak lint bench browser clean

demo: $(PRODUCT)
	@$(BIN)/fipscm demo

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal

# New cases at every run, so many of each kind, where `make test` tries a hundred that are always the same.
CASES ?= 2000
soak: $(EVERYTHING)
	OMP_NUM_THREADS=1 FIPSCM_CASES=$(CASES) $(BIN)/pytest -n 2 tests/fuzz tests/faults

lint: $(EVERYTHING)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(PRODUCT)
	$(BIN)/fipscm bench smoke

# The tests of pages run in Debian's Chromium, and are skipped where there is none.
browser:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then \
		echo "Chromium is there."; \
	elif [ "`id -u`" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium ..."; \
		apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium || \
			echo "Chromium could not be installed: tests of pages will be skipped."; \
	else \
		echo "There is no Chromium, and only root can install it (apt-get install chromium): tests of pages will be skipped."; \
	fi

clean:
	rm -rf .venv

# Each is installed again only when the list of dependencies changes; the second adds to the first.
$(PRODUCT): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
		{ echo "fipscm needs Python 3.11 to 3.13, but $(PYTHON) is `$(PYTHON) --version`: run make PYTHON=python3.12"; exit 1; }
	@echo "Setting up .venv (once, a few minutes) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(INSTALL) .
	@touch $@

$(EVERYTHING): $(PRODUCT)
	@echo "Adding what the tests need: tools, rivals, cluster engines (once, a few minutes) ..."
	@$(INSTALL) ".[dev,baselines,cluster]"
	@touch $@
