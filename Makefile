# `make` lists the verbs. Each sets up what it needs first and does nothing twice.
.DEFAULT_GOAL := help
.PHONY: help run setup test check unit e2e fix ingest bench latency lab lock machine venv-dev venv-lab venv-test
MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
PY := .venv/bin/python
export FROM NAME DATA MODEL URL AGAINST

# The first interpreter that will do; PYTHON=/path/to/python chooses another.
define SETUP
@for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.14 python3.11); do \
  if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; then \
    exec $$python dev/setup.py
endef
define SETUP_END
; fi; done; echo "Prelude needs Python 3.11 to 3.14 and $(or $(PYTHON),PATH) has none: install one, or name it: make PYTHON=/path/to/python" >&2; exit 1
endef

help: ## this list
	@awk -F ' *:.*## *' '/^[a-z0-9-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

run: $(if $(filter local,$(MODEL)),venv-lab,venv-dev) ## start everything and print the address (PORT=8000, MODEL=local)
	@exec $(PY) -m dev $(if $(MODEL),--model "$$MODEL")

setup: venv-test ## install the pinned packages into .venv, those of the tests too

test: check unit e2e ## everything: checks, tests, and a real browser against a running stack

check: venv-test ## ruff, mypy strict, import contracts
	$(PY) -m ruff check
	$(PY) -m mypy
	.venv/bin/lint-imports --no-cache

unit: venv-test ## the tests of the rooms, on real parts
	$(PY) -m pytest tests

e2e: venv-test machine ## a real Chromium against a running stack
	$(PY) -m pytest e2e

fix: venv-test ## let ruff repair what it can
	$(PY) -m ruff check --fix

ingest: venv-dev ## FROM=folder-or-file: read documents in
	@exec $(PY) -m dev ingest $(if $(FROM),"$$FROM")

bench: venv-test ## [NAME=retrieval] [DATA=folder]: print the figures
	@exec $(PY) -m e2e.bench $(NAME) $(if $(DATA),--data "$$DATA")

lab: venv-lab ## waits of a real model on this machine: prefill, decode, and what shortens them (ARGS=--docs)
	@exec $(PY) -m e2e.lab $(ARGS)

latency: venv-test machine ## [NAME=scenario] [URL=https://…] [AGAINST=result.json]: what readers wait for
	@exec $(PY) -m e2e.latency $(NAME) $(if $(URL),--url "$$URL") $(if $(AGAINST),--against "$$AGAINST")

lock: venv-dev ## pin again what pyproject.toml asks for (ARGS=--upgrade: the newest)
	@exec $(PY) -m dev.pins $(ARGS)

machine: venv-test
	@exec $(PY) -m dev.machine

venv-dev:
	$(SETUP) dev$(SETUP_END)

venv-lab:
	$(SETUP) lab$(SETUP_END)

venv-test:
	$(SETUP) test$(SETUP_END)
