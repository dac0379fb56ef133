#!/bin/sh
# Tests the release script in a repository of its own: a valid release is tagged with its changes; an invalid one is
# refused with a reason and leaves no tag.
#
#     sh Tests/Tree/release.sh
#
# SPDX-License-Identifier: Apache-2.0
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
checks=0
MAKEFLAGS='' MFLAGS='' MAKELEVEL='' TEST_COMMAND=true
export MAKEFLAGS MFLAGS MAKELEVEL TEST_COMMAND
unset GIT_DIR GIT_WORK_TREE 2>/dev/null || true

fail() { echo "release.sh: $1" >&2; exit 1; }
git() { command git -C "$work/tree" -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false "$@"; }
set_version() { # version
  sed -i "s/\(define CUSTOM_KEYBOARD_VERSION\) \".*\"/\1 \"$1\"/" "$work/tree/Include/custom_keyboard.h"
  sed -i "s/from: \"[^\"]*\"/from: \"$1\"/; s/ No release is tagged yet\.//" "$work/tree/README.md"
}

# A repository that can be released as 7.1.0.
begin() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/Include" "$work/tree/.ci"
  cp -R "$root/Makefile" "$root/mk" "$root/README.md" "$work/tree/"
  cp "$root/.ci/release" "$work/tree/.ci/"
  cp "$root"/Include/*.h "$work/tree/Include/"
  cat >"$work/tree/CHANGELOG.md" <<'END'
# Changes

## [Unreleased]

## [7.1.0] - 2030-01-31

### Added

- The seventh wonder.

## [7.0.0] - 2029-01-31

- The sixth.
END
  command git init -q -b main "$work/tree"
  git config user.name test && git config user.email test@localhost
  set_version 7.1.0
  git add -A && git commit -q -m release && git tag 7.0.0
}
commit() { git add -A && git commit -q -m more; }
release() { make -s -C "$work/tree" release "$@" >"$work/out" 2>&1; }
tags() { git tag --list | tr '\n' ' '; }
refused() { # reason [variables…]
  reason=$1
  shift
  if release VERSION=7.1.0 "$@"; then fail "released though: $reason"; fi
  grep -qF -- "$reason" "$work/out" || fail "expected '$reason' in: $(cat "$work/out")"
  [ "$(tags)" = '7.0.0 ' ] || [ "$(tags)" = '7.0.0 7.1.0 ' ] || [ "$(tags)" = '7.0.0 8.0.0 ' ] || fail "tags: $(tags)"
  checks=$((checks + 1))
}

begin
release VERSION=7.1.0 DRY_RUN=1 || fail "a dry run fails: $(cat "$work/out")"
[ "$(tags)" = '7.0.0 ' ] || fail "a dry run tags"
release VERSION=7.1.0 || fail "a release fails: $(cat "$work/out")"
[ "$(tags)" = '7.0.0 7.1.0 ' ] || fail "the tags are $(tags)"
git tag -n99 --list 7.1.0 >"$work/tag"
grep -q 'The seventh wonder' "$work/tag" || fail "the tag does not say what is new"
grep -q 'The sixth' "$work/tag" && fail "the tag says what is old"
grep -q 'git push origin main 7.1.0' "$work/out" || fail "it does not say how to publish"
checks=$((checks + 6))
refused 'the tag 7.1.0 exists'

begin && git checkout -q -b other && refused 'not on the branch main'
begin && echo more >"$work/tree/more" && refused 'the tree is not clean'
begin && echo more >>"$work/tree/README.md" && refused 'the tree is not clean'
begin && git tag 8.0.0 && refused 'is older than the last release, 8.0.0'
begin && sed -i 's/VERSION "7.1.0"/VERSION "7.0.9"/' "$work/tree/Include/custom_keyboard.h" && commit
refused "custom_keyboard.h says '7.0.9'"
begin && sed -i 's/from: "7.1.0"/from: "7.0.9"/' "$work/tree/README.md" && commit && refused "README.md says '7.0.9'"
begin && echo 'No release is tagged yet.' >>"$work/tree/README.md" && commit
refused 'README.md says that no release is tagged yet'
begin && git rm -q CHANGELOG.md && commit && refused 'there is no CHANGELOG.md'
begin && sed -i 's/7.1.0.*/7.1.1] - 2030-01-31/' "$work/tree/CHANGELOG.md" && commit
refused "has no line '## [7.1.0]"
begin && sed -i 's/ - 2030-01-31//' "$work/tree/CHANGELOG.md" && commit && refused "has no line '## [7.1.0]"
begin && sed -i '/seventh/d' "$work/tree/CHANGELOG.md" && commit && refused 'says nothing of 7.1.0'
begin && sed -i 's/^## .Unreleased.$/&\n\n- Unfinished./' "$work/tree/CHANGELOG.md" && commit
refused 'still lists changes as Unreleased'
begin && TEST_COMMAND=false && refused 'the tests failed' && TEST_COMMAND=true
TEST_COMMAND="touch $work/tree/left" && refused 'the tests changed the tree' && TEST_COMMAND=true
for version in 7.1 v7.1.0 7.1.0-rc 07.1.0 7.1.0.0; do
  begin
  if release VERSION=$version; then fail "released $version"; fi
  grep -q 'is not a version of the form' "$work/out" || fail "$version: $(cat "$work/out")"
  checks=$((checks + 1))
done

# The project's own CHANGELOG.md: a release can be made from it.
grep -qx '## \[Unreleased\]' "$root/CHANGELOG.md" || fail "CHANGELOG.md has no section Unreleased"
released=$(sed -n 's/^## \[\([0-9.]*\)\] - [0-9-]*$/\1/p' "$root/CHANGELOG.md" | head -n 1)
header=$(sed -n 's/^#define CUSTOM_KEYBOARD_VERSION "\(.*\)"/\1/p' "$root/Include/custom_keyboard.h")
[ "$released" = "$header" ] || fail "CHANGELOG.md's last version is '$released', and the header's '$header'"
checks=$((checks + 2))
[ "$checks" -ge 28 ] || fail "only $checks checks"
echo "release: $checks checks"
