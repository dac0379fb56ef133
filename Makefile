# CustomKeyboard: the C library, its installation, a demonstration, the tests, the benchmark. Shown by `make help`.
#
#   make                 build/libcustomkeyboard.so and .a, which need no Swift runtime
#   make demo            the paper's three rows and a sealed text through a C program
#   make test            the library and the tool, one line a suite; logs in build/test
#   make lint            the form of the sources: swift format, and lines of at most 120 columns
#   make check           all of that and more, in an hour and a half, claim by claim; CHECK=--help lists options
#   make mutation        bugs planted in a copy, one after another, and what catches each; MUTATION=--help
#   make web             build/web/custom-keyboard.wasm, the library for a web page, and its hash for `integrity`
#   make test-web        it, in Node, beside the native library; and the search of its memory
#   make test-web-twice  builds it in two folders, and compares
#   make test-tool       the command-line tool `keyboard`: its pad in a terminal, its commands in pipes
#   make test-kiosk      the window of `make kiosk`, on a screen in memory; KIOSK='--bank URL' tests it with that bank
#   make test-browser    the web element, in Chromium; BROWSER="bank screen", parts and options of Tests/Web/browser.py
#   make fuzz            libFuzzer and the address sanitizer, FUZZ_SECONDS=120 for each of eight programs
#   make bank            the example bank on a local port, with its page; BANK_OPTIONS=--help lists options
#   make test-bank       its tests: protocol, hostile and slow clients, killed servers; BANK=--full for all of it
#   make test-login      people who log in at that bank, in its page and in the window
#   make test-screen     those of the web page, the bank and the window together; ten minutes
#   make pictures        the pictures of keyboards in Docs/Pictures; make screen-pictures: of the page and the window
#   make bench           the library and its peers: OpenSSL, libgcrypt, Botan, mbedTLS, libargon2; see BENCH=--help
#   make bench CHECK=1   the same, and exit status 1 if a limit of the design's is missed; needs an idle machine
#   make bench-against OTHER=PATH   the library and another build of it, in one process
#   make install         copies the library, its header, its man page and its files for pkg-config and CMake
#   make uninstall       removes them
#   make kiosk           build/kiosk, an example in C: a window that logs in to a bank; needs GTK 4
#   make tool            build/keyboard, the command-line tool, and its completions for bash, zsh and fish
#   make install-tool    copies them
#   make uninstall-tool  removes them
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
SONAME     := libcustomkeyboard.so.$(SOVERSION)
LIBRARIES  := $(BUILD)/libcustomkeyboard.a $(BUILD)/libcustomkeyboard.so

# READY=yes: what a suite of tests is about has been built, by another line of suites.
READY ?=
unless_ready = $(if $(READY),,$(1))

# ---- For another processor -------------------------------------------------------------------------------------------

# Of Swift without a runtime there is, for arm64, the one that knows no system. It serves on Linux too; C's headers want
# to know the system, and are told. mbedTLS is taken from Debian's packages, into a folder. The path of the tree must
# have no space here.
ifneq ($(TARGET),)
ifneq ($(TARGET),aarch64-linux-gnu)
$(error TARGET can be aarch64-linux-gnu only, and is $(TARGET))
endif
CC      := $(TARGET)-gcc
LD      := $(TARGET)-ld
AR      := $(TARGET)-ar
OBJCOPY := $(TARGET)-objcopy
TRIPLE  := aarch64-none-none-elf
SYSROOT := $(abspath $(BUILD))/sysroot
headers := -isystem $(SYSROOT)/usr/include -isystem /usr/$(TARGET)/include
CROSS_SWIFT := --triple $(TRIPLE) $(addprefix -Xcc ,-D__linux__ $(headers))
CROSS_LINK  := -L$(SYSROOT)/usr/lib/$(TARGET)
NEEDED  := gcc-$(TARGET) libc6-dev-arm64-cross binutils
else
OBJCOPY := objcopy
STRIP   := strip
NEEDED  := $(if $(MBEDTLS),,libmbedtls-dev) gcc libc6-dev binutils pkg-config
ifneq ($(MBEDTLS),)
headers := -isystem $(MBEDTLS)/include
CROSS_SWIFT := $(addprefix -Xcc ,$(headers))
CROSS_LINK  := -L$(MBEDTLS)/lib
endif
endif

# The stamp `built` is as old as the beginning of the build: an edit during the build makes the library outdated.
all: setup
	@mkdir -p $(BUILD) && touch $(BUILD)/begun
	@$(MAKE) --no-print-directory $(LIBRARIES)
	@mv $(BUILD)/begun $(BUILD)/built

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

