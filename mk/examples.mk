# The examples: the demonstration, the kiosk, the bank with its page.
#
# SPDX-License-Identifier: Apache-2.0

# An installation of its own, and a program that is compiled against it as a user's would be.
stage: all
	@$(MAKE) --no-print-directory install PREFIX='$(STAGE)' LIBDIR='$(STAGE)/lib' INCLUDEDIR='$(STAGE)/include' \
	  MANDIR='$(STAGE)/share/man' DESTDIR= LDCONFIG=: >/dev/null

# $(call against_stage,program,source): the prefix as a relative path, because the tree's own may have a space.
against_stage = $(CC) -O2 -o $(1) $(2) $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig \
  pkg-config --define-variable=prefix=$(STAGE) --cflags --libs customkeyboard) -Wl,-rpath,'$$ORIGIN/$(3)stage/lib'

demo: stage
	@$(call against_stage,$(BUILD)/demo,Examples/c-demo/demo.c)
	@$(BUILD)/demo

# A window, for GTK 4. TLS is a module that libsoup loads.
KIOSK_NEEDS := gcc pkg-config libgtk-4-dev libsoup-3.0-dev libjson-glib-dev glib-networking

kiosk: $(call unless_ready,stage)
	$(call require,$(KIOSK_NEEDS))
	@$(call against_stage,$(BUILD)/kiosk,Examples/kiosk/Sources/*.c -Wall -Wextra \
	  $$(pkg-config --cflags --libs gtk4 libsoup-3.0 json-glib-1.0) -lcustomfido -lcustomvault -lm)

# STATIC=1: with Swift's libraries inside, for a machine that has none.
STATIC       ?=
BANK_BUILD   ?= release
BANK_SCRATCH := .build/bank$(if $(STATIC),-static)
BANK_PROGRAM := $(BANK_SCRATCH)/$(BANK_BUILD)/bank
BANK_NEEDS   := libsqlite3-dev libpq-dev libmbedtls-dev pkg-config
BANK_OPTIONS ?=
# The apps that may log in with FIDO: those of Examples/c-fido and the kiosk, and `keyboard fido`.
FIDO_FACETS  := ios:bundle-id:com.example.bank cli:keyboard

bank-program: setup
	$(call require,$(BANK_NEEDS))
	@$(without_cc) $(SWIFT) build -c $(BANK_BUILD) -j $(JOBS) --package-path Examples/Bank \
	  --scratch-path $(BANK_SCRATCH) --product bank $(SWIFT_FLAGS) $(if $(STATIC),--static-swift-stdlib)

# Keys and accounts stay in build/bank-data.
bank: bank-program web
	@mkdir -p $(BUILD)
	@exec $(BANK_PROGRAM) --page Examples/Bank/Page --keyboard Bindings/web --keyboard $(BUILD)/web \
	  --data $(BUILD)/bank-data $(addprefix --fido-facet ,$(FIDO_FACETS)) $(BANK_OPTIONS)

.PHONY: stage demo kiosk bank bank-program
