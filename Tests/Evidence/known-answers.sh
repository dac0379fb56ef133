#!/bin/sh
# Known answers: the values printed by NIST, the Chinese standard and the Internet-Draft on SM4, on every path of SM4
# that the processor has, and the tests with millions of blocks. A planted wrong answer must be found in every table.
#
#     sh Tests/Evidence/known-answers.sh BUILD_DIR          half a minute
#
# make check: 35 seconds
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/begin.sh"

for program in vectors monte_carlo; do
  # shellcheck disable=SC2086
  "$CC" $flags -o "$work/$program" "$clients/$program.c" $static || fail "$program.c does not compile"
done

for path in $paths; do
  CUSTOM_KEYBOARD_SM4=$path "$work/vectors" "$vectors" >"$work/vectors-$path" 2>&1 ||
    fail "known answers on the $path path" "$work/vectors-$path"
  CUSTOM_KEYBOARD_SM4=$path "$work/monte_carlo" "$vectors" 0 >"$work/iterated-$path" 2>&1 ||
    fail "SM4 a million times on the $path path" "$work/iterated-$path"
  echo "$path path: $(tail -n 1 "$work/vectors-$path"), $(grep -o '[0-9]* blocks' "$work/iterated-$path")"
done
"$work/monte_carlo" "$vectors" >"$work/monte" 2>&1 || fail "Monte Carlo" "$work/monte"
cat "$work/monte"

# One wrong digit in a table's last answer; in the Monte Carlo table in count 2 of the first run, which comes early.
# The Swift tests read the tables that these two programs do not name, and count their lines.
tables=0 spoilt=0 noticed=0
for table in "$vectors"/*.txt; do
  file=$(basename "$table")
  grep -q "[/\"]$file\"" "$clients/vectors.c" "$clients/monte_carlo.c" || continue
  tables=$((tables + 1))
  program=vectors more='' line=$(wc -l <"$table") field=3
  case $file in
    sm4-iterated.txt) program=monte_carlo more=0 ;;
    tdes-monte-carlo.txt) program=monte_carlo more=3 line=$(grep -n '^1 E 2 ' "$table" | cut -d: -f1) field=6 ;;
  esac
  rm -rf "$work/spoilt" && cp -r "$vectors" "$work/spoilt"
  awk -v line="$line" -v field="$field" '
    NR == line {sub(/.$/, $field ~ /0$/ ? "1" : "0", $field)}
    {print}' "$table" >"$work/spoilt/$file"
  cmp -s "$table" "$work/spoilt/$file" || spoilt=$((spoilt + 1))
  # shellcheck disable=SC2086
  if "$work/$program" "$work/spoilt" $more >"$work/out" 2>&1; then
    echo "a wrong answer in $file went unnoticed" >&2
  elif grep -q "$file\|monte_carlo.c:.*block" "$work/out"; then
    noticed=$((noticed + 1))
  else
    echo "$program fails, but not for $file" >&2
    tail -n 20 "$work/out" >&2
  fi
done
echo "wrong answers planted: $spoilt, noticed: $noticed"
[ "$spoilt" -eq "$tables" ] || fail "$spoilt of $tables tables were spoilt"
[ "$noticed" -eq "$spoilt" ] || fail "$noticed of $spoilt wrong answers were noticed"

# How many lines of the tables with these names the programs report.
sum() { awk '{n += $1} END {print n + 0}'; }
ran() { sed -n "s/^\($1\)\.txt: \([0-9]*\) known answers\$/\2/p" "$work/vectors-portable" | sum; }
count_paths=$(echo "$paths" | wc -w)
nist=$(ran 'des-variable-plaintext\|des-variable-key\|des-initial-permutation\|des-permutation\|des-substitution')
[ "$nist" -eq 235 ] || fail "NIST SP 800-20 has 235 lines of known answers, and $nist ran"
claim "DES and 3DES give NIST SP 800-20's known answers both ways" "$nist, as DES and as 3DES of 16 and 24 bytes"
claim "DES and 3DES of 1-10 blocks give known answers" "$(ran 'des-multi-block\|tdes-.*') messages"
runs=$(sed -n 's/^Monte Carlo, .*: \([0-9]*\) runs of 400 x 10000$/\1/p' "$work/monte" | sum)
[ "$runs" -eq 8 ] || fail "expected 8 Monte Carlo runs, and $runs ran"
claim "DES and 3DES give NIST's Monte Carlo answers, 1, 2 and 3 keys, both directions" \
  "$(grouped $((runs * 4000000))) blocks"
claim "SM4 gives the answers of GB/T 32907 and draft-ribose-cfrg-sm4, and OpenSSL's" \
  "4 and $(($(ran sm4) - 4)) texts x $count_paths paths"
sm4=$(cat "$work"/iterated-* | sed -n 's/^monte_carlo: \([0-9]*\) blocks$/\1/p' | sum)
claim "SM4 a million times gives the standard's answer both ways" "$(grouped "$sm4") blocks, $count_paths paths"
claim "a wrong known answer is noticed" "$noticed of $spoilt tables"
