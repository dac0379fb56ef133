# `make test`: the library and the tool; one line a suite, logs in build/test. `make ci`: all that a change must pass.
#
# SPDX-License-Identifier: Apache-2.0

# clang is the Swift toolchain's, if there is no other.
CLANG   ?= $(or $(shell command -v clang),$(dir $(realpath $(shell command -v $(SWIFT))))clang)
CLANGXX ?= $(or $(shell command -v clang++),$(dir $(realpath $(shell command -v $(SWIFT))))clang++)

# One line a suite. What a suite says goes to its log, and is shown when it fails, after all others have run. BUILT is
# for what suites need: without it, they do not run.
QUIETLY = @LOGS='$(LOGS)' TOGETHER='$(TOGETHER)' sh Tests/Tree/quietly.sh
BUILT   = @LOGS='$(LOGS)' TOGETHER='$(TOGETHER)' NEEDED=yes sh Tests/Tree/quietly.sh

# What the suites need besides NEEDED.
SWIFT_NEEDS  = libargon2-dev python3-minimal libpython3-stdlib
C_NEEDS      = libargon2-dev libssl-dev cmake make g++ python3-minimal python3-cryptography python3-mnemonic \
               libgcrypt20 valgrind
TOOL_NEEDS   = python3-minimal libpython3-stdlib openssl zsh fish
README_NEEDS = python3-minimal libpython3-stdlib python3-cryptography groff-base
LINT_NEEDS   = python3-minimal libpython3-stdlib python3-venv shellcheck

# Several suites at a time, because much of a suite keeps only one processor busy, and servers and windows often wait.
# They begin in this order, each when what it needs is built. All packages are installed before, because apt-get runs
# only once at a time.
SUITES     := test-swift test-c test-tool test-readme lint test-suites test-release
NAMES      := swift snippets tool lint suites release c instructions timing readme
TEST_NEEDS  = $(SWIFT_NEEDS) $(C_NEEDS) $(TOOL_NEEDS) $(README_NEEDS) $(LINT_NEEDS)

# Some suites repeat less than they can. With THOROUGH=1, as `make check` runs them, they repeat all.
THOROUGH        ?=
ROOM            ?=
export THOROUGH

ifneq ($(ROOM),)
# What guards a product, a room of Sources or a program: its Swift suite, and the tests that its planted bugs name.
test: setup stage
	@CC='$(CC)' SWIFT='$(SWIFT)' JOBS='$(JOBS)' python3 -B Tests/Table/run.py room $(ROOM) $(BUILD)
else
test: setup
	$(call require,$(sort $(TEST_NEEDS)))
	$(call side_by_side,2,$(SUITES),$(NAMES))
endif

# The longest and what they need begin first; short ones fill what is left at the end. Everything is compiled once here.
# Compiling whole modules takes a fifth less time than file by file, but after an edit more is compiled again. Without
# optimising, the bank's server takes half the time.
SWIFT_FLAGS ?=
ci: export SWIFT_FLAGS = -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 1
ci: export BANK_BUILD = debug

ci: setup web-setup
	$(call require,$(sort $(TEST_NEEDS) $(SCREEN_NEEDS) $(IOS_NEEDED) $(IOS_CHECK_NEEDS)))
	$(call side_by_side,3,test-bank test-c test-browser test-swift test-tool test-kiosk ci-darwin test-login test-fido \
	  test-web test-readme lint test-suites test-release,$(NAMES) $(SCREEN_NAMES) darwin)

# -o: what test-darwin needs is there.
ci-darwin:
	$(BUILT) "Phones' frameworks" frameworks $(MAKE) --no-print-directory -j1 darwin-parts
	@$(MAKE) --no-print-directory -o darwin-parts test-darwin