# ---- What a clean machine lacks --------------------------------------------------------------------------------------

as_root = $(if $(filter-out 0,$(shell id -u)),sudo )

# $(call require,packages): installs those that are missing, or says what to do. Does nothing where there is no Debian.
ifeq ($(DEPS),no)
require :=
else
define require
	@command -v dpkg-query >/dev/null || exit 0; \
	missing=; for package in $(1); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "Installing$$missing"; \
	  { $(as_root)apt-get update -qq && $(as_root)env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
	  { echo "That failed. Install by hand:$$missing" >&2; exit 1; }; \
	fi
endef
endif

setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "Swift 6.3 or later is needed and was not found: https://www.swift.org/install" >&2; exit 1; }
	@[ $(DEPS) = no ] || command -v dpkg-query >/dev/null || { \
	  echo "This is no Debian or Ubuntu: see to a C compiler, binutils, pkg-config, mbedTLS 2.28 or 3.6 yourself." >&2; }
	$(call require,$(NEEDED))
	$(if $(SYSROOT),@$(MAKE) --no-print-directory $(SYSROOT)/complete)
	@printf '#include <mbedtls/version.h>\n#if MBEDTLS_VERSION_MAJOR >= 4\n#error\n#endif\n' | \
	  $(CC) $(headers) -E -x c - >/dev/null 2>&1 || { \
	  echo "mbedTLS 2.28 or 3.6 is needed (4 has no DES any more), with its headers: libmbedtls-dev." >&2; exit 1; }

# Lists, packages and configuration of its own, and nothing installed: the machine stays as it was. OpenSSL is for the
# tests. Packages that are named for their version (libmbedcrypto7, …) are found as what the others need.
define apt_configuration
APT { Architecture "arm64"; Architectures { "arm64"; }; Sandbox::User "root"; };
Dir::State "$(SYSROOT)/apt";
Dir::State::status "/dev/null";
Dir::Cache "$(SYSROOT)/apt";
endef

FOREIGN := libmbedtls-dev libssl-dev

$(SYSROOT)/apt:
	@mkdir -p $@/lists/partial $@/archives/partial

$(SYSROOT)/complete: | $(SYSROOT)/apt
	$(if $(filter no,$(DEPS)),@echo "DEPS=no: put arm64's $(FOREIGN) into $(SYSROOT) and touch $@." >&2; exit 1)
	@echo "Unpacking $(FOREIGN) for arm64 into $(SYSROOT)"
	$(file >$(SYSROOT)/apt/configuration,$(apt_configuration))
	@cd $(SYSROOT)/apt && export APT_CONFIG=$(SYSROOT)/apt/configuration && apt-get update -qq && \
	  apt-get download -qq $(FOREIGN) $$(apt-cache depends --important $(FOREIGN) | \
	    sed -n 's/^ *Depends: \(lib\(mbedcrypto\|ssl\).*\)/\1/p') && \
	  for package in *.deb; do dpkg -x $$package $(SYSROOT) || exit 1; done || { \
	  echo "That failed. Put arm64's $(FOREIGN) and what they need into $(SYSROOT), and touch $@." >&2; exit 1; }
	@rm -rf $(SYSROOT)/apt/* && touch $@

# ---- The C library ---------------------------------------------------------------------------------------------------

# Where the toolchain keeps the tables that say what a character is, for Swift without a runtime.
target_info = $(shell $(SWIFT)c -print-target-info | sed -n 's/.*"$(1)": "\(.*\)".*/\1/p' | head -1)
UNICODE = $(call target_info,runtimeResourcePath)/embedded/$(or \
  $(TRIPLE),$(call target_info,triple))/libswiftUnicodeDataTables.a

