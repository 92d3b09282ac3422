# `make` shows this help; it is made from the comments behind the targets.

PYTHON ?= python3
BIN := .venv/bin
BENCHES := $(patsubst tests/benchmarks/bench_%.py,%,$(wildcard tests/benchmarks/bench_*.py))

.PHONY: help run test check format catalogs lock environment environment-dev browser pictures bench $(BENCHES:%=bench-%)

help: ## Show what can be done
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  make bench-X      Measure one thing: $(BENCHES)"

run: environment ## Set up what is missing, then run everything; Ctrl-C ends it
	@$(BIN)/python app.py

test: environment-dev browser ## Set up what is missing, then test everything
	@$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

check: environment-dev ## Format, lint, types, import directions, documentation
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/pytest -q tests/test_docs.py tests/test_house.py

format: environment-dev ## Format the code and mend what can be mended by machine
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

catalogs: environment-dev ## Bring the translations up to date with the strings in use, list what is missing
	@$(BIN)/python -m memory.web.catalogs

lock: environment-dev ## Pin the newest versions of all dependencies, with hashes
	@$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --generate-hashes --no-emit-index-url \
		--no-header --no-annotate -o .lock/run.txt
	@$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --generate-hashes --no-emit-index-url \
		--no-header --no-annotate --group dev -c .lock/run.txt -o .lock/dev.txt

pictures: environment-dev browser ## Take the README's pictures from a real run
	@$(BIN)/python -m tests.pictures

bench: $(BENCHES:%=bench-%) ## Measure everything, one after the other

bench-listen: export DATA ?= ../shared/listening/dev.jsonl
bench-recall bench-peers: export DATA ?= ../shared/data/locomo10.json
$(BENCHES:%=bench-%): bench-%: environment-dev
	@$(BIN)/python -m tests.benchmarks.bench_$*

environment:
	@$(PYTHON) .lock/install run

environment-dev:
	@$(PYTHON) .lock/install dev

browser:
	@.ci/browser
