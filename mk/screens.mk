# `make test-screen`: what has a screen or a server. The web element, the kiosk, the bank, and people who log in there.
#
# SPDX-License-Identifier: Apache-2.0

BANK_TESTS := Examples/Bank/Tests

# The servers, and a PostgreSQL of the test's own. BANK=--full is what `make check` runs.
test-bank: setup $(call unless_ready,library)
	$(call require,$(BANK_NEEDS) postgresql systemd binutils python3-minimal libpython3-stdlib python3-cryptography \
	  libargon2-1)
	$(QUIETLY) 'The bank' bank sh -c '$(MAKE) --no-print-directory bank-program && \
	  KEYBOARD_LIBRARY=$(abspath $(BUILD))/libcustomkeyboard.so exec sh $(BANK_TESTS)/run.sh $(BANK_PROGRAM) $(BANK)'

# The kiosk in a real window: a screen in memory, a bank of the test's own or KIOSK='--bank URL', groups by name.
# fonts-dejavu-core and libgtk-4-bin: what the pictures are drawn with, and a display that can be touched.
KIOSK_TEST_NEEDS = xvfb xdotool dbus-daemon at-spi2-core libglib2.0-bin libgtk-4-bin fonts-dejavu-core libx11-6 \
                   python3-minimal libpython3-stdlib python3-cryptography

test-kiosk: $(call unless_ready,kiosk)
	$(call require,$(KIOSK_TEST_NEEDS))
	$(QUIETLY) 'The kiosk, in a window' kiosk env CC='$(CC)' sh Examples/kiosk/Tests/run.sh $(BUILD) $(KIOSK)

# <custom-keyboard> in Debian's Chromium, on the module that `make web` builds; the C library is the server of OPAQUE.
# Six minutes.
BROWSER_NEEDS = chromium fonts-inter python3-minimal libpython3-stdlib python3-cryptography

test-browser: $(call unless_ready,library web)
	$(call require,$(BROWSER_NEEDS))
	$(QUIETLY) 'The web element, in Chromium' browser python3 -B Tests/Web/browser.py $(WEB) $(BROWSER)

# FIDO at the example bank: the example in C, the Swift API and the tool.
FIDO_NEEDS = libcurl4-openssl-dev pkg-config gcc python3-minimal libpython3-stdlib python3-cryptography

test-fido: $(call unless_ready,stage bank-program)
	$(call require,$(FIDO_NEEDS))
	$(QUIETLY) 'FIDO, at the bank' fido $(without_cc) sh -c '$(SWIFT) build -j $(JOBS) --product keyboard && \
	  exec sh $(BANK_TESTS)/fido.sh $(BANK_PROGRAM) $(BUILD) "$$($(SWIFT) build --show-bin-path)/keyboard" \
	  "$$(DEPS=$(DEPS) sh $(BANK_TESTS)/nginx.sh $(BUILD)/nginx)"'

# People at the example bank: in its page and at the kiosk; also through a proxy with TLS.
test-login: $(call unless_ready,web kiosk bank-program)
	$(call require,$(BROWSER_NEEDS) $(KIOSK_TEST_NEEDS))
	$(QUIETLY) 'The page and the window, at the bank' login env CC='$(CC)' \
	  sh $(BANK_TESTS)/login.sh $(BANK_PROGRAM) $(BUILD) "$$(DEPS='$(DEPS)' sh $(BANK_TESTS)/nginx.sh $(BUILD)/nginx)"

# What has a screen or a server: the module, the element and the kiosk beside the bank. Three at a time, because servers
# and windows often wait.
SUITES_OF_BROWSERS := test-browser
SUITES_OF_SERVERS  := test-bank test-fido
SUITES_OF_WINDOWS  := test-kiosk test-login test-web
SCREEN_NEEDS        = nodejs node-typescript postgresql systemd binutils $(BANK_NEEDS) $(KIOSK_NEEDS) \
                      $(KIOSK_TEST_NEEDS) $(BROWSER_NEEDS) $(FIDO_NEEDS)

test-screen: setup web-setup
	$(call require,$(sort $(SCREEN_NEEDS)))
	$(QUIETLY) 'The library, its module, the kiosk and the bank' built \
	  $(MAKE) --no-print-directory web kiosk bank-program
	$(call side_by_side,SUITES_OF_BROWSERS SUITES_OF_SERVERS SUITES_OF_WINDOWS,web browser kiosk bank fido login)

.PHONY: test-screen test-bank test-fido test-kiosk test-browser test-login
