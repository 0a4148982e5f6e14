# Every target makes its own virtual environment in .venv first; the second time that costs nothing.
# What plays needs the program alone (runnable.stamp), what checks the developers' tools as well.
# make PYTHON=/path/to/python3.12 demo   uses that Python instead of the first fitting one.
# make test PYTEST_FLAGS='-k bidding'    runs some of the tests.
# make faults PARTS='kills disks' FAULTS_FLAGS='--points 50'   breaks tables in some ways alone.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
RUNNABLE := $(VENV)/runnable.stamp
INSTALLED := $(VENV)/installed.stamp
PIP := $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check
PYTHON ?=
PYTEST_FLAGS ?=
CORES := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
# Beside each worker that computes another one waits for processes, brokers and terminals (tests/conftest.py).
WORKERS := $(shell expr $(CORES) + $(CORES) 2>/dev/null || echo 2)

.DEFAULT_GOAL := help
PARTS ?=
BUNDLER := build/bundler
ESBUILD := $(BUNDLER)/node_modules/.bin/esbuild --log-level=warning --minify --charset=ascii --target=es2022
SCRIPT := --bundle --format=iife --legal-comments=eof
BUILT := cli/page/built
.PHONY: screens bench bundle bundled scripts browser suite style mypy pyright arrows quick mutants recorded caps campaign statistics cluster fuzz sweep standings tournaments matrix help map venv demo play test long lint check specs vectors verifier breakages conformance format clean

help: ## What can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST)

map: ## Every module, and what it is for
	@find p2p304 protocol cli -name '*.py' | LC_ALL=C sort | xargs awk 'FNR == 1 { printf("%s%s\t", NR > 1 ? "\n" : "", FILENAME) } \
	  FNR == 1, /(^|[.!?]|""")$$/ { gsub(/"""/, ""); printf("%s%s", FNR > 1 ? " " : "", $$0) } END { print "" }'

venv: $(INSTALLED) ## The virtual environment with p2p304 and the developers' tools in it

demo: $(RUNNABLE) ## Watch a hand being played
	@$(BIN)/p2p304 demo $(DEMO_FLAGS)

play: $(RUNNABLE) ## Play with three bots
	@$(BIN)/p2p304 play $(PLAY_FLAGS)

lint: style mypy pyright arrows ## Format, style, types and the arrows between the packages

style: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

mypy: $(INSTALLED)
	$(BIN)/mypy

pyright: $(INSTALLED)
	$(BIN)/pyright

arrows: $(INSTALLED)
	$(BIN)/lint-imports --no-logo

# Without pyright, which `make lint` runs too: it finds little that mypy does not, and takes as long as all
# other checks.
test: $(INSTALLED) ## All tests, and the checks before them
	@$(MAKE) --no-print-directory -o $(RUNNABLE) -o $(INSTALLED) style
	@$(MAKE) --no-print-directory -j $(CORES) -o $(RUNNABLE) -o $(INSTALLED) mypy arrows suite

suite: $(INSTALLED)
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup --durations 10 $(PYTEST_FLAGS)

quick: $(INSTALLED) ## The inner loop: the tests that need this process alone, in less than a minute
	$(BIN)/ruff check .
	$(BIN)/pytest -q -n $(CORES) --dist loadgroup -m quick $(patsubst %,tests/%,client crypto rules table) \
	  $(PYTEST_FLAGS)

long: $(INSTALLED) ## Every test with all its cases and five times the examples: most of an hour
	P2P304_EXAMPLES=200 nice $(BIN)/pytest -n $(WORKERS) --dist loadgroup --long --durations 30 $(PYTEST_FLAGS)

check: demo test ## Everything in one command: the demo, all checks, all tests

specs: $(INSTALLED) ## Write the generated parts of the specification
	nice $(BIN)/python -m tests.vectors.specification

vectors: $(INSTALLED) ## Write the test vectors and saved hands of the specification
	nice $(BIN)/python -m tests.vectors.all_vectors

screens: $(INSTALLED) ## Accept the screens of specs/screens, and the picture of the README, as they are drawn now
	P2P304_ACCEPT_SCREENS=1 $(BIN)/pytest -q tests/client/test_match_end.py

recorded: $(INSTALLED) ## Play recorded hands again; each must give the bytes that it gave then
	nice $(BIN)/python -m tests.table.recorded_hands $(RECORDED_FLAGS)

bench: $(INSTALLED) ## What it costs on this machine, each figure beside its floor; PARTS='cards hand' measures some
	@$(BIN)/python -m tests.bench $(PARTS) $(BENCH_FLAGS)

