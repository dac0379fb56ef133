# The library for a web page: build/web/custom-keyboard.wasm, and its tests in Node.
#
# SPDX-License-Identifier: Apache-2.0

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
	@$(WEB_TOOLS) sh mk/web/link.sh $(WEB_MODULE) $(WEB_SCRATCH)/release/libCustomKeyboardC.a '$(WEB_MBEDTLS)'
	@python3 mk/web/describe.py $(WEB_MODULE)

web-archive: web-setup
	@[ -z "$$(find Sources -type d -newer $(WEB_SCRATCH)/release/libCustomKeyboardC.a 2>/dev/null)" ] || \
	  rm -f $(WEB_SCRATCH)/release/libCustomKeyboardC.a
	$(without_cc) CUSTOM_KEYBOARD_C_LIBRARY=1 $(SWIFT) build -c release -j $(JOBS) --scratch-path $(WEB_SCRATCH) \
	  --triple $(WEB_TRIPLE) --product CustomKeyboardC $(addprefix -Xcc ,$(WEB_FLAGS))

# Beside the native library; a minute.
test-web: library module
	$(call require,nodejs node-typescript)
	$(QUIETLY) 'The library in WebAssembly, in Node' web env CC='$(CC)' $(WEB_TOOLS) sh Tests/Web/run.sh $(BUILD) \
	  $(WEB_SCRATCH)/release/libCustomKeyboardC.a '$(WEB_MBEDTLS)'

# Another build, in a folder of its own.
test-web-twice: web
	$(QUIETLY) 'The module, built in two folders' web-twice env WEB_MBEDTLS='$(WEB_MBEDTLS)' MAKE='$(MAKE)' \
	  JOBS='$(JOBS)' sh Tests/Tree/reproducible.sh web $(WEB)/custom-keyboard.wasm

web-setup:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "Swift 6.3 or later is needed and was not found: https://www.swift.org/install" >&2; exit 1; }
	$(call require,$(WEB_NEEDED))
	@mkdir -p $(WEB)
	@[ -e '$(WEB_MBEDTLS)/library/des.c' ] || DEPS='$(DEPS)' sh mk/web/mbedtls.sh '$(WEB_MBEDTLS)'

.PHONY: web web-archive web-setup test-web test-web-twice
