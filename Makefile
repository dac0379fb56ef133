# CustomKeyboard: the C library, its installation, the demonstration, the tests and the benchmark.
#
#   make            build/libcustomkeyboard.so and .a, which need no Swift runtime
#   make demo       the paper's three rows through a C program
#   make test       everything that is tested
#   make check      all of that and more, in a quarter of an hour, claim by claim; CHECK=--help lists options
#   make mutation   bugs planted in a copy, one after another, and what of the suite catches each; MUTATION=--help
#   make test-tool  the command-line tool `keyboard`: its pad in a terminal, its commands in pipes
#   make fuzz       libFuzzer and the address sanitizer, FUZZ_SECONDS=120 for each of five programs
#   make pictures   the README's pictures of keyboards
#   make bench      the library beside OpenSSL, libgcrypt, Botan and mbedTLS; BENCH=--help lists options
#   make install    PREFIX=/usr/local DESTDIR=
#
#   make TARGET=aarch64-linux-gnu     the library for another processor, in build/aarch64-linux-gnu
#   make check-arm64                  it, built so and tested under emulation
#
# Swift programs need none of this: they depend on the package. The sources are compiled here as Embedded Swift (the variable
# CUSTOM_KEYBOARD_C_LIBRARY), made into one object whose only global names are the C functions, and linked.

VERSION := $(shell sed -n 's/^\#define CUSTOM_KEYBOARD_VERSION "\(.*\)"/\1/p' Include/custom_keyboard.h)
SOVERSION := $(firstword $(subst ., ,$(VERSION)))

PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
CC         ?= cc
SWIFT      ?= swift
JOBS       ?= $(shell nproc 2>/dev/null || echo 2)
TARGET     ?=
BUILD      := $(if $(TARGET),build/$(TARGET),build)
SCRATCH    := $(if $(TARGET),.build/$(TARGET),.build/c-abi)
STAGE      := $(BUILD)/stage
SONAME     := libcustomkeyboard.so.$(SOVERSION)
LIBRARIES  := $(BUILD)/libcustomkeyboard.a $(BUILD)/libcustomkeyboard.so

# ---- For another processor ----------------------------------------------------------------------------------------------

# Of Swift without a runtime there is, for arm64, the one that knows no system. It serves on Linux too; C's headers want
# to know the system, and are told. mbedTLS is taken from Debian's packages, into a folder.
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
NEEDED  := libmbedtls-dev gcc libc6-dev binutils pkg-config
endif

all: setup
	@$(MAKE) --no-print-directory $(LIBRARIES)

# ---- What a clean machine lacks -----------------------------------------------------------------------------------------

as_root := $(if $(filter-out 0,$(shell id -u)),sudo )

