# Debian packages of the libraries and the tool, in build/deb, and the sources as an archive.
#
# SPDX-License-Identifier: Apache-2.0

DEB       := $(BUILD)/deb
DEB_TREE  := $(DEB)/customkeyboard-$(VERSION)
DEB_NEEDS := debhelper chrpath fakeroot dpkg-dev lintian
DEB_FILES := Makefile Package.swift LICENSE Docs Include Messages Sources mk

# What was built is packed, and not built again: cp keeps the times by which `make install` knows that it is up to date.
# The date is the commit's, so that the same sources make the same packages.
deb: all tool
	$(call require,$(DEB_NEEDS))
	@rm -rf $(DEB) && mkdir -p $(DEB_TREE)/build
	@cp -a $(DEB_FILES) $(DEB_TREE) && cp -a Packaging/debian $(DEB_TREE)
	@cp -a $(BUILD)/lib*.a $(BUILD)/lib*.so* $(BUILD)/built $(BUILD)/tool-built $(BUILD)/keyboard $(BUILD)/completions \
	  $(DEB_TREE)/build
	@sed -e 's/@VERSION@/$(VERSION)/' -e "s/@DATE@/$$(git log -1 --format=%cD 2>/dev/null || date -R -r CHANGELOG.md)/" \
	  Packaging/debian/changelog.in >$(DEB_TREE)/debian/changelog && rm $(DEB_TREE)/debian/changelog.in
	@cd $(DEB_TREE) && env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -b -us -uc >../log 2>&1 || \
	  { tail -n 40 ../log >&2; exit 1; }
	lintian --fail-on error,warning $(DEB)/*.changes
	@ls $(DEB)/*.deb

# The sources of the commit, the same bytes each time.
dist:
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=customkeyboard-$(VERSION)/ HEAD | gzip -n9 >$(BUILD)/customkeyboard-$(VERSION).tar.gz
	@cd $(BUILD) && sha256sum customkeyboard-$(VERSION).tar.gz

.PHONY: deb dist
