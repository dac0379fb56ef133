# The library beside its peers, and beside another build of itself.
#
# SPDX-License-Identifier: Apache-2.0

BENCHMARKS := .build/benchmarks

# Two programs, of which one does nothing, show what the library adds to a program's start. The second names the library
# by its path, through a stand-in that it is linked with: of an installed library the loader's cache tells the path. A
# run path would be searched in 21 folders for kinds of processors first, 0.03 to 0.05 of an empty program's start.
# X-Wing's peer is Python's cryptography, because Debian's OpenSSL has no ML-KEM, and OPAQUE's opaque-ke-py. Without a
# peer, it is said that nothing was compared.
bench: stage
	$(call require,$(BENCH_NEEDS))
	@mkdir -p $(BUILD)/startup
	@$(CC) -O2 -o $(BUILD)/startup/empty Benchmarks/Startup/empty.c
	@echo 'const char *CustomKeyboard_version(void) { return ""; }' | $(CC) -shared -x c - \
	  -Wl,-soname,'$(CURDIR)/$(STAGE)/lib/libcustomkeyboard.so.$(SOVERSION)' -o $(BUILD)/startup/standin.so
	@$(CC) -O2 -I$(STAGE)/include -o $(BUILD)/startup/version Benchmarks/Startup/version.c $(BUILD)/startup/standin.so
	$(without_cc) $(SWIFT) build -c release -j $(JOBS) --package-path Benchmarks --scratch-path $(BENCHMARKS)
	@$(BENCHMARKS)/release/benchmarks --build $(BUILD) $(if $(CHECK),--check) $(BENCH)
	@python3 -B Benchmarks/XWing/xwing.py $(BUILD)/libcustomkeyboard.so $(if $(CHECK),--check) || [ $$? -eq 77 ]
	@python3 -B Benchmarks/OPAQUE/opaque.py $(BUILD)/libcustomkeyboard.so $(if $(CHECK),--check) || [ $$? -eq 77 ]

bench-against: all
	@[ -e '$(OTHER)' ] || { echo "OTHER=PATH: the other libcustomkeyboard.so" >&2; exit 1; }
	@$(CC) -O2 -o $(BUILD)/against Benchmarks/Against/against.c
	@$(BUILD)/against $(BUILD)/libcustomkeyboard.so '$(OTHER)'

# Batches beside Intel's crypto_mb, which Debian does not have: Benchmarks/README.md says how it is built.
bench-crypto-mb: all
	@[ -e '$(CRYPTO_MB)' ] || { echo "CRYPTO_MB=PATH: libcrypto_mb.so; see Benchmarks/README.md" >&2; exit 1; }
	$(call require,gcc libssl-dev)
	@$(CC) -std=c11 -O2 -o $(BUILD)/crypto_mb Benchmarks/CryptoMB/crypto_mb.c Benchmarks/Sources/CSealedPeers/hpke.c \
	  -lcrypto -ldl
	@$(BUILD)/crypto_mb $(BUILD)/libcustomkeyboard.so '$(CRYPTO_MB)'

# A vault of 100,000 items beside plain SQLite and SQLCipher, a minute; BENCH=--help lists options.
bench-vault: stage
	$(call require,gcc libsqlite3-dev libsqlcipher-dev python3-minimal libpython3-stdlib)
	@mkdir -p $(BUILD)/bench-vault && chmod 700 $(BUILD)/bench-vault
	@$(CC) -std=c11 -O2 -DSTORE_VAULT -o $(BUILD)/bench-vault/vault Benchmarks/Vault/store.c -I$(STAGE)/include \
	  -L$(STAGE)/lib -lcustomvault -lcustomkeyboard -Wl,-rpath,'$$ORIGIN/../stage/lib'
	@$(CC) -std=c11 -O2 -DSTORE_SQLITE -o $(BUILD)/bench-vault/sqlite Benchmarks/Vault/store.c -lsqlite3
	@$(CC) -std=c11 -O2 -DSTORE_SQLCIPHER -o $(BUILD)/bench-vault/sqlcipher Benchmarks/Vault/store.c -lsqlcipher
	@python3 -B Benchmarks/Vault/compare.py $(BUILD)/bench-vault $(if $(CHECK),--check) $(BENCH)

# In memory and on the disk: half of the time is the disk's, on many machines.
bench-fido: stage
	@$(CC) -std=c11 -O2 -rdynamic -o $(BUILD)/authenticate Benchmarks/FIDO/authenticate.c -I$(STAGE)/include \
	  -L$(STAGE)/lib -lcustomfido -lcustomvault -lcustomkeyboard -ldl -Wl,-rpath,'$$ORIGIN/stage/lib'
	@for place in /dev/shm $(BUILD); do \
	  folder=$$(mktemp -d -p "$$place" fido.XXXXXX) && echo "In $$place:" && \
	  $(BUILD)/authenticate "$$folder" $(if $(CHECK),$$([ "$$place" = $(BUILD) ] || echo --check)); status=$$?; \
	  rm -rf "$$folder"; [ $$status = 0 ] || exit $$status; \
	done

# The package for Python beside C, on one copy of the library; ten seconds.
bench-python: all
	$(call require,gcc python3-minimal libpython3-stdlib)
	@mkdir -p $(BUILD)/bench-python
	@$(CC) -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -IInclude -o $(BUILD)/bench-python/server.so \
	  Benchmarks/Python/server.c -L$(BUILD) -lcustomkeyboard -Wl,-rpath,'$$ORIGIN/..'
	@python3 -B Benchmarks/Python/compare.py $(BUILD)/libcustomkeyboard.so $(BUILD)/bench-python/server.so \
	  $(if $(CHECK),--check) $(BENCH)

.PHONY: bench bench-python bench-vault bench-fido bench-against bench-crypto-mb
