# make run          the dashboard at http://127.0.0.1:8000 (PORT= changes it; DEMO_PODS= DEMO_RATE= DEMO_SEED= the demo cluster)
# make test         every part, browser included; says what was skipped and why (LONG=1: all faults, pages and clusters, too)
# make test-fast    what needs no other program (browser, API server, Redis, PostgreSQL), in less than a minute
# make check        format, lint, types, layers, templates, documentation
# make help         the rest

PYTHON ?= $(firstword $(foreach p,python3.14 python3.13 python3.12 python3.11 python3,$(shell $(p) -c 'import sys, venv, ensurepip; sys.version_info >= (3, 11) and print("$(p)")' 2>/dev/null)))
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8000
export PORT
# Some container images set it. Each of the hundreds of programs that the tests start would compile all it imports anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := run
.PHONY: run test test-fast soak check format lock bundles vendor chart screenshots axe reference docs bench wheels sbom image release clean help

help:
	@sed -n '1,4s/^# //p' Makefile
	@echo '                  (make test WORKERS=1 runs one test at a time, ARGS= goes to pytest)'
	@echo 'make soak         10,000 random histories of the informer (HISTORIES= SEED= STEPS= change them), EXPLORE=500 of'
	@echo '                  the path to the page and of the merge, and the tests that take minutes'
	@echo 'make format       format the code and templates'
	@echo 'make lock         resolve pyproject.toml and requirements-*.in into the pinned requirements*.txt'
	@echo 'make bundles      build static/bundles again, after a script or style sheet was changed (needs npm)'
	@echo 'make vendor       fetch the browser libraries of static/vendor/vendor.json anew (needs npm)'
	@echo 'make chart        write deploy/kustomize and the table of values again, after the Helm chart was changed (needs helm)'
	@echo 'make screenshots  pictures of every page into screenshots/ (needs Chromium)'
	@echo 'make axe          the same, with what axe-core objects to on any of them (ONLY=list,feed: these alone)'
	@echo 'make reference    informerd'"'"'s API reference from its docstrings, into var/reference'
	@echo 'make docs         the documentation as a site into var/site/<version>, with each link checked'
	@echo 'make bench        every benchmark'
	@echo 'make wheels       the wheels of deltaboard and informerd into dist/ (docs/install.md)'
	@echo 'make sbom         what the wheels bring, as CycloneDX and as a list of licences, into dist/'
	@echo 'make image        an image with buildah (docs/image.md)'
	@echo 'make release      all files of a release into dist/, tested (docs/releasing.md)'
	@echo 'make clean        take away the virtual environment and what was made'

run: $(VENV)/.run
	@$(BIN)/python manage.py migrate --verbosity 0
	@exec $(BIN)/python manage.py deltaboard

WORKERS ?= 5 # on two cores, too: tests with a browser or a fault wait half of their time; 6 at most, who have ports of their own

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

test-fast: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not external and not slow' $(ARGS)

HISTORIES ?= 10000
SEED ?=
STEPS ?= 40
EXPLORE ?= 500
EXPLORERS := tests/dashboard/live/test_random_histories.py tests/dashboard/objects/merge/test_three_way_properties.py

soak: $(VENV)/.dev
	$(BIN)/python -m tools.informer_soak --histories $(HISTORIES) --steps $(STEPS) $(if $(SEED),--seed $(SEED))
	EXPLORE=$(EXPLORE) $(BIN)/python -m pytest --timeout 0 -o faulthandler_timeout=0 $(EXPLORERS)
	$(BIN)/python -m pytest -m 'soak or long' -o faulthandler_timeout=0

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/djade --check --target-version 5.2 $$(find templates -name '*.html')
	$(BIN)/python manage.py makemigrations --check --dry-run --verbosity 0
	$(BIN)/python -m tools.site

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/djade --target-version 5.2 $$(find templates -name '*.html')

lock: $(VENV)/.dev
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links --generate-hashes --custom-compile-command 'make lock' --extra models --extra traces --no-emit-package informerd pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links --generate-hashes --custom-compile-command 'make lock' requirements-docs.in -o requirements-docs.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-emit-find-links --generate-hashes --custom-compile-command 'make lock' requirements-dev.in -o requirements-dev.txt

bundles: $(VENV)/.dev
	$(BIN)/python -m tools.page_bundles

vendor: $(VENV)/.dev
	$(BIN)/python -m tools.vendor
	$(BIN)/python -m tools.page_bundles

chart: $(VENV)/.dev
	$(BIN)/python -m tools.chart_files

screenshots: $(VENV)/.dev
	$(BIN)/python -m tools.screenshots screenshots

axe: $(VENV)/.dev
	$(BIN)/python -m tools.screenshots --axe $(if $(ONLY),--only $(ONLY)) screenshots

reference: $(VENV)/.dev
	$(BIN)/python -m tools.informerd_reference var/reference

docs: $(VENV)/.docs
	$(BIN)/python -m tools.site

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

wheels: $(BIN)/python
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ./informerd
	cd dist && sha256sum *.whl > SHA256SUMS

sbom: wheels $(VENV)/.dev
	$(BIN)/python -m tools.sbom dist

BUILDAH ?= buildah
BASE ?= python:3.13
IMAGE ?= deltaboard

image: wheels
	$(BUILDAH) build --build-arg BASE=$(BASE) --file deploy/image/Containerfile --tag $(IMAGE) $(BUILD) .

release: wheels $(VENV)/.dev # CANDIDATE=1: to be tried; NO_IMAGE=1: where there is no buildah; KEY=: signs it
	$(BIN)/python -m tools.release $(if $(CANDIDATE),--candidate) $(if $(NO_IMAGE),--no-image) $(if $(KEY),--key $(KEY)) dist

clean:
	rm -rf dist $(VENV) var screenshots .mypy_cache .ruff_cache .pytest_cache .hypothesis tools/codemirror/node_modules

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'Deltaboard needs Python 3.11 or newer with venv (on Debian: apt-get install python3-venv), or say PYTHON=/path/to/python'; exit 1; }
	$(PYTHON) -m venv $(VENV)

# What pip warns of matters only where it fails; it stays in $(VENV)/pip.log.
pip_install = $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1) 2> $(VENV)/pip.log || { cat $(VENV)/pip.log >&2; exit 1; }

$(VENV)/.run: requirements.txt | $(BIN)/python
	@echo 'Installing what Deltaboard needs into $(VENV), which may take some minutes'
	@$(call pip_install,requirements.txt)
	@touch $@

$(VENV)/.docs: requirements-docs.txt requirements.txt | $(BIN)/python
	@echo 'Installing what the documentation needs into $(VENV), which may take some minutes'
	@$(call pip_install,requirements-docs.txt)
	@touch $@ $(VENV)/.run

$(VENV)/.dev: requirements-dev.txt requirements-docs.txt requirements.txt | $(BIN)/python
	@echo 'Installing what the tests need into $(VENV), which may take some minutes'
	@$(call pip_install,requirements-dev.txt)
	@touch $@ $(VENV)/.docs $(VENV)/.run
