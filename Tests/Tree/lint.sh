#!/bin/sh
# The form of the sources: `swift format lint`, and no line longer than 120 columns in Swift, C, Python, shell,
# Java, JavaScript and makefiles. Files with longer lines are listed in long-lines.txt with their number, which may only
# fall. shellcheck and ruff find nothing. Every bug of Evidence/mutants.py can still be planted, and every program is in
# the table of tests. No two files of Sources have twelve equal lines (twice.py).
#
#     sh Tests/Tree/lint.sh            SWIFT from the environment
#     sh Tests/Tree/lint.sh --update   rewrites long-lines.txt
#
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../.."
known=Tests/Tree/long-lines.txt
checks=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# In a tree without git (a release's archive), all files of these kinds.
files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard
  else
    find . -path ./.build -prune -o -path ./build -prune -o -type f -print | sed 's,^\./,,'
  fi | grep -E '\.(swift|c|h|cpp|py|sh|java|js|mk)$|^Makefile$|^\.ci/' | LC_ALL=C sort
}

# Columns are characters, not bytes.
LC_ALL=C.UTF-8
export LC_ALL
files >"$work/files"
while read -r file; do
  [ -f "$file" ] || continue
  count=$(grep -cE '^.{121,}' "$file") || true
  [ "$count" -eq 0 ] || echo "$count $file"
done <"$work/files" >"$work/long"

if [ "${1:-}" = --update ]; then
  cp "$work/long" "$known"
  exit
fi

# A planted long line is found; one of 120 characters with more bytes is not.
awk 'BEGIN {for (i = 0; i < 120; i++) printf "×"; print ""}' >"$work/planted"
grep -qE '^.{121,}' "$work/planted" && { echo "lint: columns are not characters here" >&2; exit 1; }
awk 'BEGIN {for (i = 0; i < 121; i++) printf "x"; print ""}' >"$work/planted"
grep -qE '^.{121,}' "$work/planted" || { echo "lint: a long line is not found" >&2; exit 1; }

bad=
while read -r count file; do
  allowed=$(awk -v file="$file" '{count = $1; sub(/^[0-9]+ /, "")} $0 == file {print count}' "$known")
  if [ "$count" -gt "${allowed:-0}" ]; then
    echo "lint: $file has $count lines of more than 120 columns, and may have ${allowed:-none}:" >&2
    grep -nE '^.{121,}' "$file" | cut -c 1-140 >&2
    bad="$bad $file"
  fi
done <"$work/long"
checks=$((checks + $(wc -l <"$work/files")))

# Every source file names its licence.
while read -r file; do
  [ ! -f "$file" ] || grep -q 'SPDX-License-Identifier: Apache-2.0' "$file" || {
    echo "lint: $file has no line 'SPDX-License-Identifier: Apache-2.0'" >&2
    bad="$bad $file"
  }
done <"$work/files"

# swift format also reports long lines of code, but not long comments; lines are counted above.
"${SWIFT:-swift}" format lint --strict --recursive --parallel Sources Tests Package.swift Benchmarks Examples \
  >"$work/format" 2>&1 || true
if grep -v '\[LineLength\]' "$work/format" | grep -q .; then
  grep -v '\[LineLength\]' "$work/format" >&2
  bad="$bad swift-format"
fi
printf 'struct  a{var b=1;}\n' >"$work/planted.swift"
if "${SWIFT:-swift}" format lint --strict "$work/planted.swift" >/dev/null 2>&1; then
  echo "lint: swift format finds nothing" >&2
  exit 1
fi
checks=$((checks + $(grep -c '\.swift$' "$work/files")))

# Shell scripts, by .shellcheckrc.
grep '\.sh$' "$work/files" | xargs shellcheck .ci/run || bad="$bad shellcheck"
printf '#!/bin/sh\nrm $1\n' >"$work/planted.sh"
if shellcheck "$work/planted.sh" >/dev/null; then
  echo "lint: shellcheck finds nothing" >&2
  exit 1
fi
checks=$((checks + $(grep -c '\.sh$' "$work/files")))

# Python, by ruff.toml. Debian has no ruff: without one, PyPI's is put into build/lint.
ruff=$(command -v ruff) || ruff=build/lint/bin/ruff
[ "$ruff" != build/lint/bin/ruff ] || [ -x "$ruff" ] || {
  python3 -m venv --clear build/lint && build/lint/bin/pip --quiet --disable-pip-version-check install ruff==0.17.6
} || exit 1
"$ruff" check --quiet --no-cache . || bad="$bad ruff"
printf 'import os\nprint(nothing)\n' >"$work/planted.py"
"$ruff" check --no-cache --config ruff.toml --output-format concise "$work/planted.py" >"$work/found" || true
[ "$(grep -c 'F401\|F821' "$work/found")" = 2 ] || { echo "lint: ruff finds nothing" >&2; exit 1; }
checks=$((checks + $(grep -c '\.py$' "$work/files")))

python3 -B Tests/Tree/twice.py || bad="$bad twice"
python3 -B Tests/Evidence/plantable.py || bad="$bad plantable"
python3 -B Tests/Table/check.py || bad="$bad table"

[ -z "$bad" ] || { echo "lint: failed:$bad" >&2; exit 1; }
fewer=$(awk 'NR == FNR {now[$2] = $1; next} now[$2] + 0 < $1 {n++} END {print n + 0}' "$work/long" "$known")
[ "$fewer" -eq 0 ] || echo "lint: long-lines.txt allows $fewer files more than they have; sh Tests/Tree/lint.sh --update"
echo "lint: $checks checks"
