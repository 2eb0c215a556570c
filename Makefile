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

# For what builds on its own account: with all processors, unless make was told how many (-j, -j1).
PARALLEL  = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# ---- what is built from what ---------------------------------------------------------------------
# Rooms: those that all programs share; only limpet-probe's; only limpet-push's; only limpet's. Which may include
# which is tests/rooms.txt.
SHARED_ROOMS   := $(addprefix userspace/,common metrics second series wire)
PROBE_ROOMS    := userspace/probe $(addprefix userspace/probe/,kernel sources tasks profile merge sinks rights)
PUSH_ROOMS     := userspace/fetch userspace/push
ANALYZER_ROOMS := userspace/fetch $(addprefix analyzer/,stat evidence compare interval source source/tables source/logs source/frame options signal \
	verdict track rules panel engine engine/tables engine/states jobs methods methods/learn methods/model evaluate symbols output \
	draw history report watch http ask serve cmd)
in        = $(foreach room,$(1),$(wildcard $(room)/*.c))
SHARED   := $(call in,$(SHARED_ROOMS))
PROBE    := $(call in,$(PROBE_ROOMS))
PUSH     := $(call in,$(PUSH_ROOMS))
ANALYZER := $(call in,$(ANALYZER_ROOMS))
BPF      := bpf/shared.bpf.c $(filter-out bpf/shared.bpf.c,$(wildcard bpf/*.bpf.c))
UNIT     := $(wildcard tests/unit/*.c)
HELPERS  := $(wildcard tests/helpers/*.c)
SIMULATE := $(wildcard tools/simulate.d/*.c)
NUMERIC  := $(wildcard tests/numeric/*.c)

obj       = $(patsubst %.c,$(O)/%.o,$(1))
SKEL     := $(O)/bpf/probe.skel.h

PROGRAMS := $(O)/limpet-probe $(O)/limpet-push $(O)/limpet
SHARED_LIBS   := -lz -lsqlite3 -ljansson -lpthread -lm
ANALYZER_LIBS := -lelf -lopenblas -lavro -lzstd -llzma -lbz2 -lcurl -levent -levent_openssl -lssl -lcrypto -lcrypt $(SHARED_LIBS)
PUSH_LIBS     := -lcurl -lzstd -llzma -lbz2 $(SHARED_LIBS)
TOOLS    := $(patsubst tests/helpers/%.c,$(O)/tests/%,$(HELPERS))
UNITS    := $(patsubst tests/unit/%.c,$(O)/tests/%,$(UNIT)) $(patsubst tests/numeric/%.c,$(O)/tests/%,$(NUMERIC))

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all check check-all hardship demo bench bench-probe bench-analyzer bench-states benches format install uninstall deb cross clean help deps

programs: $(PROGRAMS)
.PHONY: programs

all: $(PROGRAMS) $(TOOLS) $(O)/simulate $(O)/replay/grow $(O)/replay/clock.so

# ---- kernel side ---------------------------------------------------------------------------------
$(O)/bpf/%.o: bpf/%.bpf.c
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall $(filter -Werror,$(WARN)) -D__TARGET_ARCH_$(ARCH) \
		-I. -I/usr/include/$(TRIPLE) -MMD -MP -MT $@ -c $< -o $@

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
	$(Q)$(CC) $(CSTD) $(CPPFLAGS) $(CFLAGS) $(WARN) -I. -I$(O)/bpf -MMD -MP -c $< -o $@

$(call obj,$(PROBE)): | $(SKEL)

$(O)/limpet-probe: $(call obj,$(PROBE) $(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lbpf -lelf $(SHARED_LIBS) -o $@

$(O)/limpet-push: $(call obj,$(PUSH) $(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(PUSH_LIBS) -o $@

$(O)/limpet: $(call obj,$(ANALYZER) $(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(ANALYZER_LIBS) -o $@

# ---- tests ---------------------------------------------------------------------------------------
# What a unit test computes it computes in the rooms: itself it is built without optimization, in half of the time.
$(O)/tests/unit/%.o: override CFLAGS += -O0 -Wno-format-truncation
# Two of them compute much themselves: a day of a busy server, and 1,800 readings of a file.
$(O)/tests/unit/test_series_day.o $(O)/tests/unit/test_series_damage.o: override CFLAGS += -O2
# A unit test is one C file, linked with what it needs of everything but the two main()s; a helper stands alone.
# ld.gold links the hundred of them in a third of the time that ld takes.
TEST_LD  := $(if $(SANITIZE),,$(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold))
LIBOBJS  := $(filter-out %/main.o %/sinks.o,$(call obj,$(SHARED) $(ANALYZER) \
	$(call in,userspace/push userspace/probe/tasks userspace/probe/profile userspace/probe/sinks)))

# Without copies of them (T): it names them.
$(O)/tests/lib.a: $(LIBOBJS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsT $@ $^

$(O)/tests/%: $(O)/tests/unit/%.o $(O)/tests/lib.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LD) $(filter %.o,$^) $(filter %.a,$^) -lcmocka $(ANALYZER_LIBS) $(UNIT_LIBS) -o $@

$(O)/tests/test_map: override LDFLAGS += -Wl,--wrap=realloc
$(O)/tests/test_feed $(O)/tests/test_logs_memory: override LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(O)/tests/test_features: $(O)/userspace/probe/kernel/features.o
$(O)/tests/test_features: UNIT_LIBS := -lbpf

$(O)/tests/test_look_times: $(O)/userspace/probe/look_times.o

$(O)/tests/test_simulate_habits: $(filter-out %/main.o,$(call obj,$(SIMULATE)))

# The analyzer's arithmetic behind a pipe, for the tests in Python.
$(O)/tests/%: $(O)/tests/numeric/%.o $(O)/tests/lib.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LD) $^ $(ANALYZER_LIBS) -o $@

$(O)/tests/%: $(O)/tests/helpers/%.o
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -lpthread -o $@

# hotbox is what stacks are walked in: its frames are to be found, and its file to be known.
$(O)/tests/helpers/hotbox.o: override CFLAGS += -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
$(O)/tests/hotbox: override LDFLAGS += -Wl,--build-id

# make_series writes series files, so it needs what both programs share.
$(O)/tests/make_series: $(O)/tests/helpers/make_series.o $(call obj,$(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(SHARED_LIBS) -o $@

# ingest_box takes in what senders bring.
$(O)/tests/ingest_box: $(O)/tests/helpers/ingest_box.o $(O)/tests/lib.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LD) $^ $(ANALYZER_LIBS) -o $@

# confined ends its rights as the probe does, and tries what is left; without the filter, where told.
$(O)/tests/confined: $(O)/tests/helpers/confined.o $(call obj,$(SHARED) \
		$(call in,userspace/probe/rights))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=rights_filter_calls $^ $(SHARED_LIBS) -o $@

# A cluster that does not exist, with faults that are known.
$(O)/simulate: $(call obj,$(SIMULATE) $(SHARED))
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(SHARED_LIBS) -o $@

# What tools/replay grows recordings with, and the clock that `limpet watch` has meanwhile.
$(O)/replay/grow: $(call obj,tools/replay.d/grow.c $(SHARED))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(SHARED_LIBS) -o $@

$(O)/replay/clock.so: tools/replay.d/clock.c
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(CPPFLAGS) -O2 -g $(WARN) $(LDFLAGS) -fPIC -shared $< -o $@

# Each tests/fuzz/fuzz_*.c is a target of clang's libFuzzer, linked with what it needs of the rooms that any needs.
FUZZERS      := $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 60
# Without optimization they build in a third of the time; what computes most (fuzz_judge) then takes twice as long.
FUZZ_CFLAGS  := -O0 -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_ROOMS   := $(SHARED_ROOMS) userspace/push $(filter-out $(addprefix analyzer/,draw report live cmd flow),$(ANALYZER_ROOMS))
FUZZ_OBJS    := $(patsubst $(O)/%,$(O)/fuzz/%,$(filter $(call obj,$(call in,$(FUZZ_ROOMS))),$(LIBOBJS))) \
	$(O)/fuzz/tests/fuzz/fuzz.o

$(O)/fuzz/%.o: %.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(CSTD) $(CPPFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -w -I. -MMD -MP -c $< -o $@

$(O)/fuzz/lib.a: $(FUZZ_OBJS)
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcsT $@ $^

# What is refused, the targets hear through fail() and warn().
$(O)/fuzz/fuzz_%: $(O)/fuzz/tests/fuzz/fuzz_%.o $(O)/fuzz/lib.a
	$(call say,LD,$@)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer -Wl,--wrap=fail,--wrap=warn $(filter %.o,$^) \
		$(filter %.a,$^) $(ANALYZER_LIBS) -o $@

$(O)/fuzz/fuzz_series: $(O)/fuzz/tests/fuzz/mutate_series.o
$(O)/fuzz/fuzz_model: $(O)/fuzz/tests/fuzz/mutate_model.o

fuzzers: $(FUZZERS)
fuzz:
	@tools/deps build fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) fuzzers $(O)/tests/make_series $(O)/replay/grow
	@O=$(O) tests/fuzz/long.sh $(FUZZ_SECONDS)
.PHONY: fuzz fuzzers

deps:
	@tools/deps $(DEPS_FOR)

# Where clang has libFuzzer, its targets are built with the rest, which takes all processors; the test
# of them says what is wrong otherwise. check-all runs the long tests as well.
WANT_FUZZERS = $(if $(TESTS),$(findstring fuzz,$(TESTS)),fuzz)
WANT_BENCHES = $(if $(TESTS),$(findstring bench,$(TESTS))$(filter golden/ kernel/,$(TESTS)),$(filter check-all,$@))
check check-all:
	@tools/deps build $(if $(TESTS),check-all,$@)
	@$(MAKE) --no-print-directory $(PARALLEL) all units \
		$(if $(WANT_FUZZERS),$$(sh tests/fuzz/lib.sh fuzzers)) $(if $(WANT_BENCHES),benches)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) O=$(O) tests/run $(if $(filter check-all,$@),--all) \
		$(if $(filter 1,$(STRICT)),--strict) $(TESTS)

# What takes long and seldom finds anything that the others do not.
hardship:
	@tools/deps build check-all ceph moosefs
	@$(MAKE) --no-print-directory $(PARALLEL) all units
	@O=$(O) tests/run --hardship $(if $(filter 1,$(STRICT)),--strict) $(TESTS)

units: $(UNITS)
.PHONY: units

demo:
	@tools/deps build $(if $(filter 0,$(shell id -u)),demo $(FS) $(ENGINE))
	@$(MAKE) --no-print-directory $(PARALLEL) all
	$(if $(filter 1,$(LIVE)),$(if $(FS)$(filter-out hadoop3,$(ENGINE)),$(error LIVE=1 is GlusterFS, or Hadoop with ENGINE=hadoop3)))
	@O=$(O) $(if $(filter 1,$(LIVE)),$(if $(filter hadoop3,$(ENGINE)),tools/demo-jobs,tools/demo-live),tools/demo $(if $(ENGINE),--engine $(ENGINE),$(if $(FS),--fs $(FS)))) $(FAULT)

# ---- what it costs -------------------------------------------------------------------------------
# Empty programs on the probe's hooks, and loads: needed by nothing else. BENCH='--quick' or so.
$(O)/bench/hooks.skel.h: tools/bench.d/hooks.bpf.c
	$(call say,BPF,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall $(filter -Werror,$(WARN)) -D__TARGET_ARCH_$(ARCH) \
		-I. -I/usr/include/$(TRIPLE) -MMD -MP -MT $@ -MF $(@:.h=.d) -c $< -o $(@:.skel.h=.bpf.o)
	$(Q)$(BPFTOOL) gen skeleton $(@:.skel.h=.bpf.o) name hooks_bpf > $@

$(O)/bench/hooks: $(O)/bench/hooks.skel.h
$(O)/bench/%: tools/bench.d/%.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(CPPFLAGS) $(CFLAGS) $(WARN) -I. -I$(O)/bench $< $(LDFLAGS) -lbpf -lelf -lz -o $@

bench bench-probe:
	@tools/deps build bench
	@$(MAKE) --no-print-directory $(PARALLEL) all $(O)/bench/hooks $(O)/bench/load
	@O=$(O) tools/bench-probe $(BENCH)

# The analyzer's speed, beside numpy, scipy and scikit-learn.
$(O)/bench/analyzer: $(call obj,tools/bench.d/analyzer.c tools/bench.d/analyzer_run.c tools/bench.d/analyzer_robust.c \
		tools/bench.d/analyzer_evidence.c) \
		$(filter-out %/main.o,$(call obj,$(SHARED) $(ANALYZER)))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(ANALYZER_LIBS) -o $@

bench-analyzer:
	@tools/deps build bench
	@$(MAKE) --no-print-directory $(PARALLEL) $(O)/bench/analyzer $(O)/tests/make_series $(O)/simulate $(O)/limpet
	@O=$(O) tools/bench-analyzer $(BENCH)

# What methods on the states of logs cost.
$(O)/bench/states: $(call obj,tools/bench.d/states.c) \
		$(filter-out %/main.o,$(call obj,$(SHARED) $(ANALYZER)))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(ANALYZER_LIBS) -o $@

bench-states:
	@tools/deps build
	@$(MAKE) --no-print-directory $(PARALLEL) $(O)/bench/states
	@O=$(O) tools/bench-states $(BENCH)

# What the service costs, with a thousand senders that do not exist.
$(O)/bench/senders: $(call obj,tools/bench.d/senders.c) $(call obj,$(SHARED))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(PUSH_LIBS) -o $@

bench-serve:
	@tools/deps build bench
	@$(MAKE) --no-print-directory $(PARALLEL) all $(O)/bench/senders
	@O=$(O) tools/bench-serve $(BENCH)
.PHONY: bench-serve

# What single parts of the probe cost.
SMALL_BENCHES := bench-tcp bench-threads bench-tasks bench-scrape
$(SMALL_BENCHES):
	@tools/deps build bench
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@O=$(O) tools/$@ $(BENCH)
series-size:
	@tools/deps build
	@$(MAKE) --no-print-directory $(PARALLEL) $(O)/tests/make_series
	@O=$(O) tools/series-size $(BENCH)
.PHONY: $(SMALL_BENCHES) series-size

# All programs that benchmarks need, for the tests of them.
benches: $(addprefix $(O)/bench/,hooks load analyzer states)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

# Where things go, below DESTDIR. The unit and the man pages name the folders that are used.
sbindir    ?= $(prefix)/sbin
bindir     ?= $(prefix)/bin
mandir     ?= $(prefix)/share/man
compdir    ?= $(prefix)/share/bash-completion/completions
zshdir     ?= $(prefix)/share/zsh/site-functions
fishdir    ?= $(prefix)/share/fish/vendor_completions.d
unitdir    ?= $(prefix)/lib/systemd/system
sysusersdir ?= $(prefix)/lib/sysusers.d
docdir     ?= $(prefix)/share/doc/limpet
sysconfdir ?= /etc
statedir   ?= /var/lib/limpet
logdir     ?= /var/log/limpet
PACKAGING  := tools/packaging
DOCS       := README.md $(PACKAGING)/NEWS.md LICENSE $(wildcard userspace/*.md analyzer/*.md) tools/evaluation/RESULTS.md \
	tools/evaluation/STUDIES.md tools/evaluation/misses.csv $(PACKAGING)/limpet.rules.yml
DAEMONS    := limpet-probe limpet-push
SERVICES   := $(DAEMONS) limpet-serve
UNITS      := $(SERVICES) limpet-progress
DEFAULTS    = $(DESTDIR)$(sysconfdir)/default
RECEIVERS   = $(DESTDIR)$(sysconfdir)/limpet/receivers.d
PAGES      := $(sort $(wildcard analyzer/man/limpet*.[1-9]))
PLACED      = $(bindir)/limpet $(foreach p,$(PAGES),$(mandir)/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	$(foreach d,$(DAEMONS),$(sbindir)/$(d) $(mandir)/man8/$(d).8) \
	$(foreach c,limpet $(DAEMONS),$(compdir)/$(c) $(zshdir)/_$(c) $(fishdir)/$(c).fish) \
	$(foreach u,$(UNITS),$(unitdir)/$(u).service) \
	$(foreach s,$(SERVICES),$(sysusersdir)/$(s).conf) \
	$(addprefix $(docdir)/,$(notdir $(DOCS)))
REPLACE     = sed -i 's|/usr/sbin/|$(sbindir)/|g;s|/usr/bin/limpet|$(bindir)/limpet|g;s|/etc/default/|$(sysconfdir)/default/|g;s|/etc/limpet/|$(sysconfdir)/limpet/|g'

# On this system: the users the services run as, and to whom the recordings belong that root made (in the
# folder of root's, where nobody else can have put anything).
define make_user
	if command -v systemd-sysusers >/dev/null; then \
		systemd-sysusers $(addprefix $(sysusersdir)/,$(SERVICES:=.conf)); \
		chown limpet-push:limpet-push $(RECEIVERS); \
		[ "$$(stat -c %U $(statedir))" != root ] || \
			find $(statedir) -xdev -maxdepth 1 -exec chown -h limpet:limpet {} +; \
	else echo "there is no systemd-sysusers: make the system users 'limpet', 'limpet-push' and 'limpet-serve' for the services"; fi
endef

# Options in /etc/default that somebody has set stay.
install: $(PROGRAMS)
	install -d $(addprefix $(DESTDIR),$(sort $(dir $(PLACED)))) $(DEFAULTS)
	install -d -m 750 $(DESTDIR)$(statedir)
	install -d $(dir $(RECEIVERS))
	install -d -m 700 $(RECEIVERS)
	install -m 755 $(O)/limpet $(DESTDIR)$(bindir)/limpet
	install -m 644 $(DOCS) $(DESTDIR)$(docdir)/
	@set -e; for c in limpet $(DAEMONS); do \
		install -m 644 $(PACKAGING)/completion.bash $(DESTDIR)$(compdir)/$$c; \
		install -m 644 $(PACKAGING)/completion.zsh $(DESTDIR)$(zshdir)/_$$c; \
		install -m 644 $(PACKAGING)/completion.fish $(DESTDIR)$(fishdir)/$$c.fish; done
	@set -e; for p in $(PAGES); do \
		page=$(DESTDIR)$(mandir)/man$${p##*.}/$${p##*/}; \
		install -m 644 $$p $$page; \
		$(REPLACE) $$page; done
	@set -e; for d in $(DAEMONS); do \
		install -m 755 $(O)/$$d $(DESTDIR)$(sbindir)/$$d; \
		install -m 644 userspace/$$d.8 $(DESTDIR)$(mandir)/man8/; \
		$(REPLACE) $(DESTDIR)$(mandir)/man8/$$d.8; done
	@set -e; for d in $(SERVICES); do \
		install -m 644 $(PACKAGING)/$$d.sysusers $(DESTDIR)$(sysusersdir)/$$d.conf; done
	@set -e; for d in $(UNITS); do \
		install -m 644 $(PACKAGING)/$$d.service $(DESTDIR)$(unitdir)/; \
		$(REPLACE) $(DESTDIR)$(unitdir)/$$d.service; \
		if [ -e $(DEFAULTS)/$$d ]; then echo "$(DEFAULTS)/$$d is there already and stays"; \
		else install -m 644 $(PACKAGING)/$$d.default $(DEFAULTS)/$$d; fi; done
	@[ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || { $(make_user); }
	@[ -n '$(DESTDIR)' ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload

# Recordings and the log of progress stay, and so do options that somebody has set and receivers that know this host.
uninstall:
	@[ -n '$(DESTDIR)' ] || [ ! -d /run/systemd/system ] || \
		systemctl disable --now $(UNITS:=.service) || true
	rm -f $(addprefix $(DESTDIR),$(PLACED))
	@[ ! -d $(DESTDIR)$(docdir) ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(docdir)
	@for d in $(UNITS); do if [ -e $(DEFAULTS)/$$d ]; then if cmp -s $(PACKAGING)/$$d.default $(DEFAULTS)/$$d; \
		then rm $(DEFAULTS)/$$d; else echo "$(DEFAULTS)/$$d was changed and stays"; fi; fi; done
	@rmdir $(RECEIVERS) 2>/dev/null || [ ! -e $(RECEIVERS) ] || echo '$(RECEIVERS) has receivers and stays'
	@[ ! -d $(dir $(RECEIVERS)) ] || rmdir --ignore-fail-on-non-empty $(dir $(RECEIVERS))
	@rmdir $(DESTDIR)$(statedir) 2>/dev/null || [ ! -e $(DESTDIR)$(statedir) ] || \
		echo '$(DESTDIR)$(statedir) has recordings and stays'
	@rmdir $(DESTDIR)$(logdir) 2>/dev/null || [ ! -e $(DESTDIR)$(logdir) ] || echo '$(DESTDIR)$(logdir) has a log and stays'
	@[ -n '$(DESTDIR)' ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload

# For 64-bit ARM, on another machine.
cross:
	@tools/deps build cross
	@O=$(O)/arm64 tools/cross-arm64

deb:
	@tools/deps build deb
	@$(PACKAGING)/build-deb $(O)/deb

clean:
	rm -rf .output

help:
	@echo 'make demo [FAULT=random|KIND] [FS=ceph|moosefs]  find a faulty server of a small real cluster, live, untrained'
	@echo 'make demo LIVE=1             the same by a service: probes, limpet-push over https, limpet serve, which is killed meanwhile'
	@echo 'make demo ENGINE=hadoop1     the same of a small real Hadoop, with the logs of its jobs'
	@echo 'make check [STRICT=1] [TESTS=PATTERN]  run the tests; STRICT: a skipped kernel test fails'
	@echo 'make check-all [STRICT=1]    and virtual machines, clusters, long fuzzing: about half an hour'
	@echo 'make hardship [STRICT=1]     what those leave out: another file system, 64-bit ARM, the testbed'
	@echo 'make all                     build limpet-probe, limpet-push and limpet in $(O)/'
	@echo 'make bench-probe [BENCH=OPTIONS]  what the probe costs, beside the tools people use today'
	@echo 'make bench-analyzer [BENCH=OPTIONS]  how fast the analyzer is, beside numpy and scipy'
	@echo 'make bench-states [BENCH=--quick]  how fast methods on the logs of jobs are'
	@echo 'make bench-tcp | bench-threads | bench-tasks | bench-scrape | series-size  parts of the probe alone'
	@echo 'make install | uninstall [DESTDIR= prefix=/usr/local]'
	@echo 'make fuzz [FUZZ_SECONDS=60]   each parser under libFuzzer for so long'
	@echo 'make deb                     Debian packages, in $(O)/deb'
	@echo 'make cross                   both programs for 64-bit ARM, in $(O)/arm64'
	@echo 'make format | clean | help'
	@echo 'options: V=1 DEBUG=1 SANITIZE=address,undefined WERROR=0'

# Those of the fuzz targets only for them: another make may be writing them.
-include $(shell find $(O) $(if $(findstring fuzz,$(MAKECMDGOALS)),,-path $(O)/fuzz -prune -o) \
	-name '*.d' -type f -print 2>/dev/null)
