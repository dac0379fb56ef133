# `make xcframework`: the C libraries for iPhones and their simulator, in build/ios; `make check-ios` runs them here.
#
# The same sources, for a system that is not here (Sources/CKeyboardPlatform/darwin.h). Sources/Darwin/include declares
# what they take from it; what is compiled of mbedTLS is what a web page gets. Nothing of Apple's is needed.
#
# SPDX-License-Identifier: Apache-2.0

IOS         := build/ios
IOS_SCRATCH := .build/ios
# The oldest system that Swift's compiler knows without a runtime. The code runs on older ones: mk/ios/platform.py.
IOS_TRIPLE  := arm64-apple-ios18.0
IOS_PLACES  := ios ios-simulator
IOS_LINKER  ?= ld64.lld-19
IOS_NEEDED  := lld-19 llvm-19 python3-minimal libpython3-stdlib libsqlite3-dev dpkg-dev
IOS_CHECK_NEEDS := qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross python3-venv
IOS_TOOLS    = $(WEB_RESOURCES)/../../bin
IOS_HEADERS  = 0x$(shell find Sources/CKeyboard* Sources/Darwin Include -name '*.h' | LC_ALL=C sort | xargs cat | \
                 cksum | cut -d ' ' -f 1)
IOS_FLAGS    = -nostdlibinc -isystem '$(CURDIR)/Sources/Darwin/include' -isystem '$(CURDIR)/$(IOS)/include' \
               -isystem '$(WEB_MBEDTLS)/include' '-DMBEDTLS_CONFIG_FILE=<../../Web/include/mbedtls_config.h>'
# No path of this machine gets into a file: not the tree's, mbedTLS's or the compiler's.
ios_paths = '$(CURDIR)'=. '$(WEB_MBEDTLS)'=./$(WEB)/mbedtls '$(realpath $(WEB_RESOURCES)/../..)'=swift
IOS_C_PATHS     = $(addprefix -ffile-prefix-map=,$(ios_paths)) -ffile-compilation-dir=.
IOS_SWIFT_PATHS = $(addprefix -file-prefix-map ,$(ios_paths)) -file-compilation-dir .

# The products and their frameworks, lower ones first: CCustomKeyboard is the module that Swift sources import. The
# vault's tables need SQLite 3.37, which iOS 15 does not have.
IOS_FRAMEWORKS      := CCustomKeyboard CCustomVault CCustomFido
HEADER_CCustomKeyboard := custom_keyboard
HEADER_CCustomVault    := custom_vault
HEADER_CCustomFido     := custom_fido
OLDEST_CCustomKeyboard := 15.0
OLDEST_CCustomVault    := 16.0
OLDEST_CCustomFido     := 16.0
BELOW_CCustomVault     := CCustomKeyboard
BELOW_CCustomFido      := CCustomVault CCustomKeyboard

ios: ios-archives
	@mkdir -p $(IOS)/objects
	@for name in aes chacha20 chachapoly des poly1305; do \
	  echo "'$(WEB_MBEDTLS)/library/$$name.c' -o $(IOS)/objects/$$name.o"; \
	done | xargs -L 1 '$(IOS_TOOLS)/clang' -target $(IOS_TRIPLE) -Os -g $(IOS_FLAGS) $(IOS_C_PATHS) -c
	@'$(IOS_TOOLS)/clang' -target $(IOS_TRIPLE) -Os -g -Wall -Wextra -Werror -Wno-unused-function $(IOS_FLAGS) \
	  $(IOS_C_PATHS) -c Sources/Darwin/wipe.c -o $(IOS)/objects/wipe.o
	@for place in $(IOS_PLACES); do mkdir -p $(IOS)/$$place; done
	@$(foreach framework,$(IOS_FRAMEWORKS),$(foreach place,$(IOS_PLACES),\
	  $(call ios_link,$(framework),$(place)) &&)) true

# As Xcode and SwiftPM take them, and looked at.
xcframework: ios
	@python3 -B mk/ios/xcframework.py $(IOS) $(VERSION) '$(WEB_MBEDTLS)' \
	  $(foreach framework,$(IOS_FRAMEWORKS),$(framework)=$(call ios_description,$(framework)))
	@python3 -B mk/ios/check.py $(IOS_FRAMEWORKS:%=$(IOS)/%.xcframework)

