# A thin face over CMake: the presets in CMakePresets.json are the build, this names the errands.
#
#   make            the release build; the binary is build/ledgergate
#   make demo       installs what is missing, builds, shows the program at work
#   make check      installs what is missing, builds three ways, runs all tests, fuzzes briefly
#   make check-peers  runs real clients through the gate, and opens the HTML page in Chromium; installs them into build/peers-clients (WORD: those so named)
#   make fuzz       fuzzes each parser for FUZZ_SECONDS (600)
#   make hunt       looks for packs of which something false is proved: HUNT_SEED, HUNT_CASES, HUNT_PACKS
#   make slow       sanitized, all of what `make check` takes a part of: each recording, offset, length and reply
#   make crash      kills and unplugs the log KILLS (10,000) times
#   make bench      measures; see bench/
#   make bench-load  the gateway under load, beside others: RATE (3000), SECONDS (20), ROUNDS (3), TOGETHER; writes docs/benchmarks-serve.md
#   make bench-soak  its memory over SOAK (600) seconds at RATE (1700) a second; likewise
#   make bench-audit  the audit beside promptfoo and inspect-scout: ROUNDS (3); writes docs/benchmarks-audit.md
#   make bench-simulate  the simulator beside Prism: ROUNDS (3); writes docs/benchmarks-simulate.md
#   make bench-gats  what each part of a rehearsal is worth, with a scripted planner: GATS_SEEDS (1); writes docs/gats.md
#   make peers      installs what we are compared with into build/peers
#   make differential TAU2=CHECKOUT  the packs beside the programs they model; DIFF_CALLS, DIFF_SEED, GATE=1, PYTHON
#   make conformance  runs the published suites; the sums are in build/conformance.json
#   make format     formats the sources
#   make coverage   runs the tests with line counts and prints them
#   make tsan       runs the tests under the thread sanitizer
#   make install    the binary, the library, its headers, the unit, below PREFIX (/usr/local)
#   make clean      removes build/
FUZZ_SECONDS ?= 600
HUNT_SEED ?= 2
HUNT_CASES ?= 1000000
HUNT_PACKS ?= 20000
KILLS ?= 10000
SECONDS_EACH = $(or $(SECONDS),20)
ROUNDS ?= 3
SOAK ?= 600
GATS_SEEDS ?= 1
PREFIX ?= /usr/local
DIFF_CALLS ?= 20000
DIFF_SEED ?= 1
PYTHON ?= python3 -B

.DEFAULT_GOAL := build
.PHONY: build demo check check-peers fuzz hunt slow crash bench bench-load bench-soak bench-audit bench-simulate bench-gats peers differential conformance format coverage tsan install clean deps

# Ninja configures again by itself when a CMakeLists.txt changes, but does not watch the presets.
build/release/build.ninja: CMakePresets.json
	@command -v cmake >/dev/null || { echo "cmake is missing: scripts/install-deps.sh installs what is needed"; exit 1; }
	@cmake --preset release || { echo "scripts/install-deps.sh installs what is missing"; exit 1; }
	@touch $@

build: build/release/build.ninja
	@cmake --build --preset release --target product
	@ln -sfn release/ledgergate build/ledgergate

deps:
	@scripts/install-deps.sh build test

demo:
	@scripts/install-deps.sh build
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh

check: deps
	@$(PYTHON) scripts/check.py

# LEDGERGATE_BIN: this program, and nothing is built. A client that cannot be installed does not end it: run.py counts it
# as skipped, and fails for that where CI is set.
check-peers: $(if $(LEDGERGATE_BIN),,build)
	-@scripts/install-deps.sh peers
	-@tests/peers/install.sh
	$(if $(LEDGERGATE_BIN),,@cmake --build --preset release --target support_page support_execute)
	@$(PYTHON) tests/peers/run.py $(WORD)
	$(if $(WORD),,@$(PYTHON) tests/peers/mcp.py)
	$(if $(WORD),,@$(PYTHON) tests/peers/spark.py)
	$(if $(WORD),,@$(PYTHON) tests/peers/rest.py)

fuzz: deps
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz
	@$(PYTHON) scripts/fuzz.py --seconds $(FUZZ_SECONDS) $(TARGETS)

hunt: build
	@cmake --build --preset release --target conformance_prove_generated conformance_prove_witness conformance_prove_agreement
	@build/release/tests/conformance_prove_witness $(HUNT_PACKS) $(HUNT_SEED)
	@build/release/tests/conformance_prove_generated $(HUNT_CASES) $(HUNT_SEED)
	@LG_CASES=10500 build/release/tests/conformance_prove_agreement

slow: deps
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev
	@LG_SLOW=1 ctest --preset dev -R '^e2e\.(law|long_texts|serve_live|serve_splits)$$'
	@build/dev/tests/conformance_prove_witness 1000

crash: build
	@cmake --build --preset release --target unit_store_test_crash unit_store_test_power
	@build/release/tests/unit_store_test_crash $(KILLS)
	@build/release/tests/unit_store_test_power $$(($(KILLS) / 100))

bench: build
	@cmake --build --preset release --target benchmarks
	@bench/run.sh

# What cannot be installed is named and left out of the tables.
bench-load: build
	-@scripts/install-deps.sh load
	-@bench/peers/install.sh load
	@cmake --build --preset release --target benchmarks
	@$(PYTHON) bench/load/run.py --seconds $(SECONDS_EACH) --rounds $(ROUNDS) $(if $(RATE),--rate $(RATE)) $(if $(TOGETHER),--together) --write

bench-soak: build
	@cmake --build --preset release --target benchmarks
	@$(PYTHON) bench/load/run.py --soak $(SOAK) $(if $(RATE),--rate $(RATE)) $(if $(TOGETHER),--together) --write

bench-audit: build
	@bench/peers/install.sh audit
	@$(PYTHON) bench/audit_peers.py --rounds $(ROUNDS) --write
	@$(PYTHON) bench/audit_scale.py --write

bench-simulate: build
	-@scripts/install-deps.sh load
	@bench/peers/install.sh simulate
	@$(PYTHON) bench/simulate_peers.py --rounds $(ROUNDS) --write

bench-gats: build
	@$(PYTHON) bench/gats.py --seeds $(GATS_SEEDS) --write

peers:
	@bench/peers/install.sh

differential: build
	@cmake --build --preset release --target differential_teller
	@$(PYTHON) tests/differential/tau2.py $(TAU2) --calls $(DIFF_CALLS) --seed $(DIFF_SEED) $(if $(GATE),--gate) \
		|| { code=$$?; test $$code = 77; }

conformance: build
	@cmake --build --preset release --target conformance_cel_conformance \
		conformance_schema_conformance conformance_json_suite
	@$(PYTHON) scripts/conformance.py

format:
	@find src include tests fuzz examples bench -name '*.[ch]' -exec clang-format -i {} +

coverage: deps
	@cmake --preset coverage >/dev/null
	@cmake --build --preset coverage
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage -LE structure
	@$(PYTHON) scripts/coverage.py

tsan: deps
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan
	@ctest --preset tsan -LE structure

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build
