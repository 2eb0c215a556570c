# SPDX-License-Identifier: BSD-2-Clause
# limpet: `make demo` shows it at work, `make check` tests it, `make help` tells the rest.

O        := .output
prefix   ?= /usr/local
CC       ?= cc
CLANG    ?= clang
BPFTOOL  ?= $(firstword $(shell command -v bpftool 2>/dev/null) /usr/sbin/bpftool)
ARCH     := $(shell uname -m | sed 's/x86_64/x86/;s/aarch64/arm64/')
TRIPLE   := $(shell uname -m)-linux-gnu

CFLAGS   ?= -O2 -g
WARN     := -Wall -Wextra -Wformat=2 -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ifneq ($(WERROR),0)
WARN     += -Werror
endif
ifeq ($(DEBUG),1)
O        := .output/debug
CFLAGS   := -O0 -g3
endif
comma    := ,
ifneq ($(SANITIZE),)
O        := .output/$(subst $(comma),-,$(SANITIZE))
override CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all
endif
CSTD     := -std=gnu11 -D_GNU_SOURCE
Q        := $(if $(filter 1,$(V)),,@)
say       = $(if $(filter 1,$(V)),,@printf '  %-8s %s\n' $(1) $(2))

# ---- what is built from what ---------------------------------------------------------------------
# Shared by both programs; only limpet-probe; only limpet.
SHARED   := $(addprefix userspace/,metrics.c second.c options.c) $(wildcard userspace/series*.c)
PROBE    := $(filter-out $(SHARED),$(wildcard userspace/*.c))
ANALYZER := $(wildcard analyzer/*.c)
BPF      := $(wildcard bpf/*.bpf.c)
UNIT     := $(wildcard tests/unit/*.c)
HELPERS  := $(wildcard tests/helpers/*.c)

obj       = $(patsubst %.c,$(O)/%.o,$(1))
SKEL     := $(O)/bpf/probe.skel.h

PROGRAMS := $(O)/limpet-probe $(O)/limpet
TOOLS    := $(patsubst tests/helpers/%.c,$(O)/tests/%,$(HELPERS))
UNITS    := $(patsubst tests/unit/%.c,$(O)/tests/%,$(UNIT))

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all check demo bench format install clean help deps

all: $(PROGRAMS) $(TOOLS)

# ---- kernel side ---------------------------------------------------------------------------------
$(O)/bpf/%.o: bpf/%.bpf.c
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall $(filter -Werror,$(WARN)) -D__TARGET_ARCH_$(ARCH) \
		-I/usr/include/$(TRIPLE) -MMD -MP -MT $@ -c $< -o $@

$(O)/bpf/probe.bpf.o: $(patsubst bpf/%.bpf.c,$(O)/bpf/%.o,$(BPF))
	$(call say,LINK,$@)
	$(Q)$(BPFTOOL) gen object $@ $^

$(SKEL): $(O)/bpf/probe.bpf.o
	$(call say,SKEL,$@)
	$(Q)$(BPFTOOL) gen skeleton $< name probe_bpf > $@

# ---- user space ----------------------------------------------------------------------------------
$(O)/%.o: %.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(CFLAGS) $(WARN) -I$(O)/bpf -MMD -MP -c $< -o $@

$(call obj,$(PROBE)): | $(SKEL)

$(O)/limpet-probe: $(call obj,$(PROBE) $(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lbpf -lelf -lz -lsqlite3 -ljansson -lcap -lpthread -lm -o $@

$(O)/limpet: $(call obj,$(ANALYZER) $(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lsqlite3 -ljansson -lopenblas -lm -o $@

# ---- tests ---------------------------------------------------------------------------------------
# A unit test is one C file, linked with everything but the two main()s; a helper stands alone.
LIBOBJS  := $(filter-out %/main.o,$(call obj,$(SHARED) $(ANALYZER) userspace/jsonl.c))

$(O)/tests/%: $(O)/tests/unit/%.o $(LIBOBJS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lcmocka -lsqlite3 -ljansson -lopenblas -lm -o $@

$(O)/tests/%: $(O)/tests/helpers/%.o
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lpthread -o $@

# make_series writes series files, so it needs what both programs share.
$(O)/tests/make_series: $(O)/tests/helpers/make_series.o $(call obj,$(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lsqlite3 -lm -o $@

deps:
	@tools/deps $(DEPS_FOR)

check:
	@tools/deps build check
	@$(MAKE) --no-print-directory all units
	@O=$(O) tests/run $(if $(filter 1,$(STRICT)),--strict) $(TESTS)

units: $(UNITS)
.PHONY: units

demo:
	@tools/deps build $(if $(filter 0,$(shell id -u)),demo)
	@$(MAKE) --no-print-directory all
	@O=$(O) tools/demo $(FAULT)

bench: all
	@O=$(O) tools/bench

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

install: $(PROGRAMS)
	install -D -m 755 $(O)/limpet-probe $(DESTDIR)$(prefix)/sbin/limpet-probe
	install -D -m 755 $(O)/limpet $(DESTDIR)$(prefix)/bin/limpet

clean:
	rm -rf .output

help:
	@echo 'make demo [FAULT=KIND]       find a faulty server of a small real cluster, live'
	@echo 'make check [STRICT=1] [TESTS=PATTERN]  run the tests; STRICT: a skipped kernel or cluster test fails'
	@echo 'make all                     build limpet-probe and limpet in $(O)/'
	@echo 'make bench                   what the probe costs, beside the tools people use today'
	@echo 'make install [DESTDIR= prefix=/usr/local]'
	@echo 'make format | clean | help'
	@echo 'options: V=1 DEBUG=1 SANITIZE=address,undefined WERROR=0'

-include $(shell find $(O) -name '*.d' 2>/dev/null)
