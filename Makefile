# CustomKeyboard: the C library, its installation, a demonstration, the tests, the benchmark. Shown by `make help`.
#
#   make                 build/libcustomkeyboard.so and .a, libcustomvault, libcustomfido: they need no Swift runtime
#   make demo            the paper's three rows and a sealed text through a C program
#   make test            the library and the tool, one line a suite; logs in build/test
#   make test ROOM=fido  what guards a product, a room of Sources or a program: its suite, what catches its planted bugs
#   make lint            the form of the sources: swift format, and lines of at most 120 columns
#   make check           all of that and more, in two hours and a half, claim by claim; CHECK=--help lists options
#   make mutation        bugs planted in a copy, one after another, and what catches each; MUTATION=--help
#   make web             build/web/custom-keyboard.wasm, the library for a web page, and its hash for `integrity`
#   make test-web        it, in Node, beside the native library; and the search of its memory
#   make test-web-twice  builds it again in another folder, and compares
#   make xcframework     build/ios, frameworks for iPhones and their simulator; nothing of Apple's is needed
#   make swift-package   build/ios/customkeyboard-apple, a Swift package on these; make test-swift-package tests it here
#   make test-darwin     the code of these, run here under emulation; make check-ios: also what is in their files
#   make test-tool       the command-line tool `keyboard`: its pad in a terminal, its commands in pipes
#   make test-kiosk      the window of `make kiosk`, on a screen in memory; KIOSK='--bank URL' tests it with that bank
#   make test-browser    the web element, in Chromium; BROWSER="bank screen", parts and options of Tests/Web/browser.py
#   make prove           what compiled functions compute, how deep stacks are, constant time: proved for all inputs
#   make fuzz            libFuzzer and the address sanitizer, FUZZ_SECONDS=120 for each of eleven programs
#   make bank            the example bank on a local port, with its page; BANK_OPTIONS=--help lists options; STATIC=1
#   make test-bank       its tests: protocol, hostile and slow clients, killed servers; BANK=--full for all of it
#   make test-login      people who log in at that bank, in its page and in the window
#   make test-fido       C, Swift and the tool, which log in there with FIDO, by libcurl and URLSession
#   make test-screen     those of the web page, the bank and the window together; make ci: all that a change must pass
#   make pictures        the pictures of keyboards in Docs/Pictures; make screen-pictures: of the page and the window
#   make bench           the library and its peers: OpenSSL, libgcrypt, Botan, mbedTLS, libargon2; see BENCH=--help
#   make bench CHECK=1   the same, and exit status 1 if a limit of the design's is missed; needs an idle machine
#   make bench-vault     a vault of 100,000 items beside plain SQLite and SQLCipher; CHECK=1 as above
#   make bench-fido      an authentication, with and without its verifier; CHECK=1 fails over 2 ms without
#   make bench-python    the package for Python beside C; CHECK=1 fails where a limit is missed
#   make bench-against OTHER=PATH   the library and another build of it, in one process
#   make bench-crypto-mb CRYPTO_MB=PATH   batches beside Intel's crypto_mb
#   make install         copies the libraries, their headers, man pages and files for pkg-config and CMake
#   make uninstall       removes them
#   make kiosk           build/kiosk, an example in C: a window that logs in to a bank; needs GTK 4
#   make tool            build/keyboard, the command-line tool, and its completions for bash, zsh and fish
#   make install-tool    copies them
#   make uninstall-tool  removes them
#   make wheel           build/wheel, the package for Python; make test-wheel installs it and tests it
#   make jar             build/jar, the package for Java, and its javadoc; make test-jar tests it
#   make npm             build/npm, the element for web pages as an archive for npm; make test-npm tests it
#   make test-spark      the job that moves stored texts to verifiers on a Spark cluster; pyspark comes from PyPI
#   make deb             build/deb, Debian packages of the libraries and the tool; make dist: the sources' archive
#   make docs            build/docs, a web site: the Swift API, articles, the C header
#   make release         checks and tags VERSION=x.y.z; DRY_RUN=1 only checks
#   make clean           removes what was built
#
#   make TARGET=aarch64-linux-gnu     the library for another processor, in build/aarch64-linux-gnu
#   make check-arm64                  it, built so and tested under emulation
#
# Variables:
#
#   PREFIX=/usr/local DESTDIR=        where to install; also LIBDIR, INCLUDEDIR, BINDIR, DATADIR, MANDIR
#   PRODUCTS=customkeyboard           builds and installs this library only
#   DEPS=no                           never call apt-get: missing packages are yours to install
#   MBEDTLS=DIR                       an mbedTLS of your own, in DIR/include and DIR/lib
#   WEB_MBEDTLS=DIR                   for `make web`: the source of mbedTLS 2.28; Debian's, unless it is given
#   CC SWIFT JOBS LDCONFIG            the programs to use, and how many jobs at once
#
# `sudo make install` never builds: if build/ is missing or older than the sources, it says so and stops. Without sudo,
# `make install` builds first. As root and without DESTDIR it ends with ldconfig, so that programs find it.
#
# Swift programs need none of this: they depend on the package. The sources are compiled here as Embedded Swift (the
# variable CUSTOM_KEYBOARD_C_LIBRARY), made into one object whose only global names are the C functions, and linked.

