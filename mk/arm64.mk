# TARGET=aarch64-linux-gnu: the library for another processor.
#
# For arm64, Swift without a runtime exists only for machines without a system. It works on Linux, too, if C's headers
# are told which system it is. mbedTLS comes from Debian's packages, which are unpacked into a folder. The path of the
# tree must have no space here.
#
# SPDX-License-Identifier: Apache-2.0

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

# Lists, packages and configuration of its own, and nothing installed: the machine stays as it was. OpenSSL is for the
# tests. Packages that are named for their version (libmbedcrypto7, …) are found as what the others need.
define apt_configuration
APT { Architecture "arm64"; Architectures { "arm64"; }; Sandbox::User "root"; };
Dir::State "$(SYSROOT)/apt";
Dir::State::status "/dev/null";
Dir::Cache "$(SYSROOT)/apt";
endef

FOREIGN := libmbedtls-dev libssl-dev libsqlite3-dev

$(SYSROOT)/apt:
	@mkdir -p $@/lists/partial $@/archives/partial

$(SYSROOT)/complete: | $(SYSROOT)/apt
	$(if $(filter no,$(DEPS)),@echo "DEPS=no: put arm64's $(FOREIGN) into $(SYSROOT) and touch $@." >&2; exit 1)
	@echo "Unpacking $(FOREIGN) for arm64 into $(SYSROOT)"
	$(file >$(SYSROOT)/apt/configuration,$(apt_configuration))
	@cd $(SYSROOT)/apt && export APT_CONFIG=$(SYSROOT)/apt/configuration && apt-get update -qq && \
	  apt-get download -qq $(FOREIGN) $$(apt-cache depends --important $(FOREIGN) | \
	    sed -n 's/^ *Depends: \(lib\(mbedcrypto\|ssl\|sqlite3\).*\)/\1/p') && \
	  for package in *.deb; do dpkg -x $$package $(SYSROOT) || exit 1; done || { \
	  echo "That failed. Put arm64's $(FOREIGN) and what they need into $(SYSROOT), and touch $@." >&2; exit 1; }
	@rm -rf $(SYSROOT)/apt/* && touch $@
