# The package for Python: a wheel with the library and mbedTLS inside, for any Python 3 from 3.9 on.
#
# SPDX-License-Identifier: Apache-2.0

WHEEL        := $(BUILD)/wheel
WHEEL_SOURCE := $(WHEEL)/source
WHEEL_NEEDS  := python3 python3-setuptools python3-wheel
# Debian's own, where it is: another python3 that comes first in PATH may lack those two.
PYTHON := $(or $(wildcard /usr/bin/python3),python3)

# The second half of the wheel's platform: the newest version of glibc's symbols that the library uses, 2.17 at least.
glibc_of = $$(objdump -T $(1) | sed -n 's/.*GLIBC_\(2\.[0-9]*\).*/\1/p' | (cat; echo 2.17) | sort -uV | tail -1)

# Nothing of it depends on when or where it is built: times of files are the commit's, or 1980 without git.
wheel: all
	$(call require,$(WHEEL_NEEDS))
	@rm -rf $(WHEEL) && mkdir -p $(WHEEL_SOURCE) && cp -R Bindings/python/. $(WHEEL_SOURCE) && cp LICENSE $(WHEEL_SOURCE)
	@rm -rf $(WHEEL_SOURCE)/customkeyboard/__pycache__
	$(CC) -shared $(CONTROL_FLOW_LINK) -o $(WHEEL_SOURCE)/customkeyboard/libcustomkeyboard.so \
	  $(BUILD)/customkeyboard.o $(CROSS_LINK) -l:libmbedcrypto.a -Wl,-soname,libcustomkeyboard.so.$(SOVERSION) \
	  -Wl,--version-script=$(BUILD)/customkeyboard.map \
	  -Wl,--gc-sections,--no-undefined,--build-id=none,-z,relro,-z,now,-z,nodelete,-z,noexecstack,-s
	@mbedtls=$$(echo MBEDTLS_VERSION_STRING | $(CC) $(headers) -include mbedtls/version.h -E -P - | tail -1); \
	printf '# Made by `make wheel`.\nVERSION = "%s"\nMBEDTLS_VERSION = %s\n' '$(VERSION)' "$$mbedtls" \
	  >$(WHEEL_SOURCE)/customkeyboard/_built.py; \
	echo "This package contains Mbed TLS $$mbedtls, Copyright The Mbed TLS Contributors, under Apache-2.0." \
	  >$(WHEEL_SOURCE)/NOTICE
	@cd $(WHEEL_SOURCE) && glibc=$(call glibc_of,customkeyboard/libcustomkeyboard.so) && \
	  SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 315532800) \
	  PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE= $(PYTHON) -c 'import setuptools; setuptools.setup()' -q bdist_wheel \
	  --plat-name "manylinux_$$(echo $$glibc | tr . _)_$$(uname -m)" -d ..
	@ls $(WHEEL)/*.whl

# It, installed in an environment of its own; `make check` does so with every Python that it finds.
test-wheel: wheel
	$(call require,python3-venv)
	$(QUIETLY) 'Python package' wheel sh Tests/Bindings/wheel.sh $(BUILD)

.PHONY: wheel test-wheel
