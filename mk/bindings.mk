# The packages for other languages: a wheel for Python and a jar for Java, with the library
# and mbedTLS inside, and an archive for npm with the element for web pages.
#
# SPDX-License-Identifier: Apache-2.0

# ---- The library with mbedTLS inside, which needs nothing but the C library of the system ---------------------------

BINDINGS  := $(BUILD)/bindings
CONTAINED := $(BINDINGS)/libcustomkeyboard.so

# Under another name first: `make check` makes several packages at a time, and none may copy half a file.
contained: all
	@mkdir -p $(BINDINGS)
	new=$$(mktemp -d $(BINDINGS)/new.XXXXXX) && chmod 755 $$new && \
	$(CC) -shared $(CONTROL_FLOW_LINK) -o $$new/$(notdir $(CONTAINED)) \
	  $(BUILD)/customkeyboard.o $(CROSS_LINK) -l:libmbedcrypto.a -Wl,-soname,libcustomkeyboard.so.$(SOVERSION) \
	  -Wl,--version-script=$(BUILD)/customkeyboard.map \
	  -Wl,--gc-sections,--no-undefined,--build-id=none,-z,relro,-z,now,-z,nodelete,-z,noexecstack,-s && \
	echo MBEDTLS_VERSION_STRING | $(CC) $(headers) -include mbedtls/version.h -E -P - | tail -1 | tr -d '"' \
	  >$$new/mbedtls && \
	echo "This package contains Mbed TLS $$(cat $$new/mbedtls), Copyright The Mbed TLS Contributors, under Apache-2.0." \
	  >$$new/NOTICE && \
	mv $$new/* $(BINDINGS) && rmdir $$new

# The times of files: the commit's, or the second day of 1980 without git, since `jar` refuses the first second of 1980.
# Nothing in a package depends on when or where it is made.
source_time = $$(git log -1 --format=%ct 2>/dev/null || echo 315619200)

# ---- Python: a wheel for any Python 3 from 3.9 on -------------------------------------------------------------------

WHEEL        := $(BUILD)/wheel
WHEEL_SOURCE := $(WHEEL)/source
WHEEL_NEEDS  := python3 python3-setuptools python3-wheel
# Debian's own, where it is: another python3 that comes first in PATH may lack those two.
PYTHON := $(or $(wildcard /usr/bin/python3),python3)

# The second half of the wheel's platform: the newest version of glibc's symbols that the library uses, 2.17 at least.
glibc_of = $$(objdump -T $(1) | sed -n 's/.*GLIBC_\(2\.[0-9]*\).*/\1/p' | (cat; echo 2.17) | sort -uV | tail -1)

