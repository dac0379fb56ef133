# The command-line tool `keyboard`, its completions, and their installation.
#
# SPDX-License-Identifier: Apache-2.0

# With Swift's own libraries inside, so that it runs where there is no toolchain. 50 MB of them are Foundation's, for
# `keyboard fido`, whose URLSession also needs libcurl.
tool: setup
	$(call require,libcurl4-openssl-dev)
	@mkdir -p $(BUILD)/completions && touch $(BUILD)/tool-begun
	$(without_cc) $(SWIFT) build -c release -j $(JOBS) --product keyboard --static-swift-stdlib
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

SOURCES_OF_tool := Makefile mk/tool.mk Package.swift Include Sources

.PHONY: tool install-tool uninstall-tool
