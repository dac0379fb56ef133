# What a stranger needs to check each claim of Docs/Evidence.md: `make check` runs the scripts of Tests/Evidence, as
# many at a time as there are processors.
#
# SPDX-License-Identifier: Apache-2.0

BOTAN = libbotan-$(if $(shell apt-cache show libbotan-2-dev 2>/dev/null),2,3)-dev
PROVE_NEEDS = python3-minimal libpython3-stdlib python3-z3 gcc binutils
BENCH_NEEDS = libssl-dev libgcrypt20-dev libargon2-dev $(BOTAN) librsvg2-bin fonts-dejavu-core
CHECK_NEEDS = $(sort $(BENCH_NEEDS) $(SWIFT_NEEDS) $(BANK_NEEDS) $(PROVE_NEEDS) $(IOS_NEEDED) \
              $(IOS_CHECK_NEEDS)) cmake make g++ \
              python3-minimal python3-cryptography \
              python3-mnemonic \
              libpython3-stdlib openssl valgrind qemu-user gdb python3-venv default-jdk-headless libbcprov-java \
              libjna-java nodejs node-typescript postgresql debootstrap

check: stage
	$(call require,$(CHECK_NEEDS))
	@CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' SWIFT='$(SWIFT)' python3 Tests/Evidence/run.py $(BUILD) $(CHECK)

# The tests' own test: bugs planted in a copy of the tree, and each must be caught; hours.
mutation: setup
	$(call require,$(sort $(CHECK_NEEDS) $(WEB_NEEDED) $(SCREEN_NEEDS)))
	@mkdir -p $(BUILD)
	@CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' SWIFT='$(SWIFT)' JOBS='$(JOBS)' \
	  sh Tests/Evidence/mutation.sh $(BUILD) $(MUTATION)

# The library compiled once more, for libFuzzer (which is C++) and the address sanitizer; ten minutes.
fuzz: setup
	$(call require,g++)
	@SWIFT='$(SWIFT)' JOBS='$(JOBS)' bash Tests/Evidence/fuzz.sh $(BUILD) $(FUZZ_SECONDS)

# The library for arm64, emulated; four minutes.
check-arm64: setup
	$(call require,qemu-user gcc libc6-dev)
	@CC='$(CC)' JOBS='$(JOBS)' bash Tests/Evidence/arm64.sh $(BUILD)

# What the compiled functions of fields compute, proved for all inputs, how deep stacks are, and that no secret decides
# how long a computation takes; x86-64, ten minutes.
prove: stage
	$(call require,$(PROVE_NEEDS))
	@CC='$(CC)' SWIFT='$(SWIFT)' /usr/bin/python3 -B Tests/Proofs/prove.py $(BUILD)/customkeyboard.o
	@/usr/bin/python3 -B Tests/Proofs/depths.py $(BUILD)/customkeyboard.o \
	  "$$($(CC) -print-file-name=libmbedcrypto.a)" Sources/CKeyboardPlatform/residue.h
	@CC='$(CC)' /usr/bin/python3 -B Tests/Proofs/in_full.py $(BUILD)/customkeyboard.o
	@CC='$(CC)' /usr/bin/python3 -B Tests/Proofs/constant_time.py $(BUILD)/customkeyboard.o

.PHONY: check mutation fuzz check-arm64 prove