wheel: contained
	$(call require,$(WHEEL_NEEDS))
	@rm -rf $(WHEEL) && mkdir -p $(WHEEL_SOURCE) && cp -R Bindings/python/. $(WHEEL_SOURCE) && cp LICENSE $(WHEEL_SOURCE)
	@rm -rf $(WHEEL_SOURCE)/customkeyboard/__pycache__
	@cp $(CONTAINED) $(WHEEL_SOURCE)/customkeyboard && cp $(BINDINGS)/NOTICE $(WHEEL_SOURCE)
	@printf '# Made by `make wheel`.\nVERSION = "%s"\nMBEDTLS_VERSION = "%s"\n' \
	  '$(VERSION)' "$$(cat $(BINDINGS)/mbedtls)" >$(WHEEL_SOURCE)/customkeyboard/_built.py
	@cd $(WHEEL_SOURCE) && glibc=$(call glibc_of,customkeyboard/libcustomkeyboard.so) && \
	  SOURCE_DATE_EPOCH=$(source_time) \
	  PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE= $(PYTHON) -c 'import setuptools; setuptools.setup()' -q bdist_wheel \
	  --plat-name "manylinux_$$(echo $$glibc | tr . _)_$$(uname -m)" -d ..
	@ls $(WHEEL)/*.whl

# It, installed in an environment of its own; `make check` does so with every Python that it finds.
test-wheel: wheel
	$(call require,python3-venv)
	$(QUIETLY) 'Python package' wheel sh Tests/Bindings/wheel.sh $(BUILD)

# ---- Java: a jar for Java 17 and later, on JNA ----------------------------------------------------------------------

JAR       := $(BUILD)/jar
JAR_TREE  := $(JAR)/tree
JAR_FILE  := $(JAR)/customkeyboard-$(VERSION).jar
JAR_NEEDS := default-jdk-headless libjna-java
JNA       ?= /usr/share/java/jna.jar
# JNA's name for the processor.
JAR_PLATFORM = linux-$$(uname -m | sed 's/x86_64/x86-64/')

# In a fixed order, and with no word of the machine that made it. pom.xml says to Maven that JNA is needed.
jar: contained
	$(call require,$(JAR_NEEDS))
	@rm -rf $(JAR) && mkdir -p $(JAR_TREE)/$(JAR_PLATFORM) $(JAR_TREE)/META-INF/maven/customkeyboard/customkeyboard
	javac --release 17 -encoding UTF-8 -Xlint:all -Werror -cp '$(JNA)' -d $(JAR_TREE) Bindings/java/customkeyboard/*.java
	@cp $(CONTAINED) $(JAR_TREE)/$(JAR_PLATFORM) && cp LICENSE $(BINDINGS)/NOTICE $(JAR_TREE)/META-INF
	@sed 's/@VERSION@/$(VERSION)/' Bindings/java/pom.xml.in \
	  >$(JAR_TREE)/META-INF/maven/customkeyboard/customkeyboard/pom.xml
	@printf '%s\n' 'Automatic-Module-Name: customkeyboard' 'Implementation-Version: $(VERSION)' \
	  "Mbed-TLS-Version: $$(cat $(BINDINGS)/mbedtls)" >$(JAR)/manifest
	@(cd $(JAR_TREE) && find . -type f | sed 's,^\./,,' | LC_ALL=C sort) >$(JAR)/files
	@sed 's,.*,-C $(JAR_TREE) "&",' $(JAR)/files >$(JAR)/arguments
	@jar --create --file=$(JAR_FILE) --manifest=$(JAR)/manifest \
	  --date="$$(date -u -d @$(source_time) +%Y-%m-%dT%H:%M:%SZ)" @$(JAR)/arguments
	javadoc -quiet -notimestamp -Xdoclint:all -Werror -encoding UTF-8 -cp '$(JNA)' -d $(JAR)/javadoc \
	  Bindings/java/customkeyboard/*.java
	@ls $(JAR_FILE)

# It, used by a program with nothing else but JNA.
test-jar: jar
	$(QUIETLY) 'Java package' jar env JNA='$(JNA)' sh Tests/Bindings/jar.sh $(BUILD)

# ---- Web pages: an archive for npm, made without npm ----------------------------------------------------------------

NPM      := $(BUILD)/npm
NPM_TREE := $(NPM)/package

npm: web
	@rm -rf $(NPM) && mkdir -p $(NPM_TREE)
	@cp Bindings/web/*.js Bindings/web/*.html Bindings/web/*.d.ts Bindings/web/README.md LICENSE $(WEB_MODULE) $(NPM_TREE)
	@sed 's/@VERSION@/$(VERSION)/' Bindings/web/package.json.in >$(NPM_TREE)/package.json
	@version=$$(sed -n 's/.*MBEDTLS_VERSION_STRING  *"\(.*\)"/\1/p' '$(WEB_MBEDTLS)/include/mbedtls/version.h'); \
	  [ -n "$$version" ] && echo "This package contains Mbed TLS $$version, Copyright The Mbed TLS Contributors, under" \
	  "Apache-2.0." >$(NPM_TREE)/NOTICE
	@python3 mk/web/integrity.py $(NPM_TREE) >$(NPM)/integrity.json && mv $(NPM)/integrity.json $(NPM_TREE)
	@tar -C $(NPM) --format=ustar --sort=name --mtime=@$(source_time) --owner=0 --group=0 --numeric-owner \
	  --mode=u=rw,go=r -cf - --no-recursion $$(cd $(NPM) && ls package/*) | gzip -n9 >$(NPM)/customkeyboard-$(VERSION).tgz
	@ls $(NPM)/*.tgz

# It, in a node_modules of its own.
test-npm: $(call unless_ready,all npm)
	$(call require,nodejs node-typescript)
	$(QUIETLY) 'npm package' npm sh Tests/Bindings/npm.sh $(BUILD)

# ---- Spark ----------------------------------------------------------------------------------------------------------

# The Spark job of Examples/spark-migrate, on a cluster on this machine; pyspark comes from PyPI.
test-spark: wheel
	$(call require,python3-venv default-jdk-headless)
	$(QUIETLY) 'Spark job' spark sh Examples/spark-migrate/Tests/spark.sh $(BUILD)

.PHONY: contained wheel test-wheel jar test-jar npm test-npm test-spark
