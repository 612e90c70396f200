# rille: `make` builds build/rille and build/rille.so; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory -r

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

# A variant is a build folder and its flags: make SANITIZE=address,undefined BUILD=build/asan
BUILD ?= build
SANITIZE ?=
WERROR ?=
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
CXX := $(if $(filter default,$(origin CXX)),$(if $(findstring clang,$(CC)),clang++,g++),$(CXX))
V ?=
say = @$(if $(V),,echo '  $(1)' $(2);)
run = $(if $(V),set -x;) # V=1 shows whole commands

# RDKAFKA=PREFIX builds against the librdkafka there (make librdkafka puts 2.12.1 into build/librdkafka).
ifneq ($(RDKAFKA),)
RDKAFKA_CFLAGS := -isystem $(abspath $(RDKAFKA))/include
RDKAFKA_LIBS := -L$(abspath $(RDKAFKA))/lib -Wl,-rpath,$(abspath $(RDKAFKA))/lib -lrdkafka
else
RDKAFKA_CFLAGS := $(shell pkg-config --cflags rdkafka 2>/dev/null)
RDKAFKA_LIBS := -lrdkafka
endif
LUA_CFLAGS ?= $(shell pkg-config --cflags lua5.4 2>/dev/null)
LUA_LIBS ?= -llua5.4

# gcc under its sanitizers warns of null format strings and unset variables where there are none.
SAN_WARN := $(if $(findstring clang,$(CC)),,-Wno-format-truncation -Wno-format-overflow -Wno-maybe-uninitialized)
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(if $(WERROR),-Werror)
OPT ?= -O2 -g
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CPPFLAGS_ALL := -Isrc -D_GNU_SOURCE -DRL_VERSION='"$(VERSION)"' $(RDKAFKA_CFLAGS) $(LUA_CFLAGS) $(CPPFLAGS)
BOTH := $(OPT) $(WARN) $(if $(SANITIZE),$(SAN) $(SAN_WARN)) -fPIC -fvisibility=hidden -pthread
CFLAGS_ALL := -std=c17 $(BOTH) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(BOTH) -fno-rtti $(CXXFLAGS)
LDFLAGS_ALL := $(SAN) -pthread $(LDFLAGS)
LIBS := $(RDKAFKA_LIBS) -lcurl -lsimdjson -lsnappy -lzstd -lz -lcfitsio -lstdc++ -lm

# The rooms, each above those it may use (arrows point down only: make lint).
ROOMS := cli module lua stream model codec kafka base
at = $(words $(shell echo ' $(2) ' | sed 's/ $(1) .*/ x/'))
below = $(foreach r,$(wordlist $(call at,$(1),$(ROOMS)),99,$(ROOMS)),$(BUILD)/$(r).a)

