# `make test`: the library and the tool; one line a suite, logs in build/test.
#
# SPDX-License-Identifier: Apache-2.0

# clang is the Swift toolchain's, if there is no other.
CLANG   ?= $(or $(shell command -v clang),$(dir $(realpath $(shell command -v $(SWIFT))))clang)
CLANGXX ?= $(or $(shell command -v clang++),$(dir $(realpath $(shell command -v $(SWIFT))))clang++)

# One line a suite. What a suite says goes to its log, and is shown when it fails, after all others have run.
QUIETLY = @LOGS='$(LOGS)' TOGETHER='$(TOGETHER)' sh Tests/Tree/quietly.sh

# What the suites need besides NEEDED.
SWIFT_NEEDS  = libargon2-dev python3-minimal libpython3-stdlib
C_NEEDS      = libargon2-dev libssl-dev cmake make g++ python3-minimal python3-cryptography python3-mnemonic \
               libgcrypt20 valgrind
TOOL_NEEDS   = python3-minimal libpython3-stdlib openssl zsh fish
README_NEEDS = python3-minimal libpython3-stdlib python3-cryptography groff-base
LINT_NEEDS   = python3-minimal libpython3-stdlib python3-venv shellcheck

# Two suites at a time, because much of a suite keeps only one processor busy. The suites of one line follow each other:
# they use the same folder of built files, or the same stage. All packages are installed before, because apt-get runs
# only once at a time.
#
# Some suites repeat less than they can. With THOROUGH=1, as `make check` runs them, they repeat all.
THOROUGH        ?=
ROOM            ?=
SUITES_OF_SWIFT := test-swift test-tool lint test-suites test-release
SUITES_OF_C     := test-c test-readme
SUITES          := swift snippets tool lint suites release c instructions timing readme
export THOROUGH

ifneq ($(ROOM),)
# What guards a product, a room of Sources or a program: its Swift suite, and the tests that its planted bugs name.
test: setup stage
	@CC='$(CC)' SWIFT='$(SWIFT)' JOBS='$(JOBS)' python3 -B Tests/Table/run.py room $(ROOM) $(BUILD)
else
test: setup
	$(call require,$(sort $(SWIFT_NEEDS) $(C_NEEDS) $(TOOL_NEEDS) $(README_NEEDS) $(LINT_NEEDS)))
	$(call side_by_side,SUITES_OF_SWIFT SUITES_OF_C,$(SUITES))
endif

# $(call side_by_side,variables,names): makes the targets of each variable one after another, and those of all variables
# side by side; then tells which of the named suites failed.
define side_by_side
	@mkdir -p $(LOGS) && rm -f $(LOGS)/*.failed $(addprefix $(LOGS)/,$(addsuffix .log,$(2)))
	@$(foreach suites,$(1),$(MAKE) --no-print-directory --keep-going -j1 TOGETHER=yes READY=yes $($(suites)) &) wait
	@LOGS='$(LOGS)' sh Tests/Tree/quietly.sh --summary $(2)
endef

lint:
	$(call require,$(LINT_NEEDS))
	$(QUIETLY) 'Form of the sources' lint env SWIFT='$(SWIFT)' sh Tests/Tree/lint.sh

test-swift: setup
	$(call require,$(SWIFT_NEEDS))
	$(QUIETLY) 'Swift tests' swift $(without_cc) \
	  sh -c '$(SWIFT) build -j $(JOBS) --build-tests && $(SWIFT) test --skip-build'
	$(QUIETLY) 'Swift on the pages' snippets env SWIFT='$(SWIFT)' \
	  sh -c 'exec python3 -B Tests/Tree/snippets.py "$$($(SWIFT) build --show-bin-path)"'

# After a change of what threads share; `make check` contains it.
test-threads: setup
	$(call require,$(SWIFT_NEEDS))
	$(QUIETLY) 'Sixteen threads, thread sanitizer' threads $(without_cc) $(SWIFT) test -j $(JOBS) --sanitize=thread \
	  --scratch-path .build/tsan --filter CustomKeyboardCTests

library:
	$(QUIETLY) 'The C library' library $(MAKE) --no-print-directory stage

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

test-readme: $(call unless_ready,setup library)
	$(call require,$(README_NEEDS))
	$(QUIETLY) 'Examples and documentation' readme env CC='$(CC)' SWIFT='$(SWIFT)' \
	  sh -c 'sh Tests/Tree/docs.sh && sh Tests/Tree/readme.sh "$$1"' sh $(BUILD)

# The command-line tool, in a terminal and in pipes.
test-tool: setup
	$(call require,$(TOOL_NEEDS) $(SWIFT_NEEDS))
	$(QUIETLY) 'The tool, in a terminal and in pipes' tool $(without_cc) \
	  sh -c '$(SWIFT) build -j $(JOBS) --product keyboard && \
	  exec sh Tests/Tool/run.sh "$$($(SWIFT) build --show-bin-path)/keyboard"'

# The tests of `make test` itself, and of the release script.
test-suites:
	$(QUIETLY) 'Words of make test' suites sh Tests/Tree/suites.sh

test-release:
	$(QUIETLY) 'The release script' release sh Tests/Tree/release.sh

.PHONY: test lint library test-swift test-threads test-c test-processors test-timing test-readme test-tool
.PHONY: test-suites test-release
