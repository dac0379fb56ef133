# The API as a web site, and the pictures in Docs.
#
# SPDX-License-Identifier: Apache-2.0

# The API as a web site, by DocC: the Swift modules that users import, an article, and the C header as a page. The site
# needs a web server: `python3 -m http.server -d build/docs` shows it on http://localhost:8000/documentation.
DOCUMENTED := CustomKeyboard KeyboardCipher KeyboardECB KeyboardSealing KeyboardSigning \
  KeyboardLayout KeyboardVault KeyboardFIDO KeyboardMemory KeyboardCodes

docs: setup
	@python3 Docs/reference.py >Sources/CustomKeyboard/CustomKeyboard.docc/C-Reference.md
	@mkdir -p $(BUILD)
	$(without_cc) CUSTOM_KEYBOARD_DOCS=1 $(SWIFT) package --scratch-path .build/docs \
	  --allow-writing-to-directory $(BUILD)/docs \
	  generate-documentation $(addprefix --target ,$(DOCUMENTED)) --enable-experimental-combined-documentation \
	  --transform-for-static-hosting --output-path $(BUILD)/docs
	@echo "$(BUILD)/docs is ready: python3 -m http.server -d $(BUILD)/docs, then http://localhost:8000/documentation"

# The pictures of keyboards in Docs, from a seed, so that they change when the look does and not each time.
PICTURES := Docs/Pictures

pictures: setup
	$(without_cc) $(SWIFT) build -j $(JOBS) --product keyboard
	@for layout in letters digits symbols mixed pin pin-decoys; do \
	  size=320x216; case $$layout in pin*) size=240x260;; esac; \
	  .build/debug/keyboard layout --layout $$layout --size $$size --seed 7 --format svg >$(PICTURES)/$$layout.svg; \
	done

# Those of screens, by the programs that test them. Shuffled, so they change each time.
screen-pictures: web kiosk
	$(call require,$(BROWSER_NEEDS) $(KIOSK_TEST_NEEDS))
	@python3 -B Tests/Web/browser.py $(WEB) --pictures $(PICTURES)/Web
	@sh Examples/kiosk/Tests/run.sh $(BUILD) --pictures $(PICTURES)/Kiosk

.PHONY: docs pictures screen-pictures