sources = $(wildcard src/$(1)/*.c src/$(1)/*.cpp)
objects = $(patsubst src/%,$(BUILD)/obj/%.o,$(call sources,$(1)))
ARCHIVES := $(ROOMS:%=$(BUILD)/%.a)
UNIT_SOURCES := $(wildcard tests/unit/*.c)
UNITS := $(UNIT_SOURCES:tests/unit/%.c=$(BUILD)/unit/%)
C_FILES := $(wildcard src/*.c src/*/*.c)
CXX_FILES := $(wildcard src/*/*.cpp)
HEADERS := $(wildcard src/*/*.h)
TEST_FILES := $(wildcard tests/unit/*.[ch] tests/fuzz/*.[ch] tests/fuzz/*.cpp tests/bench/*.[ch] tests/bench/*.cpp tests/deps/*.c tests/diff/*.c)

##@ Building
.PHONY: all
all: $(BUILD)/rille $(BUILD)/rille.so ## the program build/rille and the Lua module build/rille.so

$(BUILD)/rille: $(BUILD)/obj/main.c.o $(filter-out $(BUILD)/module.a,$(ARCHIVES))
	$(call say,link,$@)$(run)$(CC) $(LDFLAGS_ALL) -Wl,-E -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(LUA_LIBS) -ldl

# No liblua: the interpreter that loads the module brings its own. nodelete: lua_close unloads a module, and a
# thread of rille's or librdkafka's may still be in its code.
$(BUILD)/rille.so: $(filter-out $(BUILD)/cli.a,$(ARCHIVES))
	$(call say,link,$@)$(run)$(CC) -shared -Wl,-z,nodelete $(LDFLAGS_ALL) -o $@ -Wl,--whole-archive $(BUILD)/module.a -Wl,--no-whole-archive $(filter-out $(BUILD)/module.a,$^) $(LIBS)

define room
$(BUILD)/$(1).a: $(call objects,$(1)) $(BUILD)/obj/$(1).list
	@rm -f $$@ && ar crs $$@ $$(filter %.o,$$^)
$(BUILD)/obj/$(1).list: FORCE
	@$$(call remember,$(call objects,$(1)))
endef
$(foreach r,$(ROOMS),$(eval $(call room,$(r))))

$(BUILD)/obj/%.c.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)$(run)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

# Loops over numbers: vector instructions; no errno from a square root, and nobody asks which operations trapped, so
# that a condition becomes a mask.
VECTORS := $(if $(SANITIZE),,-O3) -fno-math-errno -fno-trapping-math
$(patsubst %,$(BUILD)/obj/model/%.c.o,mlp_math tensor_line tensor_math tensor_fold tensor_pair tensor_copy): CFLAGS_ALL += $(VECTORS)

$(BUILD)/obj/%.cpp.o: src/%.cpp $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cxx,$<)$(run)$(CXX) $(CPPFLAGS_ALL) $(CXXFLAGS_ALL) $(if $(SANITIZE),,-O3) -MMD -MP -c -o $@ $<

# A file that changes only when its text does. The flags: then all of the build folder is made anew, so that
# objects of two variants never meet. A room's list: a file that went leaves the archive too.
remember = mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' > $@
FLAGS := $(CC) $(CXX) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(LDFLAGS_ALL) $(LIBS) $(LUA_LIBS) $(VECTORS)
.PHONY: FORCE
$(BUILD)/flags: FORCE
	@$(call remember,$(FLAGS))

# A unit test is one file, tests/unit/ROOM_WHAT.c: it links its room and those below.
.SECONDEXPANSION:
$(BUILD)/unit/%: tests/unit/%.c tests/unit/unit.h $(BUILD)/flags $$(call below,$$(firstword $$(subst _, ,$$*)))
	@mkdir -p $(@D)
	$(call say,cc,$<)$(run)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -Itests/unit -MMD -MP -MF $@.d $(LDFLAGS_ALL) -o $@ $< $(filter %.a,$^) $(LIBS) $(LUA_LIBS) -ldl

.PHONY: unit
unit: $(UNITS) ## the unit tests' programs (make test runs them)

include src/man/man.mk
all: man

-include $(wildcard $(BUILD)/obj/*.d $(ROOMS:%=$(BUILD)/obj/%/*.d) $(BUILD)/unit/*.d $(BUILD)/diff/*.d)

.PHONY: install
install: all ## program, Lua module, manual and completion into DESTDIR/PREFIX
	@tests/deps/install-built $(BUILD) '$(DESTDIR)$(PREFIX)'

##@ What it needs
# Each starts a make of its own after the packages came: this one asked pkg-config before they did.
.PHONY: deps deps-test
deps: ## installs the Debian packages that building needs (root or sudo)
	@tests/deps/install build

deps-test:
	@tests/deps/install build test

KAFKA_LIBS := build/kafka/libs
REGISTRY := build/apicurio
APICURIO := 2.6.13.Final
.PHONY: kafka
kafka: $(KAFKA_LIBS)/.done $(REGISTRY)/.done-$(APICURIO) ## Apache Kafka and a schema registry (Apicurio) for the tests into build/ (through Maven)

$(KAFKA_LIBS)/.done: tests/deps/kafka.xml
	@tests/deps/install test
	$(call say,mvn,$(KAFKA_LIBS))rm -rf $(KAFKA_LIBS) && mkdir -p $(KAFKA_LIBS)
	@mvn -q -B -f $< dependency:copy-dependencies -DoutputDirectory=$(abspath $(KAFKA_LIBS))
	@touch $@

$(REGISTRY)/.done-$(APICURIO):
	@tests/deps/install test
	$(call say,mvn,$(REGISTRY))rm -rf $(REGISTRY) && mkdir -p $(REGISTRY)
	@mvn -q -B -f tests/deps/kafka.xml dependency:copy -DoutputDirectory=$(abspath $(REGISTRY)) \
		-Dartifact=io.apicurio:apicurio-registry-app:$(APICURIO):tar.gz:all
	@tar -xzf $(REGISTRY)/apicurio-registry-app-$(APICURIO)-all.tar.gz -C $(REGISTRY)
	@rm $(REGISTRY)/apicurio-registry-app-$(APICURIO)-all.tar.gz
	@touch $@

# The version that is used, and the oldest that is tested.
ONNXRUNTIME := 1.32.0
ONNXRUNTIME_OLD := 1.20.0
.PHONY: onnxruntime onnxruntime-test onnx-header
onnxruntime: $(BUILD)/libonnxruntime.so ## ONNX Runtime beside the program, which runs models with it (through pip)

onnxruntime-test: onnxruntime build/onnxruntime/$(ONNXRUNTIME_OLD)/libonnxruntime.so build/onnxruntime/ort-sys

$(BUILD)/libonnxruntime.so: build/onnxruntime/$(ONNXRUNTIME)/libonnxruntime.so
	@mkdir -p $(@D)
	@ln -sf $(abspath $<) $@

build/onnxruntime/%/libonnxruntime.so: tests/deps/onnxruntime
	@tests/deps/install onnxruntime
	$(call say,pip,$@)tests/deps/onnxruntime $* $(@D)

onnx-header: build/onnxruntime/header/onnxruntime_c_api.h ## ONNX Runtime's official header (through npm, 150 MB): the declarations of it are tested against that, too

build/onnxruntime/header/onnxruntime_c_api.h: tests/deps/onnxruntime_header
	@tests/deps/install onnx-header
	$(call say,npm,$@)tests/deps/onnxruntime_header $(@D) && touch $@

build/onnxruntime/ort-sys: tests/deps/ort_sys
	$(call say,cargo,$@)tests/deps/ort_sys $@ && touch $@

.PHONY: mlserver
mlserver: build/mlserver/.done ## MLServer 1.7.1 (pip) into build/mlserver: the models' protocol is tested against it, too

build/mlserver/.done: tests/mlserver/requirements.txt
	@tests/deps/install mlserver
	$(call say,pip,build/mlserver)rm -rf build/mlserver && python3 -m venv build/mlserver
	@build/mlserver/bin/pip install -q --disable-pip-version-check -r $<
	@cp $< $@

.PHONY: librdkafka
librdkafka: build/librdkafka/lib/librdkafka.so ## librdkafka 2.12.1 into build/librdkafka; use it with RDKAFKA=build/librdkafka

build/sources/vendor/.fetched: tests/deps/Cargo.toml tests/deps/sources
	@tests/deps/install librdkafka
	$(call say,cargo,build/sources)tests/deps/sources build/sources

build/librdkafka/lib/librdkafka.so: build/sources/vendor/.fetched
	$(call say,build,build/librdkafka)tests/deps/librdkafka build/sources build/librdkafka

##@ Running
.PHONY: demo demo-susy
demo: ## builds and runs the main job on the embedded broker
	@$(MAKE) deps
	@$(MAKE) all
	@BUILD=$(BUILD) tests/demo/run

demo-susy: ## TensorFlow-IO's tutorial from end to end on Apache Kafka (ROWS=100000; ROWS=10000 BROKER=embedded)
	@$(MAKE) deps
	@$(MAKE) all $(if $(filter embedded,$(BROKER)),,kafka)
	@BUILD=$(BUILD) $(if $(ROWS),ROWS=$(ROWS)) $(if $(BROKER),BROKER=$(BROKER)) tests/demo/susy

.PHONY: bench bench-peers
bench: ## rates, CPU, memory and times against Apache Kafka (JOB="json avro csv susy train acai trickle start memory")
	@$(MAKE) deps-test
	@$(MAKE) all kafka onnxruntime $(BUILD)/bench/micro_model
	@BUILD=$(BUILD) tests/bench/run $(JOB)

bench-peers: ## rille beside the other processors that are set up (PEERS, PEERS_HOME; JOB="json avro consume susy train" TOOLS)
	@$(MAKE) deps-test
	@$(MAKE) all kafka
	@BUILD=$(BUILD) JOB="$(JOB)" tests/bench/peers

##@ Testing
# tests/run ends with "N passed, N failed"; ONLY=unit,spec,broker and FILTER=part-of-a-name choose.
.PHONY: test
test: ## builds, installs what tests need, runs all tests
	@$(MAKE) deps-test
	@$(MAKE) all unit kafka onnxruntime-test
	@BUILD=$(BUILD) tests/run $(FILTER)

# Sanitized code in an interpreter that is not: the sanitizer's library must come first.
preload = $(shell $(CC) -print-file-name=lib$(1).so):$(shell $(CXX) -print-file-name=libstdc++.so)
ASAN := BUILD=build/asan SANITIZE=address,undefined
TSAN_DEPS := $(abspath build/tsan-deps)
TSAN := BUILD=build/tsan SANITIZE=thread OPT='-O1 -g' RDKAFKA=$(TSAN_DEPS)/librdkafka \
	LUA_CFLAGS=-I$(TSAN_DEPS)/lua/include LUA_LIBS='-Wl,-E,--whole-archive $(TSAN_DEPS)/lua/lib/liblua5.4.a -Wl,--no-whole-archive'

.PHONY: check-asan check-asan-specs check-tsan check-valgrind check-gc
check-asan: ## the unit tests under ASan and UBSan
	@$(MAKE) $(ASAN) unit onnxruntime
	@BUILD=build/asan ONLY=unit tests/run $(FILTER)

check-asan-specs: ## the specs under ASan and UBSan
	@$(MAKE) deps-test
	@$(MAKE) $(ASAN) all kafka
	@BUILD=build/asan ONLY=spec,broker RILLE_PRELOAD=$(call preload,asan) tests/run $(FILTER)

check-tsan: build/tsan-deps/librdkafka/lib/librdkafka.so build/tsan-deps/lua/bin/lua5.4 ## unit tests and specs under TSan, with librdkafka and Lua under it too
	@$(MAKE) $(TSAN) all unit
	@BUILD=build/tsan LUA=$(TSAN_DEPS)/lua/bin/lua5.4 ONLY=$${ONLY:-unit,spec} tests/run $(FILTER)

build/tsan-deps/librdkafka/lib/librdkafka.so: build/sources/vendor/.fetched
	$(call say,build,build/tsan-deps/librdkafka)tests/deps/librdkafka build/sources build/tsan-deps/librdkafka '-fsanitize=thread'

build/tsan-deps/lua/bin/lua5.4: build/sources/vendor/.fetched tests/deps/lua tests/deps/small_lua.c
	$(call say,build,build/tsan-deps/lua)tests/deps/lua build/sources build/tsan-deps/lua '-fsanitize=thread'

check-valgrind: ## the unit tests and specs under valgrind
	@tests/deps/install build test full
	@$(MAKE) BUILD=build/valgrind OPT='-O1 -g' all unit
	@BUILD=build/valgrind WRAP='valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --suppressions=tests/valgrind.supp' \
		ONLY=$${ONLY:-unit,spec} tests/run $(FILTER)

# LUA_INIT reaches every lua5.4 the specs start: the collector never rests, so what is not anchored is lost at once.
check-gc: ## the specs with the garbage collector always at work
	@$(MAKE) deps-test
	@$(MAKE) all
	@BUILD=$(BUILD) LUA_INIT_5_4='collectgarbage("incremental", 0, 400)' ONLY=spec tests/run $(FILTER)

.PHONY: cover
cover: ## line coverage of src/ by the unit tests and specs, as text and build/cover/index.html
	@tests/deps/install build test full
	@$(MAKE) BUILD=build/cover OPT='-O0 -g --coverage' LDFLAGS=--coverage all unit
	@find build/cover -name '*.gcda' -delete
	@cd build/cover/obj && find . -name '*.gcno' | while read -r f; do [ -e "../../../src/$${f%.gcno}" ] || rm "$$f"; done
	@failed=0; BUILD=build/cover ONLY=$${ONLY:-unit,spec} tests/run $(FILTER) || failed=1; \
		gcovr -r . --object-directory build/cover/obj -f 'src/' --html-details build/cover/index.html --print-summary build/cover/obj; \
		exit $$failed

include tests/diff/Makefile.inc
include tests/bench/bench.mk

.PHONY: fuzz
FUZZ_SECONDS ?= 60
fuzz: ## the fuzz targets, FUZZ_SECONDS each
	@tests/deps/install build full
	@for target in $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c)); do \
		$(MAKE) BUILD=build/fuzz CC=clang SANITIZE=address,undefined,fuzzer-no-link build/fuzz/fuzz/$$target && \
		mkdir -p build/fuzz/corpus/$$target && \
		words=$(abspath tests/fuzz/$$target.dict); [ -e $$words ] && words=-dict=$$words || words=; \
		(cd build/fuzz && ./fuzz/$$target -max_total_time=$(FUZZ_SECONDS) $$words -print_final_stats=1 corpus/$$target) || exit 1; done

$(BUILD)/fuzz/%: tests/fuzz/%.c $(BUILD)/flags $$(call below,$$(firstword $$(subst _, ,$$*)))
	@mkdir -p $(@D)
	$(call say,cc,$<)$(run)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fsanitize=fuzzer $(LDFLAGS_ALL) -o $@ $< $(filter %.a,$^) $(LIBS) $(LUA_LIBS) -ldl

.PHONY: ci-full
ci-full: ## what .ci/run leaves out: ONNX Runtime's header, clang, librdkafka 2.12.1, MLServer, specs under ASan, TSan, valgrind, check-gc
	@tests/deps/install build test lint full librdkafka
	@tests/ci-full

##@ Looking after the code
LINT := build/lint
LINT_C := $(C_FILES:%=$(LINT)/%.tidy)
LINT_CXX := $(CXX_FILES:%=$(LINT)/%.tidy)
LUA_FILES := $(wildcard scripts examples tests)
SHELL_FILES := $(shell grep -lsE '^\#!/bin/(ba)?sh' .ci/run examples/*/* tests/* tests/*/* 2>/dev/null)