# $(call require,packages): installs those that are missing, or says what to do.
define require
	@missing=; for package in $(1); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "Installing$$missing"; \
	  { $(as_root)apt-get update -qq && $(as_root)env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
	  { echo "That failed. Install by hand:$$missing" >&2; exit 1; }; \
	fi
endef

setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "Swift 6.3 or later is needed and was not found: https://www.swift.org/install" >&2; exit 1; }
	@command -v dpkg-query >/dev/null || { \
	  echo "This is no Debian or Ubuntu: see to a C compiler, binutils, pkg-config and mbedTLS 2.28 or 3.6 yourself." >&2; }
	$(if $(shell command -v dpkg-query),$(call require,$(NEEDED)))
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
	@echo "Unpacking $(FOREIGN) for arm64 into $(SYSROOT)"
	$(file >$(SYSROOT)/apt/configuration,$(apt_configuration))
	@cd $(SYSROOT)/apt && export APT_CONFIG=$(SYSROOT)/apt/configuration && apt-get update -qq && \
	  apt-get download -qq $(FOREIGN) $$(apt-cache depends --important $(FOREIGN) | \
	    sed -n 's/^ *Depends: \(lib\(mbedcrypto\|ssl\).*\)/\1/p') && \
	  for package in *.deb; do dpkg -x $$package $(SYSROOT) || exit 1; done || { \
	  echo "That failed. Put arm64's $(FOREIGN) and what they need into $(SYSROOT), and touch $@." >&2; exit 1; }
	@rm -rf $(SYSROOT)/apt/* && touch $@

# ---- The C library --------------------------------------------------------------------------------------------------------

# Where the toolchain keeps the tables that say what a character is, for Swift without a runtime.
UNICODE = $(shell $(SWIFT)c -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/embedded/$(or \
  $(TRIPLE),$(shell $(SWIFT)c -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -1))/libswiftUnicodeDataTables.a

$(SCRATCH)/release/libCustomKeyboardC.a: FORCE
	CUSTOM_KEYBOARD_C_LIBRARY=1 $(SWIFT) build -c release -j $(JOBS) --scratch-path $(SCRATCH) --product CustomKeyboardC \
	  $(CROSS_SWIFT) -Xswiftc -Xfrontend -Xswiftc -function-sections

# One object, whose weak swift_* symbols are hidden so that they cannot take the place of a Swift host's own.
$(BUILD)/customkeyboard.o: $(SCRATCH)/release/libCustomKeyboardC.a
	@mkdir -p $(BUILD)
	$(LD) -r --gc-sections --gc-keep-exported -u CustomKeyboard_version -o $@ --whole-archive $< --no-whole-archive $(UNICODE)
	$(OBJCOPY) --wildcard --keep-global-symbol='CustomKeyboard_*' --strip-debug \
	  --remove-section=.swift_modhash --remove-section=.comment $@

$(BUILD)/libcustomkeyboard.a: $(BUILD)/customkeyboard.o
	rm -f $@
	$(AR) rcs $@ $<

# -z now is a security measure: lazy binding saves vector registers, secrets and all, to the stack. -z nodelete, because a
# library that was unloaded and loaded again would leave its memory behind, and give the same handles anew.
$(BUILD)/libcustomkeyboard.so.$(VERSION): $(BUILD)/customkeyboard.o
	echo 'CUSTOM_KEYBOARD_$(SOVERSION) { global: CustomKeyboard_*; local: *; };' > $(BUILD)/exports.map
	$(CC) -shared -o $@ $< $(CROSS_LINK) -lmbedcrypto -Wl,-soname,$(SONAME) -Wl,--version-script=$(BUILD)/exports.map \
	  -Wl,--gc-sections,--as-needed,--no-undefined,-z,relro,-z,now,-z,nodelete,-z,noexecstack,-s

$(BUILD)/libcustomkeyboard.so: $(BUILD)/libcustomkeyboard.so.$(VERSION)
	ln -sf $(notdir $<) $(BUILD)/$(SONAME)
	ln -sf $(SONAME) $@

# ---- Installation ---------------------------------------------------------------------------------------------------------

define pkgconfig_file
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(INCLUDEDIR)

Name: customkeyboard
Description: A password keyboard that encrypts
Version: $(VERSION)
Libs: -L$${libdir} -lcustomkeyboard
Libs.private: -lmbedcrypto
Cflags: -I$${includedir}
endef

# From the package to the headers, which may be installed anywhere.
TO_HEADERS = $(shell realpath -ms --relative-to='$(CMAKEDIR)' '$(INCLUDEDIR)')

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

CMAKEDIR = $(LIBDIR)/cmake/CustomKeyboard

install: all
	install -d $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(CMAKEDIR)
	install -m 644 Include/custom_keyboard.h $(DESTDIR)$(INCLUDEDIR)/
	install -m 644 $(BUILD)/libcustomkeyboard.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $(BUILD)/libcustomkeyboard.so.$(VERSION) $(DESTDIR)$(LIBDIR)/
	ln -sf libcustomkeyboard.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libcustomkeyboard.so
	$(file >$(BUILD)/customkeyboard.pc,$(pkgconfig_file))
	$(file >$(BUILD)/CustomKeyboardConfig.cmake,$(cmake_file))
	$(file >$(BUILD)/CustomKeyboardConfigVersion.cmake,$(cmake_version_file))
	install -m 644 $(BUILD)/customkeyboard.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -m 644 $(BUILD)/CustomKeyboardConfig.cmake $(BUILD)/CustomKeyboardConfigVersion.cmake $(DESTDIR)$(CMAKEDIR)/

uninstall:
	rm -f $(DESTDIR)$(INCLUDEDIR)/custom_keyboard.h $(DESTDIR)$(LIBDIR)/libcustomkeyboard.a
	rm -f $(DESTDIR)$(LIBDIR)/libcustomkeyboard.so $(DESTDIR)$(LIBDIR)/$(SONAME)
	rm -f $(DESTDIR)$(LIBDIR)/libcustomkeyboard.so.$(VERSION) $(DESTDIR)$(LIBDIR)/pkgconfig/customkeyboard.pc
	rm -rf $(DESTDIR)$(CMAKEDIR)

# ---- The demonstration ------------------------------------------------------------------------------------------------

# An installation of its own, and a program that is compiled against it as a user's would be.
stage: all
	@$(MAKE) --no-print-directory install PREFIX='$(CURDIR)/$(STAGE)' DESTDIR= >/dev/null

demo: stage
	@PKG_CONFIG_PATH='$(CURDIR)/$(STAGE)/lib/pkgconfig' && export PKG_CONFIG_PATH && \
	  $(CC) -O2 -o $(BUILD)/demo Tests/CClient/demo.c $$(pkg-config --cflags --libs customkeyboard) \
	    -Wl,-rpath,'$(CURDIR)/$(STAGE)/lib'
	@$(BUILD)/demo

# ---- Tests ----------------------------------------------------------------------------------------------------------------

TOOL_LOG := .build/tool.log

# clang is the Swift toolchain's, if there is no other.
CLANG   ?= $(or $(shell command -v clang),$(dir $(realpath $(shell command -v $(SWIFT))))clang)
CLANGXX ?= $(or $(shell command -v clang++),$(dir $(realpath $(shell command -v $(SWIFT))))clang++)

test: test-swift test-threads test-c test-tool test-readme
	@echo "All tests passed."

test-swift: setup
	@echo "== Swift, on the ordinary build"
	$(SWIFT) build -j $(JOBS) --build-tests
	$(SWIFT) test --skip-build

test-threads: setup
	@echo "== Sixteen threads, under the thread sanitizer"
	$(SWIFT) test -j $(JOBS) --sanitize=thread --scratch-path .build/tsan --filter CustomKeyboardCTests

# The C programs, on what a C user gets: the library without a Swift runtime.
test-c: stage
	@echo "== C, on the library that needs no Swift runtime"
	$(if $(shell command -v dpkg-query),$(call require,libssl-dev cmake make g++ python3-minimal))
	@CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' sh Tests/CClient/run.sh $(BUILD)
	@bash Tests/instruction-sets.sh $(SCRATCH)/release

# On processors that this machine is not, emulated; a minute.
test-processors: stage
	$(if $(shell command -v dpkg-query),$(call require,libssl-dev qemu-user))
	@CC='$(CC)' sh Tests/processors.sh $(BUILD)

# Under valgrind, which is told what is secret; a minute.
test-timing: stage
	$(if $(shell command -v dpkg-query),$(call require,valgrind))
	@CC='$(CC)' sh Tests/timing.sh $(BUILD)

# The library compiled once more, for libFuzzer (which is C++) and the address sanitizer; ten minutes.
fuzz: setup
	$(if $(shell command -v dpkg-query),$(call require,g++))
	@SWIFT='$(SWIFT)' JOBS='$(JOBS)' bash Tests/Check/fuzz.sh $(BUILD) $(FUZZ_SECONDS)

# The library for arm64, emulated; four minutes.
check-arm64: setup
	$(if $(shell command -v dpkg-query),$(call require,qemu-user gcc libc6-dev))
	@CC='$(CC)' JOBS='$(JOBS)' bash Tests/Check/arm64.sh $(BUILD)

test-readme: stage
	@echo "== The examples of README.md"
	@CC='$(CC)' sh Tests/readme.sh $(BUILD)

# The command-line tool, in a terminal and in pipes.
test-tool: setup
	@echo "== The tool, in a terminal and in pipes"
	$(if $(shell command -v dpkg-query),$(call require,python3-minimal libpython3-stdlib openssl))
	@$(SWIFT) build -j $(JOBS) --product keyboard >$(TOOL_LOG) 2>&1 || { cat $(TOOL_LOG) >&2; exit 1; }
	@sh Tests/tool/run.sh "$$($(SWIFT) build --show-bin-path)/keyboard"

# The README's pictures, from a seed, so that they change when the look does and not each time.
PICTURES := Sources/KeyboardTool/Pictures

pictures: setup
	$(SWIFT) build -j $(JOBS) --product keyboard
	@for layout in letters digits symbols mixed pin; do \
	  size=320x216; [ $$layout != pin ] || size=240x260; \
	  .build/debug/keyboard layout --layout $$layout --size $$size --seed 7 --format svg >$(PICTURES)/$$layout.svg; \
	done

# What a stranger needs who takes nobody's word: Tests/Check, as many at a time as there are processors.
CHECK_NEEDS := libssl-dev libgcrypt20-dev cmake make g++ python3-minimal libpython3-stdlib openssl valgrind qemu-user gdb

check: stage
	$(if $(shell command -v dpkg-query),$(call require,$(CHECK_NEEDS)))
	@CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' SWIFT='$(SWIFT)' python3 Tests/Check/run.py $(BUILD) $(CHECK)

# The tests' own test: bugs planted in a copy of the tree, and each must be caught; a quarter of an hour.
mutation: setup
	$(if $(shell command -v dpkg-query),$(call require,$(CHECK_NEEDS)))
	@mkdir -p $(BUILD)
	@CC='$(CC)' CLANG='$(CLANG)' CLANGXX='$(CLANGXX)' SWIFT='$(SWIFT)' JOBS='$(JOBS)' \
	  sh Tests/Check/mutation.sh $(BUILD) $(MUTATION)

# ---- The benchmark ----------------------------------------------------------------------------------------------------

BENCHMARKS := .build/benchmarks
BOTAN = libbotan-$(if $(shell apt-cache show libbotan-2-dev 2>/dev/null),2,3)-dev

# Two programs, of which one does nothing, show what the library adds to a program's start.
bench: stage
	$(if $(shell command -v dpkg-query),$(call require,libssl-dev libgcrypt20-dev $(BOTAN) librsvg2-bin fonts-dejavu-core))
	@mkdir -p $(BUILD)/startup
	@$(CC) -O2 -o $(BUILD)/startup/empty Benchmarks/Startup/empty.c
	@PKG_CONFIG_PATH='$(CURDIR)/$(STAGE)/lib/pkgconfig' && export PKG_CONFIG_PATH && \
	  $(CC) -O2 -o $(BUILD)/startup/version Benchmarks/Startup/version.c $$(pkg-config --cflags --libs customkeyboard) \
	    -Wl,-rpath,'$(CURDIR)/$(STAGE)/lib'
	$(SWIFT) build -c release -j $(JOBS) --package-path Benchmarks --scratch-path $(BENCHMARKS)
	@$(BENCHMARKS)/release/benchmarks --build $(BUILD) $(BENCH)

clean:
	rm -rf $(BUILD) .build

FORCE:
.PHONY: all setup install uninstall stage demo bench pictures clean FORCE
.PHONY: check check-arm64 fuzz mutation test test-swift test-threads test-c test-processors test-timing test-readme test-tool
