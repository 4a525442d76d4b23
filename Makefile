# For people. CMake does the work (CMakePresets.json); tools/setup installs what is missing, in every
# target that needs something, so that a bare machine with git and make is enough.
#
#   make run      build, and measure the demo
#   make test     everything, on a fresh machine
#
# PREFIX and DESTDIR say where `make install` goes; SETUP=true skips tools/setup.
SETUP ?= tools/setup
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
DESTDIR ?=
# Seconds each fuzz target gets in `make fuzz`.
FUZZ_SECONDS ?= 60
# Kept apart from a project's own store, so that `make clean` takes it away too.
DEMO_STORE := build/demo-store

export JOBS PREFIX DESTDIR

.DEFAULT_GOAL := help
.PHONY: help run build test test-long bench lint format coverage fuzz install uninstall clean

help: ## show this list
	@echo "Tare: measures code, keeps what it measured, and says what it does not know."
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo
	@echo "  PREFIX=$(PREFIX) for install and uninstall; no root needed below your home folder."

build: ## the tool and the library: build/tare, build/libtare.a, build/libtare.so
	@$(SETUP) build
	@cmake --preset release -DTARE_TESTS=OFF $(if $(QUIET),>/dev/null)
	@cmake --build --preset release -j $(JOBS) $(if $(QUIET),>/dev/null)

run: ## build, measure the demo, compare it with a build that is slower; under a minute
	@$(MAKE) --no-print-directory build
	@echo
	@echo '$$ tare run build/examples/demo'
	@build/tare run --store $(DEMO_STORE) --budget 25s build/examples/demo
	@echo
	@echo '$$ tare ab build/examples/demo build/examples/demo_slower   # does 1/16 more work in hash/fnv1a'
	@build/tare ab --store $(DEMO_STORE) --budget 15s --filter 'hash.*(256|4096)|find/strstr' \
		build/examples/demo build/examples/demo_slower; echo "(exit $$?: 1 means regressed)"
	@echo
	@echo "next: build/tare runs show --store $(DEMO_STORE)   the newest run again, in full"
	@echo "      build/tare ab 'sort Makefile' 'sort -r Makefile'   compare any two commands"
	@echo "      build/tare doctor                                is this machine fit to measure?"

test: ## everything: gcc, clang, sanitizers, lint, short fuzzing, aarch64
	@$(SETUP) build test
	@tools/test all

test-long: ## the slow proofs as well: long tests, longer fuzzing
	@$(SETUP) build test bench
	@tools/test long

lint: ## layers, format, static analysis, scripts
	@$(SETUP) build test
	@tools/test lint

fuzz: ## fuzz every reader of outside data, FUZZ_SECONDS (60) each
	@$(SETUP) build test
	@tools/fuzz $(FUZZ_SECONDS)

coverage: ## which lines the tests reach: build-coverage/coverage.txt
	@$(SETUP) build test
	@tools/coverage

bench: ## Tare's own benchmarks, against its peers
	@$(SETUP) build test bench
	@$(MAKE) --no-print-directory build
	@status=0; \
	for script in bench/*.sh; do echo "== $$script"; $$script build || status=1; done; \
	echo "== bench_store"; build/bench/bench_store build || status=1; \
	exit $$status

format: ## put every C file into the project's format
	@$(SETUP) build test
	@git ls-files -co --exclude-standard '*.c' '*.h' ':!*_values.h' | xargs clang-format -i

install: ## put tare, libtare, header and manual below PREFIX
	@$(SETUP) build
	@tools/install install

uninstall: ## take away exactly what install put there
	@tools/install uninstall

clean: ## remove everything that was built here, the demo's store too
	rm -rf build build-debug build-clang build-asan build-tsan build-coverage build-fuzz build-aarch64