faults: $(INSTALLED) ## Break tables on purpose, in thousands of points; every hand must end all the same
	nice $(BIN)/python -m tests.campaigns.faults $(PARTS) --jobs $(CORES) $(FAULTS_FLAGS)

cluster: $(INSTALLED) ## Kill nodes of a three-node RabbitMQ cluster at ten points of a hand
	nice $(BIN)/python -m tests.journeys.run_cluster $(CLUSTER_FLAGS)

# make fuzz RUNS=10000000 SECONDS=3600 FUZZ_FLAGS='text lobby'   runs two targets for an hour each.
RUNS ?= 1000000
SECONDS ?= 300
FUZZ_FLAGS ?=

fuzz: $(VENV)/fuzz.stamp ## Feed everything that reads strangers' bytes up to a million inputs each, five minutes at most
	nice $(BIN)/python -m tests.campaigns.fuzz.run_fuzz --runs $(RUNS) --seconds $(SECONDS) $(FUZZ_FLAGS)

$(VENV)/fuzz.stamp: $(INSTALLED)
	@$(PIP) -e '.[dev,fuzz]'
	@touch $@

TOURNAMENTS_FLAGS ?= --teams 2 3 5 8 20 32 --cluster 8

tournaments: $(INSTALLED) ## Tournaments of bots to their champions, over mosquitto and over a cluster that loses a node in each round
	nice $(BIN)/python -m tests.journeys.run_tournaments $(TOURNAMENTS_FLAGS)

STANDINGS_FLAGS ?=

standings: $(INSTALLED) ## Walk every history of three teams; 2,000 tournaments and 2,000 records, in both implementations
	nice $(BIN)/python -m tests.campaigns.standings.run_standings $(STANDINGS_FLAGS) -- '$(VERIFIER)'

sweep: $(INSTALLED) ## 100 hands at debug level, errors forced, and no secret anywhere
	nice $(BIN)/python -m tests.campaigns.sweep.run_sweep $(SWEEP_FLAGS)

# make matrix PYTHONS='/opt/3.12/bin/python3.12' FULL=1   names another Python, and runs every test.
PYTHONS ?=
FULL ?=

matrix: $(INSTALLED) ## The same without asserts, with msgpack in Python, on Python 3.11 to 3.14
	nice $(BIN)/python -m tests.campaigns.matrix.run_matrix $(if $(FULL),--full) \
	  $(if $(PYTHONS),--pythons $(PYTHONS)) $(MATRIX_FLAGS)

OURS := $(BIN)/python -m tests.vectors.own_program
CONFORMANCE_FLAGS ?=
REPORTS := build/conformance

conformance: $(INSTALLED) ## All vectors, ten thousand audits and a seat, on our own program
	@mkdir -p $(REPORTS) && rm -f $(foreach part,vectors auditor seat,$(REPORTS)/$(part).json $(REPORTS)/$(part).xml)
	@failed=0; \
	nice $(BIN)/p2p304 conformance vectors '$(OURS)' --strict \
	  --report $(REPORTS)/vectors.json --junit $(REPORTS)/vectors.xml || failed=1; \
	nice $(BIN)/p2p304 conformance auditor '$(OURS)' --strict --jobs $(CORES) $(CONFORMANCE_FLAGS) \
	  --report $(REPORTS)/auditor.json --junit $(REPORTS)/auditor.xml || failed=1; \
	nice $(BIN)/p2p304 conformance seat '$(BIN)/p2p304 conformance sit' --strict --tables 4 \
	  --report $(REPORTS)/seat.json --junit $(REPORTS)/seat.xml || failed=1; \
	exit $$failed

VERIFIER := node verifier/node.mjs
VERIFIER_FLAGS ?= --mutations 2000
RULES_FLAGS ?= --hands 2000

# make verifier VERIFIER_FLAGS='--mutations 20000' is the whole campaign, about two hours of two cores; with
# '--first 5000 --mutations 5000' it is made in parts.
verifier: $(INSTALLED) ## All vectors, two thousand audits and two thousand hands of random play on the verifier in JavaScript
	nice $(BIN)/p2p304 conformance vectors '$(VERIFIER)' --strict
	nice $(BIN)/p2p304 conformance auditor '$(VERIFIER)' --strict --jobs $(CORES) $(VERIFIER_FLAGS)
	nice $(BIN)/python -m tests.verifier.rules_fuzz $(RULES_FLAGS) -- '$(VERIFIER)'