# For Swift apps: the files above the C header, and the framework. A release's page has the zip and its checksum.
swift-package: xcframework
	@python3 -B mk/ios/package.py $(IOS)
	@printf '%s: ' $(IOS)/customkeyboard-apple.zip && sha256sum <$(IOS)/customkeyboard-apple.zip | cut -d ' ' -f 1

# Its tests, here.
test-swift-package: $(call unless_ready,stage)
	@SWIFT='$(SWIFT)' JOBS='$(JOBS)' $(without_cc) sh Tests/Evidence/swift-package.sh $(BUILD)

ios_lower = $(foreach lower,$(BELOW_$(1)),=$(lower)=$(HEADER_$(lower)).h)
ios_description = $(HEADER_$(1)).h=$(OLDEST_$(1))$(subst $() ,,$(ios_lower))

# Their code, in Mach-O, run here; four minutes. THOROUGH=1 repeats more.
test-darwin: darwin-parts
	$(QUIETLY) "Phones' code, emulated" darwin env SWIFT='$(SWIFT)' JOBS='$(JOBS)' IOS_LINKER='$(IOS_LINKER)' \
	  python3 -B Tests/Table/run.py phones $(BUILD)

# What that needs: the frameworks, Darwin's open headers, and SQLite for arm64.
darwin-parts: xcframework
	$(call require,$(IOS_CHECK_NEEDS))
	@$(MAKE) --no-print-directory TARGET=aarch64-linux-gnu BUILD=$(BUILD)/aarch64-linux-gnu \
	  $(abspath $(BUILD))/aarch64-linux-gnu/sysroot/complete
	@sh mk/ios/headers.sh $(IOS)/darwin-headers

# What is in their files, and that another folder gives the same; then their code, with more repetitions.
check-ios: ios-setup
	$(call require,$(IOS_CHECK_NEEDS))
	@SWIFT='$(SWIFT)' JOBS='$(JOBS)' IOS_LINKER='$(IOS_LINKER)' bash Tests/Evidence/ios.sh $(BUILD)
	@$(MAKE) --no-print-directory THOROUGH=1 test-darwin

# For somebody with a Mac: the C programs for the simulator, and a script that runs them there.
darwin-kit: xcframework
	@CLANG='$(IOS_TOOLS)/clang' LINKER='$(IOS_LINKER)' sh mk/ios/kit.sh $(IOS)

# $(call ios_link,framework,place)
ios_link = RESOURCES='$(WEB_RESOURCES)' VERSION=$(VERSION) LINKER='$(IOS_LINKER)' sh mk/ios/link.sh $(1) $(2) \
  $(OLDEST_$(1)) $(IOS_SCRATCH)/release/lib$(1:C%=%)C.a $(IOS)/objects $(IOS)/$(2) $(BELOW_$(1):%=$(IOS)/$(2)/%)

# One after another: each adds what it needs to the same folder.
ios-archives: ios-setup
	@[ -z "$$(find Sources -type d -newer $(IOS_SCRATCH)/release/libCustomFidoC.a 2>/dev/null)" ] || \
	  rm -f $(IOS_SCRATCH)/release/lib*.a
	@for framework in $(IOS_FRAMEWORKS); do \
	  $(without_cc) PATH="$(CURDIR)/mk/ios/bin:$$(realpath '$(IOS_TOOLS)'):$$PATH" CUSTOM_KEYBOARD_C_LIBRARY=1 \
	    $(SWIFT) build -c release -j $(JOBS) --scratch-path $(IOS_SCRATCH) --triple $(IOS_TRIPLE) \
	    --product $${framework#C}C -Xswiftc -target -Xswiftc $(IOS_TRIPLE) \
	    $(addprefix -Xcc ,$(IOS_FLAGS) $(IOS_C_PATHS) -DCUSTOM_KEYBOARD_HEADERS=$(IOS_HEADERS)) \
	    $(addprefix -Xswiftc ,$(IOS_SWIFT_PATHS) -Xfrontend -function-sections) || exit 1; \
	done

ios-setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "Swift 6.3 or later is needed and was not found: https://www.swift.org/install" >&2; exit 1; }
	$(call require,$(IOS_NEEDED))
	@mkdir -p $(IOS)/include && cp /usr/include/sqlite3.h $(IOS)/include/
	@[ -e '$(WEB_MBEDTLS)/library/des.c' ] || DEPS='$(DEPS)' sh mk/web/mbedtls.sh '$(WEB_MBEDTLS)'

.PHONY: darwin-kit darwin-parts test-darwin
.PHONY: swift-package test-swift-package ios xcframework check-ios ios-archives ios-setup
