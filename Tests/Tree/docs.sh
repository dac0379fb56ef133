#!/bin/sh
# Checks that the documentation agrees with the tree: links lead to files and headings, functions are in the files that
# Docs/Architecture.md names, the diagram is Package.swift's, named tests exist, and the man page and the reference of
# the library have every function and code of the header.
#
#     sh Tests/Tree/docs.sh          SWIFT from the environment; needs python3 and groff
#
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
checks=0
wrong=
fail() { echo "docs: $1" >&2 && wrong=yes; }
check() { checks=$((checks + 1)); }

pages="README.md SECURITY.md CHANGELOG.md CONTRIBUTING.md Docs/*.md"

# ---- The lengths of the README and of the Makefile
[ "$(wc -l <README.md)" -le 160 ] || fail "README.md has $(wc -l <README.md) lines, and may have 160"
check
[ "$(wc -l <Makefile)" -le 300 ] || fail "Makefile has $(wc -l <Makefile) lines, and may have 300: mk/ has the rest"
check

# ---- No cell of a table has 400 characters: such a cell is a paragraph
cells() { # of pages: page, line, length, for each cell that is too long
  python3 -c 'import re, sys
for page in sys.argv[1:]:
    for number, line in enumerate(open(page, encoding="utf-8"), 1):
        cells = re.split(r"(?<!\\)\|", line.strip()) if line.startswith("|") else []
        for cell in cells:
            if len(cell.strip()) >= 400:
                print("%s:%d: a cell of a table has %d characters" % (page, number, len(cell.strip())))' "$@"
}
for length in 399 400; do
  printf '| a | %s | \\| |\n' "$(printf "%${length}s" "" | tr ' ' x)" >"$work/$length.md"
done
[ "$(cells "$work/399.md" "$work/400.md" | sed 's,.*/,,')" = "400.md:1: a cell of a table has 400 characters" ] ||
  fail "the length of a cell is counted wrong"
# shellcheck disable=SC2046,SC2086
cells $pages $(find Examples Sources -name '*.md') >"$work/cells" || wrong=yes
[ ! -s "$work/cells" ] || fail "write a paragraph under the table instead: $(cat "$work/cells")"
check

# ---- Links: a file, and a heading in it
anchors() { # the headings of a page as GitHub names them
  sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-\n'
}
links() { # of a page: page<TAB>target
  {
    tr '\n' ' ' <"$1" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//'
    tr '\n' ' ' <"$1" | grep -o '<img *src="[^"]*"' | sed 's/^<img *src="//; s/"$//'
  } | grep -v '^https\{0,1\}:' |
    while read -r target; do printf '%s\t%s\n' "$1" "$target"; done
}
# shellcheck disable=SC2086
for page in $pages; do links "$page"; done >"$work/links"
tab=$(printf '\t')
while IFS="$tab" read -r page target; do
  file=$(dirname "$page")/${target%%#*}
  [ -n "${target%%#*}" ] || file=$page
  [ -e "$file" ] || fail "$page links to $target, and there is no such file"
  case $target in
  *.md#* | '#'*)
    anchors "$file" | grep -qx -- "${target#*#}" || fail "$page links to $target, and there is no such heading"
    ;;
  esac
  check
done <"$work/links"
[ "$checks" -ge 60 ] || fail "only $checks links were found"

# ---- Functions: "`name` in [File.swift](path)", or "for example"
sed -n 's/.*`\([A-Za-z_]*\)` in \[[^]]*\](\.\.\/\([^)]*\)).*/\1 \2/p' Docs/Architecture.md >"$work/functions"
while read -r name file; do
  grep -q "func $name\b" "$file" || fail "Docs/Architecture.md names $name in $file, where it is not"
  check
done <"$work/functions"
[ "$(wc -l <"$work/functions")" -ge 20 ] || fail "only $(wc -l <"$work/functions") functions were found"

# ---- Targets
python3 Docs/diagram.py --check >"$work/diagram" || wrong=yes
check

# ---- Tests that Docs/Evidence.md names
for test in $(grep -o '`[A-Za-z0-9_-]*\.\(c\|cpp\|sh\|py\|swift\)`\|`[A-Z][A-Za-z]*Tests`' Docs/Evidence.md |
  tr -d '`' | sort -u); do
  [ -n "$(find Tests Examples -name "$test" -o -name "$test.swift")" ] ||
    fail "Docs/Evidence.md names $test: no such test"
  check
done

# ---- The library's man page and reference: every function, code and size of the header
header=Include/custom_keyboard.h
python3 Docs/reference.py >"$work/reference.md" || wrong=yes
grep -o 'CustomKeyboard_[A-Za-z]*(' "$header" | tr -d '(' | sort -u >"$work/names"
[ "$(wc -l <"$work/names")" -ge 24 ] || fail "only $(wc -l <"$work/names") functions are in the header"
grep -o '^  CUSTOM_[A-Z0-9_]* = [0-9]*' "$header" | awk '{print $1}' >"$work/values"
grep -o '^#define CUSTOM_KEYBOARD_[A-Z]* [0-9"]' "$header" | awk '{print $2}' >>"$work/values"
for name in $(cat "$work/names" "$work/values"); do
  grep -q "\b$name\b" "$work/reference.md" || fail "the reference of the header lacks $name"
  check
done
manual() { # page names…
  page=$1
  shift
  sed 's/\\-/-/g; s/\\//g' "Docs/man/$page" >"$work/$page"
  for name in "$@"; do
    grep -q "\b$name\b" "$work/$page" || fail "$page lacks $name"
    check
  done
}
# shellcheck disable=SC2046
manual custom_keyboard.3 $(cat "$work/names" && grep -v 'LAYOUT\|SHUFFLE\|ROLE' "$work/values")
# shellcheck disable=SC2046
manual custom_vault.3 $(grep -o 'CustomVault_[A-Za-z]*\|CUSTOM_VAULT_VERSION' Include/custom_vault.h | sort -u)
# shellcheck disable=SC2046
manual custom_fido.3 $(grep -o 'CustomFido_[A-Za-z]*\|CUSTOM_FIDO_VERSION' Include/custom_fido.h | sort -u)

# ---- Every function of the header says which codes it answers, in the comment in front of it
awk '/^\/\*/ {comment = ""} {comment = comment $0} /Custom(Keyboard|Vault)_[A-Za-z]*\(/ {
  match($0, /Custom(Keyboard|Vault)_[A-Za-z]*\(/)
  name = substr($0, RSTART, RLENGTH - 1)
  if (comment !~ /Answers[ *]+ARGUMENT|[Nn]ever NULL|_cause has it|The library.s version|The call answers OK unless/)
    print name
  comment = ""
}' "$header" Include/custom_vault.h >"$work/silent"
[ ! -s "$work/silent" ] || fail "the header does not say what these answer: $(cat "$work/silent")"
check

# ---- Man pages are well-formed
for page in Docs/man/*.[13]; do
  groff -ww -z -mandoc -Kutf8 -Tutf8 "$page" >"$work/groff" 2>&1 || fail "$page: groff fails"
  [ ! -s "$work/groff" ] || fail "$page: $(cat "$work/groff")"
  check
done

# ---- The sentences in each language
python3 Tests/Messages/messages.py >"$work/messages" || fail "the catalogue of sentences is wrong"
checks=$((checks + $(sed -n 's/^messages: \([0-9]*\) checks$/\1/p' "$work/messages")))

[ -z "$wrong" ] || exit 1
echo "docs: $checks checks"