.PHONY: fmt lint lint-format lint-tidy lint-cppcheck lint-lua lint-shell lint-rooms
fmt: ## formats the C files
	@clang-format -i $(C_FILES) $(CXX_FILES) $(HEADERS) $(TEST_FILES)

lint: ## clang-format, clang-tidy, cppcheck, luacheck, shellcheck, arrows between rooms
	@tests/deps/install build lint
	@nice $(MAKE) -k -j$$(nproc) lint-format lint-rooms lint-lua lint-shell lint-cppcheck lint-tidy

lint-format:
	@bad=0; for file in $(C_FILES) $(CXX_FILES) $(HEADERS) $(TEST_FILES); do \
		clang-format --dry-run -Werror $$file 2> /dev/null || { echo "$$file: not formatted: make fmt"; bad=1; }; done; exit $$bad

lint-rooms:
	@lua5.4 tests/lint/rooms.lua $(C_FILES) $(CXX_FILES) $(HEADERS)

lint-lua:
	@luacheck -q $(LUA_FILES)

# SC2155: `local x=$(…)` hides a status; these scripts look at what came, not at how.
lint-shell:
	@if command -v shellcheck > /dev/null; then shellcheck -x -S warning -e SC2155 $(SHELL_FILES); else echo 'no shellcheck here: left out'; fi

