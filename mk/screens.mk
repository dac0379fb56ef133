# `make test-screen`: what has a screen or a server. The web element, the kiosk, the bank, and people who log in there.
#
# SPDX-License-Identifier: Apache-2.0

BANK_TESTS := Examples/Bank/Tests

# What the suites need, beside the library.
module: setup web-setup
	$(BUILT) 'The module for web pages' module $(MAKE) --no-print-directory -j1 web

server: setup
	$(BUILT) 'The server' server $(MAKE) --no-print-directory -j1 bank-program

window: library
	$(BUILT) 'The window' window $(MAKE) --no-print-directory -j1 READY=yes kiosk

# The servers, and a PostgreSQL of the test's own. BANK=--full is what `make check` runs.
test-bank: library server
	$(call require,$(BANK_NEEDS) postgresql systemd binutils python3-minimal libpython3-stdlib python3-cryptography \
	  libargon2-1)
	$(QUIETLY) 'The bank' bank env KEYBOARD_LIBRARY='$(abspath $(BUILD))/libcustomkeyboard.so' \
	  sh $(BANK_TESTS)/run.sh $(BANK_PROGRAM) $(BANK)

# The kiosk in a real window: a screen in memory, a bank of the test's own or KIOSK='--bank URL', groups by name.
# fonts-dejavu-core and libgtk-4-bin: what the pictures are drawn with, and a display that can be touched.
KIOSK_TEST_NEEDS = xvfb xdotool dbus-daemon at-spi2-core libglib2.0-bin libgtk-4-bin fonts-dejavu-core libx11-6 \
                   python3-minimal libpython3-stdlib python3-cryptography

test-kiosk: window
	$(call require,$(KIOSK_TEST_NEEDS))
	$(QUIETLY) 'The kiosk, in a window' kiosk env CC='$(CC)' sh Examples/kiosk/Tests/run.sh $(BUILD) $(KIOSK)

# <custom-keyboard> in Debian's Chromium, on the module that `make web` builds; the C library is the server of OPAQUE.
# Six minutes.
BROWSER_NEEDS = chromium fonts-inter python3-minimal libpython3-stdlib python3-cryptography

test-browser: library module
	$(call require,$(BROWSER_NEEDS))
	$(QUIETLY) 'The web element, in Chromium' browser python3 -B Tests/Web/browser.py $(WEB) $(BROWSER)

# FIDO at the example bank: the example in C, the Swift API and the tool.
FIDO_NEEDS = libcurl4-openssl-dev pkg-config gcc python3-minimal libpython3-stdlib python3-cryptography

test-fido: library server
	$(call require,$(FIDO_NEEDS))
	$(QUIETLY) 'FIDO, at the bank' fido $(without_cc) sh -c ' \
	  $(SWIFT) build -j $(JOBS) --product keyboard $(SWIFT_FLAGS) && \
	  exec sh $(BANK_TESTS)/fido.sh $(BANK_PROGRAM) $(BUILD) "$$($(SWIFT) build --show-bin-path)/keyboard" \
	  "$$(DEPS=$(DEPS) sh $(BANK_TESTS)/nginx.sh $(BUILD)/nginx)"'

# People at the example bank: in its page and at the kiosk; also through a proxy with TLS.
test-login: module window server
	$(call require,$(BROWSER_NEEDS) $(KIOSK_TEST_NEEDS))
	$(QUIETLY) 'The page and the window, at the bank' login env CC='$(CC)' \
	  sh $(BANK_TESTS)/login.sh $(BANK_PROGRAM) $(BUILD) "$$(DEPS='$(DEPS)' sh $(BANK_TESTS)/nginx.sh $(BUILD)/nginx)"

# What has a screen or a server: the module, the element and the kiosk beside the bank.
SCREEN_NAMES := web browser kiosk bank fido login
SCREEN_NEEDS  = nodejs node-typescript postgresql systemd binutils $(BANK_NEEDS) $(KIOSK_NEEDS) \
                      $(KIOSK_TEST_NEEDS) $(BROWSER_NEEDS) $(FIDO_NEEDS)

test-screen: setup web-setup
	$(call require,$(sort $(SCREEN_NEEDS)))
	$(call side_by_side,3,test-bank test-browser test-kiosk test-login test-fido test-web,$(SCREEN_NAMES))

.PHONY: module server window test-screen test-bank test-fido test-kiosk test-browser test-login