# $(call side_by_side,number,suites,names): makes so many of the suites at a time; then tells which of the named ones
# failed.
define side_by_side
	@mkdir -p $(LOGS) && rm -f $(LOGS)/*.failed $(addprefix $(LOGS)/,$(addsuffix .log,$(3)))
	@$(MAKE) --no-print-directory --keep-going -j$(1) TOGETHER=yes $(2) || true
	@LOGS='$(LOGS)' sh Tests/Tree/quietly.sh --summary $(3)
endef

# Among others, a suite comes after the one that changes the same built files; and short ones, and the phones', after
# those that compile most, so that something is left to do while servers and windows wait. The bank's tests wait most:
# its server is compiled before the Swift tests.
after = $(filter $(1),$(MAKECMDGOALS))
test-swift: | $(if $(call after,test-bank),server)
test-tool ci-darwin: | $(call after,test-swift)
test-readme lint test-suites test-release: | $(call after,test-c)
test-fido: | $(call after,test-tool)
test-login: | $(call after,test-kiosk)

lint:
	$(call require,$(LINT_NEEDS))
	$(QUIETLY) 'Form of the sources' lint env SWIFT='$(SWIFT)' sh Tests/Tree/lint.sh

test-swift: setup
	$(call require,$(SWIFT_NEEDS))
	$(QUIETLY) 'Swift tests' swift $(without_cc) \
	  sh -c '$(SWIFT) build -j $(JOBS) --build-tests $(SWIFT_FLAGS) && $(SWIFT) test --skip-build $(SWIFT_FLAGS)'
	$(QUIETLY) 'Swift on the pages' snippets env SWIFT='$(SWIFT)' \
	  sh -c 'exec python3 -B Tests/Tree/snippets.py "$$($(SWIFT) build --show-bin-path)"'

# After a change of what threads share; `make check` contains it.
test-threads: setup
	$(call require,$(SWIFT_NEEDS))
	$(QUIETLY) 'Sixteen threads, thread sanitizer' threads $(without_cc) $(SWIFT) test -j $(JOBS) --sanitize=thread \
	  --scratch-path .build/tsan --filter CustomKeyboardCTests

library:
	$(BUILT) 'The C library' library $(MAKE) --no-print-directory -j1 stage

# The C programs, on what a C user gets: the library without a Swift runtime.
test-c: setup library
	$(call require,$(C_NEEDS))
	$(QUIETLY) 'C tests' c env CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' \
	  python3 -B Tests/Table/run.py suite $(BUILD)
	$(QUIETLY) 'Instructions of each module' instructions bash Tests/C/instruction-sets.sh $(SCRATCH)/release
	$(QUIETLY) 'Constant time, under valgrind' timing env CC='$(CC)' sh Tests/C/secrets.sh $(BUILD)

# On processors that this machine is not, emulated; a minute.
test-processors: stage
	$(call require,libssl-dev qemu-user)
	@CC='$(CC)' sh Tests/C/emulated.sh $(BUILD)

# Under valgrind, which is told what is secret; a minute.
test-timing: stage
	$(call require,valgrind)
	@CC='$(CC)' sh Tests/C/secrets.sh $(BUILD)

test-readme: setup library
	$(call require,$(README_NEEDS))
	$(QUIETLY) 'Examples and documentation' readme env CC='$(CC)' SWIFT='$(SWIFT)' \
	  sh -c 'sh Tests/Tree/docs.sh && sh Tests/Tree/readme.sh "$$1"' sh $(BUILD)

# The command-line tool, in a terminal and in pipes.
test-tool: setup
	$(call require,$(TOOL_NEEDS) $(SWIFT_NEEDS))
	$(QUIETLY) 'The tool, in a terminal and in pipes' tool $(without_cc) \
	  sh -c '$(SWIFT) build -j $(JOBS) --product keyboard $(SWIFT_FLAGS) && \
	  exec sh Tests/Tool/run.sh "$$($(SWIFT) build --show-bin-path)/keyboard"'

# The tests of `make test` itself, and of the release script.
test-suites:
	$(QUIETLY) 'Words of make test' suites sh Tests/Tree/suites.sh

test-release:
	$(QUIETLY) 'The release script' release sh Tests/Tree/release.sh

.PHONY: test ci ci-darwin lint library test-swift test-threads test-c test-processors test-timing test-readme test-tool
.PHONY: test-suites test-release
