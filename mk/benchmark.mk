# The library beside its peers, and beside another build of itself.
#
# SPDX-License-Identifier: Apache-2.0

BENCHMARKS := .build/benchmarks

# Two programs, of which one does nothing, show what the library adds to a program's start.
bench: stage
	$(call require,$(BENCH_NEEDS))
	@mkdir -p $(BUILD)/startup
	@$(CC) -O2 -o $(BUILD)/startup/empty Benchmarks/Startup/empty.c
	@$(call against_stage,$(BUILD)/startup/version,Benchmarks/Startup/version.c,../)
	$(without_cc) $(SWIFT) build -c release -j $(JOBS) --package-path Benchmarks --scratch-path $(BENCHMARKS)
	@$(BENCHMARKS)/release/benchmarks --build $(BUILD) $(if $(CHECK),--check) $(BENCH)

bench-against: all
	@[ -e '$(OTHER)' ] || { echo "OTHER=PATH: the other libcustomkeyboard.so" >&2; exit 1; }
	@$(CC) -O2 -o $(BUILD)/against Benchmarks/Against/against.c
	@$(BUILD)/against $(BUILD)/libcustomkeyboard.so '$(OTHER)'

.PHONY: bench bench-against