# Not the C++ file: cppcheck 2.10 takes no function that is a try block.
lint-cppcheck:
	@mkdir -p $(LINT)/cppcheck
	@cppcheck --quiet --std=c17 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--cppcheck-build-dir=$(LINT)/cppcheck --suppressions-list=tests/lint/cppcheck.txt -Isrc -D_GNU_SOURCE -D__linux__ $(C_FILES)

lint-tidy: $(LINT_C) $(LINT_CXX)

# One stamp a file: only what changed is looked at again, with the headers it includes.
tidy = clang-tidy --quiet $(1) -- $(CPPFLAGS_ALL) $(2) 2> $@.err || { grep -v 'warnings\? generated' $@.err; false; }
$(LINT)/%.c.tidy: %.c .clang-tidy
	@mkdir -p $(@D)
	@$(CC) $(CPPFLAGS_ALL) -std=c17 -MM -MP -MT $@ -MF $@.d $<
	@echo '  tidy $<'; $(call tidy,$<,-std=c17) && touch $@

$(LINT)/%.cpp.tidy: %.cpp .clang-tidy
	@mkdir -p $(@D)
	@$(CXX) $(CPPFLAGS_ALL) -std=c++17 -MM -MP -MT $@ -MF $@.d $<
	@echo '  tidy $<'; $(call tidy,$<,-std=c++17) && touch $@

ifneq ($(filter lint%,$(MAKECMDGOALS)),)
-include $(wildcard $(LINT)/src/*.d $(LINT)/src/*/*.d)
endif

.PHONY: clean distclean
clean: ## removes what was built; what was fetched (Kafka, Apicurio, ONNX Runtime, MLServer, librdkafka, sources) stays
	@find build -mindepth 1 -maxdepth 1 ! -name kafka ! -name apicurio ! -name librdkafka ! -name sources ! -name tsan-deps ! -name onnxruntime ! -name mlserver -exec rm -rf {} + 2>/dev/null || true

distclean: ## removes all of build/
	rm -rf build

.PHONY: help
help: ## this list
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { print "\n" substr($$0, 5) } /^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' Makefile tests/diff/Makefile.inc tests/bench/bench.mk src/man/man.mk
	@printf '\nBUILD=build/x  SANITIZE=address,undefined  RDKAFKA=build/librdkafka  CC=clang  WERROR=1  V=1\n'