bundle: $(INSTALLED) ## Bundle the script of pages and their verifier; the README states the digest that follows
	@$(MAKE) --no-print-directory scripts
	$(BIN)/python -m tests.verifier.state_digest

bundled: ## Bundle anew, and compare with what the repository holds
	@$(MAKE) --no-print-directory scripts BUILT=build/page
	diff -r build/page $(BUILT)

scripts: $(BUNDLER)/package-lock.json
	@mkdir -p $(BUILT)
	$(ESBUILD) $(SCRIPT) verifier/page/worker.mjs --outfile=$(BUILT)/worker.js
	$(ESBUILD) $(SCRIPT) cli/page/web/main.mjs --outfile=$(BUILT)/page.js
	$(ESBUILD) cli/page/web/page.css --outfile=$(BUILT)/page.css

$(BUNDLER)/package-lock.json: verifier/bundler/package.json verifier/bundler/package-lock.json
	@mkdir -p $(BUNDLER)
	@cp verifier/bundler/package.json $(BUNDLER)
	@cp verifier/bundler/package-lock.json $(BUNDLER)/wanted.json
	@cd $(BUNDLER) && cp wanted.json package-lock.json && npm ci --silent --ignore-scripts || { rm -f package-lock.json; exit 1; }
	@touch $@

browser: $(INSTALLED) $(BUNDLER)/package-lock.json ## Pages of all saved hands in Chromium: verified, stepped through, attacked; BROWSER_FLAGS=--accept keeps pictures
	nice $(BIN)/python -m tests.verifier.run_browser $(BROWSER_FLAGS)

breakages: $(INSTALLED) ## Break our program in nineteen ways; what can see it of vectors, auditor and seat must notice
	nice $(BIN)/python -m tests.vectors.run_breakages $(BREAKAGES_FLAGS)

format: $(INSTALLED) ## Put the code into its canonical format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

campaign: $(INSTALLED) ## Long seeded campaigns over whole tables; PARTS='loss restart' runs some
	$(BIN)/python -m tests.campaigns.hands.run_hands $(PARTS) --jobs $(CORES)

caps: $(INSTALLED) ## Climb to the positions of caps that cost the judge most; none may cost too much
	nice $(BIN)/python -m tests.rules.run_caps --jobs $(CORES) $(CAPS_FLAGS)

# make mutants COUNT=60 MUTANTS_FLAGS='--seed 7 --first 60'   tries the second sixty of another sample.
COUNT ?= 300

mutants: $(VENV)/mutants.stamp ## Change the protocol in 300 places, one at a time; a test must notice each
	nice $(BIN)/python -m tests.campaigns.mutants.run_mutants --jobs $(CORES) --count $(COUNT) $(MUTANTS_FLAGS)

$(VENV)/mutants.stamp: $(INSTALLED)
	@$(PIP) -e '.[dev,mutants]'
	@touch $@

statistics: $(INSTALLED) ## Where cards land in 10,000 shuffles and 10,000 sorted hands: chi-squared
	nice $(BIN)/python -m tests.crypto.run_statistics --jobs $(CORES) $(STATISTICS_FLAGS)

clean: ## Remove the virtual environment and every cache
	rm -rf $(VENV) .matrix .fuzz .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment that still runs is kept, one that does not (its Python is gone) is made anew.
$(RUNNABLE): pyproject.toml
	@if ! $(BIN)/python -c 'import pip' >/dev/null 2>&1; then \
	  for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11; do \
	    "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
	      >/dev/null 2>&1 || continue; \
	    fitting=$$python; \
	    "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1 && break; \
	    fitting=; bare=$$python; \
	  done; \
	  if [ -z "$$fitting" ] && [ -n "$$bare" ]; then \
	    echo "p2p304: $$bare cannot make virtual environments; on Debian and Ubuntu," \
	      "'apt install python3-venv' mends that." >&2; exit 1; \
	  elif [ -z "$$fitting" ]; then \
	    echo "p2p304: Python 3.11, 3.12, 3.13 or 3.14 is needed and none was found; install one," \
	      "or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; \
	  fi; \
	  echo "making a virtual environment in $(VENV) with $$fitting"; \
	  "$$fitting" -m venv --clear $(VENV) || exit 1; \
	fi
	@echo "installing p2p304 into $(VENV)"
	@$(PIP) -e .
	@touch $@

$(INSTALLED): pyproject.toml | $(RUNNABLE)
	@echo "installing the developers' tools into $(VENV)"
	@$(PIP) -e '.[dev]'
	@touch $@
