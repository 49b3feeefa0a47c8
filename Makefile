# Short names for what CMake, CTest and the scripts do. `make demo` and `make check` set themselves up from a clean
# clone on Debian 12 or later (scripts/setup). Nothing here is needed to work with the presets directly.
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
BUILD := build/release

all: build

setup-build:
	@scripts/setup build

# Configured once; ninja re-runs cmake by itself when a CMake file or the set of sources changes.
$(BUILD)/build.ninja: | setup-build
	cmake --preset release

build: setup-build $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS)

demo:
	@scripts/setup build test
	@$(MAKE) --no-print-directory build
	@scripts/sysroot small
	@scripts/demo

check:
	@scripts/setup build test
	@! grep -qs '^RISCV_CC:.*NOTFOUND' $(BUILD)/CMakeCache.txt || cmake --preset release
	@$(MAKE) --no-print-directory build
	@scripts/sysroot small
	@scripts/check $(BUILD)

bench: build
	@scripts/setup test
	@scripts/sysroot small
	@bench/run

# Every program of workloads/table.tsv with its input.
workloads: build
	@workloads/prepare

install: build
	cmake -DCMAKE_INSTALL_PREFIX=$(PREFIX) -B $(BUILD) >/dev/null
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --strip

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build

.PHONY: all build setup-build demo check bench workloads install format clean
