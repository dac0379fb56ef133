# Installs the packages that a clean machine lacks, or says which they are.
#
# SPDX-License-Identifier: Apache-2.0

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
	  echo "This is not Debian or Ubuntu: see to a C compiler, binutils, pkg-config, mbedTLS 2.28 or 3.6 yourself." >&2; }
	$(call require,$(NEEDED))
	$(if $(SYSROOT),@$(MAKE) --no-print-directory $(SYSROOT)/complete)
	@printf '#include <mbedtls/version.h>\n#if MBEDTLS_VERSION_MAJOR >= 4\n#error\n#endif\n' | \
	  $(CC) $(headers) -E -x c - >/dev/null 2>&1 || { \
	  echo "mbedTLS 2.28 or 3.6 is needed (4 has no DES any more), with its headers: libmbedtls-dev." >&2; exit 1; }

.PHONY: setup