# SPDX-License-Identifier: Apache-2.0

VERSION := $(shell sed -n 's/^\#define CUSTOM_KEYBOARD_VERSION "\(.*\)"/\1/p' Include/custom_keyboard.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR     ?= $(PREFIX)/bin
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
DEPS       ?= yes
LDCONFIG   ?= $(or $(shell command -v ldconfig),/sbin/ldconfig)
CC         ?= cc
SWIFT      ?= swift
JOBS       ?= $(shell nproc 2>/dev/null || echo 2)
TARGET     ?=
MBEDTLS    ?=
BUILD      := $(if $(TARGET),build/$(TARGET),build)
SCRATCH    := $(if $(TARGET),.build/$(TARGET),.build/c-abi)
STAGE      := $(BUILD)/stage
LOGS       := $(BUILD)/test
LIBRARIES   = $(foreach product,$(PRODUCTS),$(BUILD)/lib$(product).a $(BUILD)/lib$(product).so)

# ---- The products: lib$(product).so and .a, each with a header of its own. An upper product uses those BELOW it only
# through their headers. NAME is how its functions begin, how its Swift product is named (with a C after it), and its
# CMake package. LINKS are what a program with the static library needs: for a static SQLite also libm.
PRODUCTS ?= customkeyboard customvault customfido

NAME_customkeyboard        := CustomKeyboard
HEADER_customkeyboard      := custom_keyboard
LINKS_customkeyboard       := mbedcrypto
DESCRIPTION_customkeyboard := A password keyboard that encrypts

NAME_customvault        := CustomVault
HEADER_customvault      := custom_vault
BELOW_customvault       := customkeyboard
LINKS_customvault       := mbedcrypto sqlite3 m
DESCRIPTION_customvault := A file of secrets that only its key opens

NAME_customfido        := CustomFido
HEADER_customfido      := custom_fido
BELOW_customfido       := customvault customkeyboard
LINKS_customfido       := mbedcrypto
DESCRIPTION_customfido := A client of FIDO UAF with a passcode and a pattern

# READY=yes: what something needs has been built.
READY ?=
unless_ready = $(if $(READY),,$(1))

# What differs for another processor. STRIP is for the tool, which is built only for this machine.
ifneq ($(TARGET),)
include mk/arm64.mk
else
OBJCOPY := objcopy
STRIP   := strip
NEEDED  := $(if $(MBEDTLS),,libmbedtls-dev) $(if $(filter customvault customfido,$(PRODUCTS)),libsqlite3-dev) \
           gcc libc6-dev binutils pkg-config
ifneq ($(MBEDTLS),)
headers := -isystem $(MBEDTLS)/include
CROSS_SWIFT := $(addprefix -Xcc ,$(headers))
CROSS_LINK  := -L$(MBEDTLS)/lib
endif
endif

.DEFAULT_GOAL := all

# The stamp `built` is as old as the beginning of the build: an edit during the build makes the library outdated.
all: setup
	@mkdir -p $(BUILD) && touch $(BUILD)/begun
	@$(MAKE) --no-print-directory $(LIBRARIES)
	@mv $(BUILD)/begun $(BUILD)/built

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

# ---- The C libraries -------------------------------------------------------------------------------------------------

# Where the toolchain keeps the tables that say what a character is, for Swift without a runtime.
target_info = $(shell $(SWIFT)c -print-target-info | sed -n 's/.*"$(1)": "\(.*\)".*/\1/p' | head -1)
UNICODE = $(call target_info,runtimeResourcePath)/embedded/$(or \
  $(TRIPLE),$(call target_info,triple))/libswiftUnicodeDataTables.a

# SwiftPM adds objects to the archive and removes none: after a source file was renamed, both would be in it.
# SwiftPM does not notice when a header of a C module has changed. A flag that differs makes it compile again.
HEADERS := -Xcc -DCUSTOM_KEYBOARD_HEADERS=0x$(shell cat Sources/CKeyboard*/*.h Include/*.h | cksum | cut -d ' ' -f 1)

# SwiftPM compiles C and assembler with CC, and gives it options that only clang knows.
without_cc := env -u CC -u CXX

archive = $(SCRATCH)/release/lib$(NAME_$(1))C.a
$(foreach product,$(PRODUCTS),$(call archive,$(product))): $(SCRATCH)/release/lib%.a: FORCE
	@[ -z "$$(find Sources -type d -newer $@ 2>/dev/null)" ] || rm -f $@
	$(without_cc) CUSTOM_KEYBOARD_C_LIBRARY=1 $(SWIFT) build -c release -j $(JOBS) --scratch-path $(SCRATCH) \
	  --product $* $(CROSS_SWIFT) $(CONTROL_FLOW) $(HEADERS) -Xcc -momit-leaf-frame-pointer \
	  -Xswiftc -Xfrontend -Xswiftc -function-sections

# Control-flow protection (Intel CET): every function that can be called through a pointer begins with endbr64, and the
# files say so. The compiler passes clang's flag on to Swift's functions. Swift's Unicode tables come without the mark
# and are only called directly, so the linker is told to set it. C's start files lack it too, and are left out.
empty :=
comma := ,
ifeq ($(TARGET)$(shell uname -m),x86_64)
CONTROL_FLOW := -Xcc -fcf-protection=full
CONTROL_FLOW_MARK := -z ibt -z shstk
CONTROL_FLOW_LINK := -nostartfiles -Wl,$(subst $(empty) $(empty),$(comma),$(CONTROL_FLOW_MARK))
endif

.SECONDEXPANSION:

# One object, whose weak swift_* symbols are hidden so that they cannot take the place of a Swift host's own. It has no
# tables for unwinding (the compiler writes them for a third of the functions; nothing may pass over memory that is to
# be wiped), and frame pointers for those who walk them, as usual on arm64 not in functions that call no other.
$(PRODUCTS:%=$(BUILD)/%.o): $(BUILD)/%.o: $$(call archive,$$*)
	@mkdir -p $(BUILD)
	$(LD) -r $(CONTROL_FLOW_MARK) --gc-sections --gc-keep-exported -u $(NAME_$*)_version -o $@ \
	  --whole-archive $< --no-whole-archive $(UNICODE)
	$(OBJCOPY) --wildcard --keep-global-symbol='$(NAME_$*)_*' --strip-debug \
	  $(addprefix --remove-section=,.swift_modhash .comment .eh_frame .text._swift_exceptionPersonality) $@

$(PRODUCTS:%=$(BUILD)/lib%.a): $(BUILD)/lib%.a: $(BUILD)/%.o
	rm -f $@
	$(AR) rcs $@ $<

# Where a library finds those below it: in its own folder ($ORIGIN), if LD_LIBRARY_PATH does not say otherwise. There
# they are in build/ and in any installation. A program's run path does not count for what its libraries need.
BESIDE = -Wl,--enable-new-dtags,-rpath,'$$ORIGIN'

# The name of the symbols' version: CUSTOM_KEYBOARD_0, CUSTOM_VAULT_0.
symbols = $(shell echo $(HEADER_$(1)) | tr a-z A-Z)_$(SOVERSION)

# -z now is a security measure: lazy binding saves vector registers, secrets and all, to the stack. -z nodelete, because
# a library that was unloaded and loaded again would leave its memory behind, and give the same handles anew. A library
# below is needed even where no function of it is called yet, so that a process has one copy of it. -z noseparate-code
# maps constants together with the code: two mappings less at a program's start, and 4 KB less in the file.
$(PRODUCTS:%=$(BUILD)/lib%.so.$(VERSION)): $(BUILD)/lib%.so.$(VERSION): $(BUILD)/%.o \
  $$(foreach lower,$$(BELOW_$$*),$(BUILD)/lib$$(lower).so)
	echo '$(call symbols,$*) { global: $(NAME_$*)_*; local: *; };' > $(BUILD)/$*.map
	$(CC) -shared $(CONTROL_FLOW_LINK) -o $@ $< $(CROSS_LINK) -L$(BUILD) -Wl,--no-as-needed $(BELOW_$*:%=-l%) \
	  -Wl,--as-needed $(LINKS_$*:%=-l%) $(if $(BELOW_$*),$(BESIDE)) -Wl,-soname,lib$*.so.$(SOVERSION) \
	  -Wl,--version-script=$(BUILD)/$*.map \
	  -Wl,--gc-sections,--no-undefined,-z,relro,-z,now,-z,nodelete,-z,noexecstack,-z,noseparate-code,-s

$(PRODUCTS:%=$(BUILD)/lib%.so): $(BUILD)/lib%.so: $(BUILD)/lib%.so.$(VERSION)
	ln -sf $(notdir $<) $(BUILD)/lib$*.so.$(SOVERSION)
	ln -sf lib$*.so.$(SOVERSION) $@

# ---- Installation ----------------------------------------------------------------------------------------------------

# Paths may have spaces, which make's own functions (abspath, patsubst) would take for the end of a path.
absolute    = $(if $(filter-out /%,$(firstword $(1))),$(CURDIR)/$(1),$(1))
prefix      = $(call absolute,$(PREFIX))
libdir      = $(call absolute,$(LIBDIR))
includedir  = $(call absolute,$(INCLUDEDIR))
below_prefix = $(subst $(prefix)/,$${prefix}/,$(1))
cmakedir = $(libdir)/cmake
TO_LIB     = $(DESTDIR)$(libdir)
TO_INCLUDE = $(DESTDIR)$(includedir)
TO_CMAKE   = $(DESTDIR)$(cmakedir)
TO_BIN     = $(DESTDIR)$(call absolute,$(BINDIR))
TO_DATA    = $(DESTDIR)$(call absolute,$(DATADIR))
TO_MAN     = $(DESTDIR)$(call absolute,$(MANDIR))

# $(call ready,stamp,target): builds what is missing or outdated, but not under sudo: its PATH often has no Swift, and
# it would leave files in the tree that their owner cannot remove. (Root without sudo, as in a container, is the owner.)
define ready
	@if [ ! -e $(BUILD)/$(1) ] || [ -n "$$(find $(SOURCES_OF_$(2)) -newer $(BUILD)/$(1) -print)" ]; then \
	  if [ -n "$$SUDO_UID" ]; then \
	    echo "$(BUILD) is missing or older than the sources: run \`make$(if $(filter all,$(2)),, $(2))\` first, as" \
	      "yourself. Under sudo, nothing is built here." >&2; exit 1; \
	  fi; \
	  $(MAKE) --no-print-directory $(2); \
	fi
endef

SOURCES_OF_all := Makefile mk/arm64.mk Package.swift Include Sources -path Sources/KeyboardTool -prune -o

# Run by root for this system; a packager's DESTDIR is another system.
update_links = [ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || $(LDCONFIG)

# $(call install_product,product): the text of the last three files is in mk/packages.mk.
define install_product
	install -d '$(TO_CMAKE)/$(NAME_$(1))'
	install -m 644 Include/$(HEADER_$(1)).h '$(TO_INCLUDE)/'
	install -m 644 Docs/man/$(HEADER_$(1)).3 '$(TO_MAN)/man3/'
	install -m 644 $(BUILD)/lib$(1).a '$(TO_LIB)/'
	install -m 755 $(BUILD)/lib$(1).so.$(VERSION) '$(TO_LIB)/'
	ln -sf lib$(1).so.$(VERSION) '$(TO_LIB)/lib$(1).so.$(SOVERSION)'
	ln -sf lib$(1).so.$(SOVERSION) '$(TO_LIB)/lib$(1).so'
	@printf '%s\n' "$$PKGCONFIG_$(1)" | install -m 644 /dev/stdin '$(TO_LIB)/pkgconfig/$(1).pc'
	@printf '%s\n' "$$CMAKE_$(1)" | install -m 644 /dev/stdin '$(TO_CMAKE)/$(NAME_$(1))/$(NAME_$(1))Config.cmake'
	@printf '%s\n' "$$CMAKE_VERSION_FILE" | \
	  install -m 644 /dev/stdin '$(TO_CMAKE)/$(NAME_$(1))/$(NAME_$(1))ConfigVersion.cmake'

endef

define uninstall_product
	rm -f '$(TO_INCLUDE)/$(HEADER_$(1)).h' '$(TO_MAN)/man3/$(HEADER_$(1)).3' '$(TO_LIB)/pkgconfig/$(1).pc'
	rm -f '$(TO_LIB)/lib$(1).a' '$(TO_LIB)/lib$(1).so' '$(TO_LIB)/lib$(1).so.$(SOVERSION)' \
	  '$(TO_LIB)/lib$(1).so.$(VERSION)'
	rm -rf '$(TO_CMAKE)/$(NAME_$(1))'

endef

# The licence, and the pages that the products' headers name.
TO_DOCUMENTS = $(TO_DATA)/doc/customkeyboard
DOCUMENTS    = LICENSE $(sort $(shell sed -n 's|.*\(Docs/[A-Za-z]*\.md\).*|\1|p' \
               $(foreach product,$(PRODUCTS),Include/$(HEADER_$(product)).h)))

install:
	$(call ready,built,all)
	install -d '$(TO_INCLUDE)' '$(TO_LIB)/pkgconfig' '$(TO_MAN)/man3'
	$(foreach product,$(PRODUCTS),$(call install_product,$(product)))
	install -m 644 Messages/custom_keyboard_messages.h '$(TO_INCLUDE)/'
	install -d '$(TO_DOCUMENTS)'
	install -m 644 $(DOCUMENTS) '$(TO_DOCUMENTS)/'
	@$(update_links)

uninstall:
	$(foreach product,$(PRODUCTS),$(call uninstall_product,$(product)))
	rm -f '$(TO_INCLUDE)/custom_keyboard_messages.h'
	rm -rf '$(TO_DOCUMENTS)'
	@$(update_links)

# ---- Everything else -------------------------------------------------------------------------------------------------

include mk/setup.mk mk/packages.mk mk/tool.mk mk/web.mk mk/examples.mk mk/tests.mk mk/screens.mk mk/evidence.mk
include mk/ios.mk mk/docs.mk mk/benchmark.mk mk/bindings.mk mk/deb.mk mk/release.mk

clean:
	rm -rf $(BUILD) .build

FORCE:
.PHONY: all help install uninstall clean FORCE
