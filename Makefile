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

# The program alone, and not a word unless something fails.
program:
	@scripts/setup build
	@mkdir -p $(BUILD)
	@[ -f $(BUILD)/build.ninja ] || cmake --preset release >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) --parallel $(JOBS) --target culprit -- --quiet

demo:
	@scripts/setup build demo
	@[ -x $(BUILD)/culprit ] || echo 'building culprit, once ...'
	@$(MAKE) --no-print-directory program
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

# build/package/culprit_VERSION_ARCHITECTURE.deb
deb:
	@scripts/setup build package
	@mkdir -p build/package
	@[ -f build/package/build.ninja ] || cmake --preset package >build/package/configure.log || { cat build/package/configure.log; exit 1; }
	@cmake --build build/package --parallel $(JOBS) -- --quiet
	@rm -f build/package/culprit_*.deb
	@cd build/package && cpack >package.log 2>&1 || { cat package.log; exit 1; }
	@ls build/package/culprit_*.deb

# build/package/culprit-VERSION-TAG.whl: the Python package, with the library in it.
wheel: build
	@scripts/wheel $(BUILD) build/package

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build

.PHONY: all build setup-build program deb wheel demo check bench workloads install format clean
