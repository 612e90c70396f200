# rille: `make` builds build/rille and build/rille.so; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := all

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

# A variant is a build folder and its flags: make SANITIZE=address,undefined BUILD=build/asan
BUILD ?= build
SANITIZE ?=
WERROR ?=
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
CXX := $(if $(filter default,$(origin CXX)),g++,$(CXX))

# RDKAFKA=PREFIX builds against the librdkafka there (make librdkafka puts 2.12.1 into build/librdkafka).
ifdef RDKAFKA
RDKAFKA_CFLAGS := -I$(abspath $(RDKAFKA))/include
RDKAFKA_LIBS := -L$(abspath $(RDKAFKA))/lib -Wl,-rpath,$(abspath $(RDKAFKA))/lib -lrdkafka
else
RDKAFKA_CFLAGS := $(shell pkg-config --cflags rdkafka 2>/dev/null)
RDKAFKA_LIBS := -lrdkafka
endif
LUA_CFLAGS ?= $(shell pkg-config --cflags lua5.4 2>/dev/null)
LUA_LIBS ?= -llua5.4

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(if $(WERROR),-Werror)
OPT ?= -O2 -g
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer)
CPPFLAGS += -Isrc -D_GNU_SOURCE -DRL_VERSION='"$(VERSION)"' $(RDKAFKA_CFLAGS) $(LUA_CFLAGS)
CFLAGS_ALL := -std=c17 $(OPT) $(WARN) $(SAN) -fPIC -fvisibility=hidden -pthread $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 $(OPT) $(WARN) $(SAN) -fPIC -fvisibility=hidden -fno-rtti -pthread $(CXXFLAGS)
LDFLAGS_ALL := $(SAN) -pthread $(LDFLAGS)
LIBS := $(RDKAFKA_LIBS) -lsimdjson -lstdc++ -lm

# The rooms, each above those it may use (DESIGN: arrows point down only).
ROOMS := cli module lua stream model codec kafka base
below = $(foreach r,$(wordlist $(call at,$(1),$(ROOMS)),99,$(ROOMS)),$(BUILD)/$(r).a)
at = $(words $(shell echo ' $(2) ' | sed 's/ $(1) .*/ x/'))

sources = $(wildcard src/$(1)/*.c src/$(1)/*.cpp)
objects = $(patsubst src/%,$(BUILD)/%.o,$(call sources,$(1)))
ARCHIVES := $(ROOMS:%=$(BUILD)/%.a)
UNIT_SOURCES := $(wildcard tests/unit/*.c)
UNITS := $(UNIT_SOURCES:tests/unit/%.c=$(BUILD)/unit/%)

.PHONY: all unit help clean
all: $(BUILD)/rille $(BUILD)/rille.so

$(BUILD)/rille: $(BUILD)/main.c.o $(filter-out $(BUILD)/module.a,$(ARCHIVES))
	$(CC) $(LDFLAGS_ALL) -Wl,-E -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(LUA_LIBS) -ldl

$(BUILD)/rille.so: $(filter-out $(BUILD)/cli.a,$(ARCHIVES))
	$(CC) -shared $(LDFLAGS_ALL) -o $@ -Wl,--whole-archive $(BUILD)/module.a -Wl,--no-whole-archive $(filter-out $(BUILD)/module.a,$^) $(LIBS)

define room
$(BUILD)/$(1).a: $(call objects,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	ar crs $$@ $$^
endef
$(foreach r,$(ROOMS),$(eval $(call room,$(r))))

$(BUILD)/%.c.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/%.cpp.o: src/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CPPFLAGS) $(CXXFLAGS_ALL) -O3 -MMD -MP -c -o $@ $<

# A unit test is one file, tests/unit/ROOM_WHAT.c: it links its room and those below.
.SECONDEXPANSION:
$(BUILD)/unit/%: tests/unit/%.c tests/unit/unit.h $$(call below,$$(firstword $$(subst _, ,$$*)))
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) -Itests/unit -MMD -MP -MF $@.d $(LDFLAGS_ALL) -o $@ $< $(filter %.a,$^) $(LIBS) $(LUA_LIBS) -ldl

unit: $(UNITS)

clean:
	rm -rf build

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