# SwiftPM adds objects to the archive and removes none: after a source file was renamed, both would be in it.
# SwiftPM does not notice when a header of a C module has changed. A flag that differs makes it compile again.
HEADERS := -Xcc -DCUSTOM_KEYBOARD_HEADERS=0x$(shell cat Sources/CKeyboard*/*.h Include/*.h | cksum | cut -d ' ' -f 1)

$(SCRATCH)/release/libCustomKeyboardC.a: FORCE
	@[ -z "$$(find Sources -type d -newer $@ 2>/dev/null)" ] || rm -f $@
	CUSTOM_KEYBOARD_C_LIBRARY=1 $(SWIFT) build -c release -j $(JOBS) --scratch-path $(SCRATCH) --product CustomKeyboardC \
	  $(CROSS_SWIFT) $(CONTROL_FLOW) $(HEADERS) -Xswiftc -Xfrontend -Xswiftc -function-sections

# Control-flow protection (Intel CET): every function that can be called through a pointer begins with endbr64, and the
# files say so. The compiler passes clang's flag on to Swift's functions. Swift's Unicode tables come without the mark
# and are only called directly, so the linker is told to set it; C's start files have no such beginnings and are left
# out.
ifeq ($(TARGET)$(shell uname -m),x86_64)
CONTROL_FLOW := -Xcc -fcf-protection=full
CONTROL_FLOW_MARK := -z ibt -z shstk
empty :=
comma := ,
CONTROL_FLOW_LINK := -nostartfiles -Wl,$(subst $(empty) $(empty),$(comma),$(CONTROL_FLOW_MARK))
endif

# One object, whose weak swift_* symbols are hidden so that they cannot take the place of a Swift host's own.
$(BUILD)/customkeyboard.o: $(SCRATCH)/release/libCustomKeyboardC.a
	@mkdir -p $(BUILD)
	$(LD) -r $(CONTROL_FLOW_MARK) --gc-sections --gc-keep-exported -u CustomKeyboard_version -o $@ \
	  --whole-archive $< --no-whole-archive $(UNICODE)
	$(OBJCOPY) --wildcard --keep-global-symbol='CustomKeyboard_*' --strip-debug \
	  --remove-section=.swift_modhash --remove-section=.comment $@

$(BUILD)/libcustomkeyboard.a: $(BUILD)/customkeyboard.o
	rm -f $@
	$(AR) rcs $@ $<

# -z now is a security measure: lazy binding saves vector registers, secrets and all, to the stack. -z nodelete, because
# a library that was unloaded and loaded again would leave its memory behind, and give the same handles anew.
$(BUILD)/libcustomkeyboard.so.$(VERSION): $(BUILD)/customkeyboard.o
	echo 'CUSTOM_KEYBOARD_$(SOVERSION) { global: CustomKeyboard_*; local: *; };' > $(BUILD)/exports.map
	$(CC) -shared $(CONTROL_FLOW_LINK) -o $@ $< $(CROSS_LINK) -lmbedcrypto \
	  -Wl,-soname,$(SONAME) -Wl,--version-script=$(BUILD)/exports.map \
	  -Wl,--gc-sections,--as-needed,--no-undefined,-z,relro,-z,now,-z,nodelete,-z,noexecstack,-s

$(BUILD)/libcustomkeyboard.so: $(BUILD)/libcustomkeyboard.so.$(VERSION)
	ln -sf $(notdir $<) $(BUILD)/$(SONAME)
	ln -sf $(SONAME) $@

# ---- WebAssembly -----------------------------------------------------------------------------------------------------

# The same sources, for a machine without a system (Sources/CKeyboardPlatform/web.h). What is compiled of mbedTLS comes
# from Debian's source package, and what a libc would bring is in Sources/Web.
WEB         := build/web
WEB_SCRATCH := .build/web
WEB_TRIPLE  := wasm32-unknown-none-wasm
WEB_MBEDTLS ?= $(CURDIR)/$(WEB)/mbedtls
WEB_MODULE  := $(WEB)/custom-keyboard.wasm
WEB_NEEDED  := binaryen python3-minimal libpython3-stdlib dpkg-dev
WEB_RESOURCES = $(call target_info,runtimeResourcePath)
WEB_TOOLS   = RESOURCES='$(WEB_RESOURCES)' CLANG='$(WEB_RESOURCES)/../../bin/clang'
WEB_HEADERS := 0x$(shell cat Sources/CKeyboard*/*.h Sources/Web/include/*.h Include/*.h | cksum | cut -d ' ' -f 1)
WEB_FLAGS   = -msimd128 -isystem '$(CURDIR)/Sources/Web/include' -isystem '$(WEB_MBEDTLS)/include' \
              '-DMBEDTLS_CONFIG_FILE=<mbedtls_config.h>' -DCUSTOM_KEYBOARD_HEADERS=$(WEB_HEADERS)

web: web-archive
	@$(WEB_TOOLS) sh Sources/Web/link.sh $(WEB_MODULE) $(WEB_SCRATCH)/release/libCustomKeyboardC.a '$(WEB_MBEDTLS)'
	@python3 Sources/Web/describe.py $(WEB_MODULE)

web-archive: web-setup
	@[ -z "$$(find Sources -type d -newer $(WEB_SCRATCH)/release/libCustomKeyboardC.a 2>/dev/null)" ] || \
	  rm -f $(WEB_SCRATCH)/release/libCustomKeyboardC.a
	CUSTOM_KEYBOARD_C_LIBRARY=1 $(SWIFT) build -c release -j $(JOBS) --scratch-path $(WEB_SCRATCH) \
	  --triple $(WEB_TRIPLE) --product CustomKeyboardC $(addprefix -Xcc ,$(WEB_FLAGS))

# Beside the native library; a minute.
test-web: $(call unless_ready,setup library web)
	$(call require,nodejs)
	$(QUIETLY) 'The library in WebAssembly, in Node' web env CC='$(CC)' $(WEB_TOOLS) sh Tests/Web/run.sh $(BUILD) \
	  $(WEB_SCRATCH)/release/libCustomKeyboardC.a '$(WEB_MBEDTLS)'

# Two builds more, each in a folder of its own.
test-web-twice: web-setup
	$(QUIETLY) 'The module, built in two folders' web-twice env WEB_MBEDTLS='$(WEB_MBEDTLS)' MAKE='$(MAKE)' \
	  JOBS='$(JOBS)' sh Tests/Web/twice.sh

web-setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "Swift 6.3 or later is needed and was not found: https://www.swift.org/install" >&2; exit 1; }
	$(call require,$(WEB_NEEDED))
	@mkdir -p $(WEB)
	@[ -e '$(WEB_MBEDTLS)/library/des.c' ] || DEPS='$(DEPS)' sh Sources/Web/mbedtls.sh '$(WEB_MBEDTLS)'

# ---- Installation ----------------------------------------------------------------------------------------------------

# Paths may have spaces, which make's own functions (abspath, patsubst) would take for the end of a path.
absolute    = $(if $(filter-out /%,$(firstword $(1))),$(CURDIR)/$(1),$(1))
prefix      = $(call absolute,$(PREFIX))
libdir      = $(call absolute,$(LIBDIR))
includedir  = $(call absolute,$(INCLUDEDIR))
below_prefix = $(subst $(prefix)/,$${prefix}/,$(1))

define pkgconfig_file
prefix=$(prefix)
libdir=$(call below_prefix,$(libdir))
includedir=$(call below_prefix,$(includedir))

Name: customkeyboard
Description: A password keyboard that encrypts
Version: $(VERSION)
Libs: -L"$${libdir}" -lcustomkeyboard
Libs.private: -lmbedcrypto
Cflags: -I"$${includedir}"
endef

# From the package to the headers, which may be installed anywhere.
TO_HEADERS = $(shell realpath -ms --relative-to='$(cmakedir)' '$(includedir)')

# The paths are found from where the file lies, so that an installation can be moved.
define cmake_file
get_filename_component(_libraries "$${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
get_filename_component(_headers "$${CMAKE_CURRENT_LIST_DIR}/$(TO_HEADERS)" ABSOLUTE)
foreach(_kind shared static)
  if(NOT TARGET CustomKeyboard::$${_kind})
    string(TOUPPER $${_kind} _KIND)
    add_library(CustomKeyboard::$${_kind} $${_KIND} IMPORTED)
    set_target_properties(CustomKeyboard::$${_kind} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$${_headers}")
  endif()
endforeach()
set_target_properties(CustomKeyboard::shared PROPERTIES
  IMPORTED_LOCATION "$${_libraries}/libcustomkeyboard.so.$(VERSION)" IMPORTED_SONAME "$(SONAME)")
set_target_properties(CustomKeyboard::static PROPERTIES
  IMPORTED_LOCATION "$${_libraries}/libcustomkeyboard.a" INTERFACE_LINK_LIBRARIES "mbedcrypto")
if(NOT TARGET CustomKeyboard::CustomKeyboard)
  add_library(CustomKeyboard::CustomKeyboard INTERFACE IMPORTED)
  set_target_properties(CustomKeyboard::CustomKeyboard PROPERTIES INTERFACE_LINK_LIBRARIES CustomKeyboard::shared)
endif()
unset(_libraries)
unset(_headers)
endef

define cmake_version_file
set(PACKAGE_VERSION "$(VERSION)")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
endef

cmakedir = $(libdir)/cmake/CustomKeyboard
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

SOURCES_OF_all  := Makefile Package.swift Include Sources -path Sources/KeyboardTool -prune -o
SOURCES_OF_tool := Makefile Package.swift Include Sources

# Files that depend on where the library goes are written straight to there: build/ stays its owner's.
install uninstall: export PKGCONFIG_FILE = $(pkgconfig_file)
install uninstall: export CMAKE_FILE = $(cmake_file)
install uninstall: export CMAKE_VERSION_FILE = $(cmake_version_file)

# Run by root for this system; a packager's DESTDIR is another system.
update_links = [ -n '$(DESTDIR)' ] || [ "$$(id -u)" != 0 ] || $(LDCONFIG)

install:
	$(call ready,built,all)
	install -d '$(TO_INCLUDE)' '$(TO_LIB)/pkgconfig' '$(TO_CMAKE)' '$(TO_MAN)/man3'
	install -m 644 Include/custom_keyboard.h '$(TO_INCLUDE)/'
	install -m 644 Docs/man/custom_keyboard.3 '$(TO_MAN)/man3/'
	install -m 644 $(BUILD)/libcustomkeyboard.a '$(TO_LIB)/'
	install -m 755 $(BUILD)/libcustomkeyboard.so.$(VERSION) '$(TO_LIB)/'
	ln -sf libcustomkeyboard.so.$(VERSION) '$(TO_LIB)/$(SONAME)'
	ln -sf $(SONAME) '$(TO_LIB)/libcustomkeyboard.so'
	@printf '%s\n' "$$PKGCONFIG_FILE" | install -m 644 /dev/stdin '$(TO_LIB)/pkgconfig/customkeyboard.pc'
	@printf '%s\n' "$$CMAKE_FILE" | install -m 644 /dev/stdin '$(TO_CMAKE)/CustomKeyboardConfig.cmake'
	@printf '%s\n' "$$CMAKE_VERSION_FILE" | \
	  install -m 644 /dev/stdin '$(TO_CMAKE)/CustomKeyboardConfigVersion.cmake'
	@$(update_links)

uninstall:
	rm -f '$(TO_INCLUDE)/custom_keyboard.h' '$(TO_LIB)/libcustomkeyboard.a' '$(TO_MAN)/man3/custom_keyboard.3'
	rm -f '$(TO_LIB)/libcustomkeyboard.so' '$(TO_LIB)/$(SONAME)'
	rm -f '$(TO_LIB)/libcustomkeyboard.so.$(VERSION)' '$(TO_LIB)/pkgconfig/customkeyboard.pc'
	rm -rf '$(TO_CMAKE)'
	@$(update_links)

# ---- The tool --------------------------------------------------------------------------------------------------------

# With Swift's own libraries inside, so that it runs where there is no toolchain.
tool: setup
	@mkdir -p $(BUILD)/completions && touch $(BUILD)/tool-begun
	$(SWIFT) build -c release -j $(JOBS) --product keyboard --static-swift-stdlib
	@$(STRIP) -o $(BUILD)/keyboard "$$($(SWIFT) build -c release --show-bin-path)/keyboard"
	@$(BUILD)/keyboard --generate-completion-script bash >$(BUILD)/completions/keyboard
	@$(BUILD)/keyboard --generate-completion-script zsh >$(BUILD)/completions/_keyboard
	@$(BUILD)/keyboard --generate-completion-script fish >$(BUILD)/completions/keyboard.fish
	@mv $(BUILD)/tool-begun $(BUILD)/tool-built

BASH_COMPLETIONS = $(TO_DATA)/bash-completion/completions
ZSH_COMPLETIONS  = $(TO_DATA)/zsh/site-functions
FISH_COMPLETIONS = $(TO_DATA)/fish/vendor_completions.d

install-tool:
	$(call ready,tool-built,tool)
	install -d '$(TO_BIN)' '$(BASH_COMPLETIONS)' '$(ZSH_COMPLETIONS)' '$(FISH_COMPLETIONS)' '$(TO_MAN)/man1'
	install -m 755 $(BUILD)/keyboard '$(TO_BIN)/'
	install -m 644 Docs/man/keyboard.1 '$(TO_MAN)/man1/'
	install -m 644 $(BUILD)/completions/keyboard '$(BASH_COMPLETIONS)/'
	install -m 644 $(BUILD)/completions/_keyboard '$(ZSH_COMPLETIONS)/'
	install -m 644 $(BUILD)/completions/keyboard.fish '$(FISH_COMPLETIONS)/'

uninstall-tool:
	rm -f '$(TO_BIN)/keyboard' '$(BASH_COMPLETIONS)/keyboard' '$(ZSH_COMPLETIONS)/_keyboard'
	rm -f '$(FISH_COMPLETIONS)/keyboard.fish' '$(TO_MAN)/man1/keyboard.1'

# ---- A release -------------------------------------------------------------------------------------------------------

release:
	@sh .ci/release '$(VERSION)' $(DRY_RUN)

# ---- The demonstration -----------------------------------------------------------------------------------------------

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

kiosk: stage
	$(call require,$(KIOSK_NEEDS))
	@$(call against_stage,$(BUILD)/kiosk,Examples/kiosk/*.c -Wall -Wextra \
	  $$(pkg-config --cflags --libs gtk4 libsoup-3.0 json-glib-1.0) -lm)

# ---- Tests -----------------------------------------------------------------------------------------------------------

# clang is the Swift toolchain's, if there is no other.
CLANG   ?= $(or $(shell command -v clang),$(dir $(realpath $(shell command -v $(SWIFT))))clang)
CLANGXX ?= $(or $(shell command -v clang++),$(dir $(realpath $(shell command -v $(SWIFT))))clang++)

# One line a suite. What a suite says goes to its log, and is shown when it fails, after all others have run.
QUIETLY = @LOGS='$(LOGS)' TOGETHER='$(TOGETHER)' sh Tests/quietly.sh

# What the suites need besides NEEDED.
SWIFT_NEEDS  = libargon2-dev
C_NEEDS      = libssl-dev cmake make g++ python3-minimal python3-cryptography libgcrypt20 valgrind
TOOL_NEEDS   = python3-minimal libpython3-stdlib openssl
README_NEEDS = python3-minimal libpython3-stdlib python3-cryptography groff-base

# Two suites at a time, because much of a suite keeps only one processor busy. The suites of one line follow each other:
# they use the same folder of built files, or the same stage. All packages are installed before, because apt-get runs
# only once at a time.
#
# Some suites repeat less than they can. With THOROUGH=1, as `make check` runs them, they repeat all.
THOROUGH        ?=
SUITES_OF_SWIFT := test-swift test-tool lint test-suites test-release test-readme
SUITES_OF_C     := test-c
SUITES          := swift tool lint suites release c instructions timing readme
export THOROUGH

test: setup
	$(call require,$(sort $(SWIFT_NEEDS) $(C_NEEDS) $(TOOL_NEEDS) $(README_NEEDS)))
	$(call two_lines,$(SUITES_OF_SWIFT) READY=yes,$(SUITES_OF_C),$(SUITES))

# $(call two_lines,targets,targets,names): two lines of suites at the same time; then what failed, of the named suites.
define two_lines
	@mkdir -p $(LOGS) && rm -f $(LOGS)/*.failed $(addprefix $(LOGS)/,$(addsuffix .log,$(3)))
	@$(MAKE) --no-print-directory --keep-going -j1 TOGETHER=yes $(1) & \
	 $(MAKE) --no-print-directory --keep-going -j1 TOGETHER=yes $(2) & wait
	@LOGS='$(LOGS)' sh Tests/quietly.sh --summary $(3)
endef

lint:
	$(QUIETLY) 'Form of the sources' lint env SWIFT='$(SWIFT)' sh Tests/lint.sh

test-swift: setup
	$(call require,$(SWIFT_NEEDS))
	$(QUIETLY) 'Swift tests' swift sh -c '$(SWIFT) build -j $(JOBS) --build-tests && $(SWIFT) test --skip-build'

# After a change of what threads share; `make check` contains it.
test-threads: setup
	$(call require,$(SWIFT_NEEDS))
	$(QUIETLY) 'Sixteen threads, thread sanitizer' threads $(SWIFT) test -j $(JOBS) --sanitize=thread \
	  --scratch-path .build/tsan --filter CustomKeyboardCTests

library:
	$(QUIETLY) 'The C library' library $(MAKE) --no-print-directory stage

# The C programs, on what a C user gets: the library without a Swift runtime.
test-c: setup library
	$(call require,$(C_NEEDS))
	$(QUIETLY) 'C tests' c env CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' sh Tests/C/run.sh $(BUILD)
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

# The library compiled once more, for libFuzzer (which is C++) and the address sanitizer; ten minutes.
fuzz: setup
	$(call require,g++)
	@SWIFT='$(SWIFT)' JOBS='$(JOBS)' bash Tests/Evidence/fuzz.sh $(BUILD) $(FUZZ_SECONDS)

# The library for arm64, emulated; four minutes.
check-arm64: setup
	$(call require,qemu-user gcc libc6-dev)
	@CC='$(CC)' JOBS='$(JOBS)' bash Tests/Evidence/arm64.sh $(BUILD)

test-readme: $(call unless_ready,setup library)
	$(call require,$(README_NEEDS))
	$(QUIETLY) 'Examples and documentation' readme env CC='$(CC)' SWIFT='$(SWIFT)' \
	  sh -c 'sh Tests/docs.sh && sh Tests/readme.sh "$$1"' sh $(BUILD)

# The command-line tool, in a terminal and in pipes.
test-tool: setup
	$(call require,$(TOOL_NEEDS) $(SWIFT_NEEDS))
	$(QUIETLY) 'The tool, in a terminal and in pipes' tool sh -c '$(SWIFT) build -j $(JOBS) --product keyboard && \
	  exec sh Tests/Tool/run.sh "$$($(SWIFT) build --show-bin-path)/keyboard"'

# ---- The example bank ------------------------------------------------------------------------------------------------

BANK_SCRATCH := .build/bank
BANK_PROGRAM := $(BANK_SCRATCH)/release/bank
BANK_NEEDS   := libsqlite3-dev libpq-dev libmbedtls-dev pkg-config
BANK_OPTIONS ?=

# Without CC: SwiftPM compiles C sources of other packages with it, and gives it options that only clang knows.
bank-program: setup
	$(call require,$(BANK_NEEDS))
	@env -u CC -u CXX $(SWIFT) build -c release -j $(JOBS) --package-path Examples/Bank \
	  --scratch-path $(BANK_SCRATCH) --product bank

# Keys and accounts stay in build/bank-data.
bank: bank-program web
	@mkdir -p $(BUILD)
	@exec $(BANK_PROGRAM) --page Examples/Bank/Page --keyboard Bindings/web --keyboard $(BUILD)/web \
	  --data $(BUILD)/bank-data $(BANK_OPTIONS)

# The servers, and a PostgreSQL of the test's own. BANK=--full is what `make check` runs.
test-bank: setup
	$(call require,$(BANK_NEEDS) postgresql python3-minimal libpython3-stdlib python3-cryptography)
	$(QUIETLY) 'The bank' bank sh -c '$(MAKE) --no-print-directory bank-program && \
	  exec sh Tests/Bank/run.sh $(BANK_PROGRAM) $(BANK)'

# The kiosk in a real window: a screen in memory, a bank of the test's own or KIOSK='--bank URL', groups by name.
# fonts-dejavu-core and libgtk-4-bin: what the pictures are drawn with, and a display that can be touched.
KIOSK_TEST_NEEDS = xvfb xdotool dbus-daemon at-spi2-core libglib2.0-bin libgtk-4-bin fonts-dejavu-core libx11-6 \
                   python3-minimal libpython3-stdlib python3-cryptography

test-kiosk: $(call unless_ready,kiosk)
	$(call require,$(KIOSK_TEST_NEEDS))
	$(QUIETLY) 'The kiosk, in a window' kiosk env CC='$(CC)' sh Tests/Kiosk/run.sh $(BUILD) $(KIOSK)

# <custom-keyboard> in Debian's Chromium, on the module that `make web` builds; six minutes.
BROWSER_NEEDS = chromium fonts-inter python3-minimal libpython3-stdlib python3-cryptography

test-browser: $(call unless_ready,web)
	$(call require,$(BROWSER_NEEDS))
	$(QUIETLY) 'The web element, in Chromium' browser python3 -B Tests/Web/browser.py $(WEB) $(BROWSER)

# People at the example bank: in its page and at the kiosk; also through a proxy with TLS.
test-login: $(call unless_ready,web kiosk bank-program)
	$(call require,$(BROWSER_NEEDS) $(KIOSK_TEST_NEEDS))
	$(QUIETLY) 'The page and the window, at the bank' login env CC='$(CC)' \
	  sh Tests/Bank/login.sh $(BANK_PROGRAM) $(BUILD) "$$(DEPS='$(DEPS)' sh Tests/Bank/nginx.sh $(BUILD)/nginx)"

# What has a screen or a server: the module, the element and the kiosk beside the bank; ten minutes, of which six build
# the bank.
SUITES_OF_SCREENS := test-web test-browser test-kiosk
SUITES_OF_SERVERS := test-bank test-login
SCREEN_NEEDS       = nodejs postgresql $(BANK_NEEDS) $(KIOSK_NEEDS) $(KIOSK_TEST_NEEDS) $(BROWSER_NEEDS)

test-screen: setup web-setup
	$(call require,$(sort $(SCREEN_NEEDS)))
	$(QUIETLY) 'The library, its module and the kiosk' built $(MAKE) --no-print-directory web kiosk
	$(call two_lines,$(SUITES_OF_SCREENS) READY=yes,$(SUITES_OF_SERVERS) READY=yes,web browser kiosk bank login)

# The tests of `make test` itself, and of the release script.
test-suites:
	$(QUIETLY) 'Words of make test' suites sh Tests/suites.sh

test-release:
	$(QUIETLY) 'The release script' release sh Tests/release.sh

# The pictures of keyboards in Docs, from a seed, so that they change when the look does and not each time.
PICTURES := Docs/Pictures

pictures: setup
	$(SWIFT) build -j $(JOBS) --product keyboard
	@for layout in letters digits symbols mixed pin pin-decoys; do \
	  size=320x216; case $$layout in pin*) size=240x260;; esac; \
	  .build/debug/keyboard layout --layout $$layout --size $$size --seed 7 --format svg >$(PICTURES)/$$layout.svg; \
	done

# Those of screens, by the programs that test them. Shuffled, so they change each time.
screen-pictures: web kiosk
	$(call require,$(BROWSER_NEEDS) $(KIOSK_TEST_NEEDS))
	@python3 -B Tests/Web/browser.py $(WEB) --pictures $(PICTURES)/Web
	@sh Tests/Kiosk/run.sh $(BUILD) --pictures $(PICTURES)/Kiosk

# What a stranger needs who takes nobody's word: Tests/Evidence, as many at a time as there are processors.
BOTAN = libbotan-$(if $(shell apt-cache show libbotan-2-dev 2>/dev/null),2,3)-dev
BENCH_NEEDS = libssl-dev libgcrypt20-dev libargon2-dev $(BOTAN) librsvg2-bin fonts-dejavu-core
CHECK_NEEDS = $(sort $(BENCH_NEEDS) $(SWIFT_NEEDS) $(BANK_NEEDS)) cmake make g++ python3-minimal python3-cryptography \
              libpython3-stdlib openssl valgrind qemu-user gdb python3-venv default-jdk-headless libbcprov-java nodejs \
              postgresql

check: stage
	$(call require,$(CHECK_NEEDS))
	@CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' SWIFT='$(SWIFT)' python3 Tests/Evidence/run.py $(BUILD) $(CHECK)

# The tests' own test: bugs planted in a copy of the tree, and each must be caught; an hour and a half.
mutation: setup
	$(call require,$(sort $(CHECK_NEEDS) $(WEB_NEEDED) $(SCREEN_NEEDS)))
	@mkdir -p $(BUILD)
	@CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' SWIFT='$(SWIFT)' JOBS='$(JOBS)' \
	  sh Tests/Evidence/mutation.sh $(BUILD) $(MUTATION)

# ---- Documentation ---------------------------------------------------------------------------------------------------

# The API as a web site, by DocC: the Swift modules that users import, an article, and the C header as a page. The site
# needs a web server: `python3 -m http.server -d build/docs` shows it on http://localhost:8000/documentation.
DOCUMENTED := CustomKeyboard KeyboardCipher KeyboardLayout KeyboardCodes

docs: setup
	@python3 Docs/reference.py --update
	@mkdir -p $(BUILD)
	CUSTOM_KEYBOARD_DOCS=1 $(SWIFT) package --scratch-path .build/docs --allow-writing-to-directory $(BUILD)/docs \
	  generate-documentation $(addprefix --target ,$(DOCUMENTED)) --enable-experimental-combined-documentation \
	  --transform-for-static-hosting --output-path $(BUILD)/docs
	@echo "$(BUILD)/docs is ready: python3 -m http.server -d $(BUILD)/docs, then http://localhost:8000/documentation"

# ---- The benchmark ---------------------------------------------------------------------------------------------------

BENCHMARKS := .build/benchmarks

# Two programs, of which one does nothing, show what the library adds to a program's start.
bench: stage
	$(call require,$(BENCH_NEEDS))
	@mkdir -p $(BUILD)/startup
	@$(CC) -O2 -o $(BUILD)/startup/empty Benchmarks/Startup/empty.c
	@$(call against_stage,$(BUILD)/startup/version,Benchmarks/Startup/version.c,../)
	$(SWIFT) build -c release -j $(JOBS) --package-path Benchmarks --scratch-path $(BENCHMARKS)
	@$(BENCHMARKS)/release/benchmarks --build $(BUILD) $(if $(CHECK),--check) $(BENCH)

bench-against: all
	@[ -e '$(OTHER)' ] || { echo "OTHER=PATH: the other libcustomkeyboard.so" >&2; exit 1; }
	@$(CC) -O2 -o $(BUILD)/against Benchmarks/Against/against.c
	@$(BUILD)/against $(BUILD)/libcustomkeyboard.so '$(OTHER)'

clean:
	rm -rf $(BUILD) .build

FORCE:
.PHONY: all help setup install uninstall tool install-tool uninstall-tool release stage library demo bench bench-against
.PHONY: docs pictures clean
.PHONY: check check-arm64 fuzz lint mutation test test-swift test-threads test-c test-processors test-timing test-readme
.PHONY: bank bank-program kiosk screen-pictures test-bank test-browser test-kiosk test-login test-screen
.PHONY: test-release test-suites test-tool web web-archive web-setup test-web test-web-twice FORCE
