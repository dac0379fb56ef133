# Checks and tags a version.
#
# SPDX-License-Identifier: Apache-2.0

release:
	@sh .ci/release '$(VERSION)' $(DRY_RUN)

.PHONY: release
