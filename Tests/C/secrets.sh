#!/bin/sh
# Runs Tests/C/secrets.c under valgrind, on each path of SM4 that valgrind can execute (it supports neither GFNI nor
# AVX-512). The only branches that may depend on a secret are the verdicts: on whether a padding is right, one for a
# single password, one for a batch; for sealed texts on a key and a tag; for PIN blocks on a field, or on what is typed;
# for signatures on a key and a nonce; for OPAQUE on setup, record and messages; and whether a passcode is the same as
# another one. Addresses of Argon2id depend on the password. Before that, ML-KEM and RSA are searched for divisions, and
# RSA in AVX-512, which valgrind does not know, is read with its secrets unknown (Tests/Proofs/constant_time.py).
#
#     sh Tests/C/secrets.sh BUILD_DIR          needs valgrind
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?the directory of libcustomkeyboard.a}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The static library, for the names of the functions in the report.
"${CC:-cc}" -std=c11 -O2 -I"$here/../../Include" -o "$work/secrets" \
  "$here/secrets.c" "$build/libcustomkeyboard.a" \
  -lmbedcrypto
# A division takes a time that depends on its numbers, which valgrind does not see ("KyberSlash"): ML-KEM and RSA have
# none. The control is a division by a number that the compiler does not know.
printf 'unsigned KeyboardLattice(unsigned one, unsigned other) { return one / other; }' >"$work/control.c"
"${CC:-cc}" -O2 -c -o "$work/control.o" "$work/control.c"
divisions() {
  objdump --disassemble --no-show-raw-insn "$1" | awk '
    /^[0-9a-f]+ <.*>:$/ {inside = /KeyboardLattice|KeyboardRSA/; functions += inside}
    inside && $2 ~ /^[a-z]*div/ {print "a division: " $0}
    END {exit functions < 1}'
}
[ -n "$(divisions "$work/control.o")" ] || { echo "timing: no division is found" >&2; exit 1; }
found=$(divisions "$build/libcustomkeyboard.a")
[ -z "$found" ] || { echo "timing, ML-KEM or RSA: branches, or $found" >&2; exit 1; }
if [ "$(uname -m)" = x86_64 ]; then
  python3 -B "$here/../Proofs/constant_time.py" "$build/customkeyboard.o" --only "decrypt, AVX-512" \
    >"$work/out" 2>&1 || { sed 's/^/timing, RSA in AVX-512: branches, or /' "$work/out" >&2; exit 1; }
fi

for path in portable aesni; do
  if ! CUSTOM_KEYBOARD_SM4=$path valgrind --error-limit=no --max-stackframe=70000 "$work/secrets" \
    >"$work/out" 2>"$work/report"; then
    cat "$work/out" "$work/report" >&2
    exit 1
  fi
  # The functions that valgrind reported, each as often as there are places in it.
  awk '/(Conditional jump|Use of uninitialised)/ {getline; print $3, $4}' "$work/report" |
    sort -u | cut -d " " -f 2 | sort | uniq -c >"$work/places"
  if ! awk '
    $2 == "main" || $2 == "look_up" {found = 1; next} # the control
    $2 ~ /11KeyboardECB7decrypt_|14decryptChecked/ && $1 <= 1 {next}
    $2 ~ /(5|10Short)Lanes.*3run/ && $1 <= 1 {next}
    $2 ~ /15KeyboardSealing17unsealToWorkspace_/ && $1 <= 1 {next} # a private key in range, before it is copied …
    $2 ~ /10SealedTextV8checkKey/ && $1 <= 1 {next} # … and after
    $2 ~ /10SealedTextV6unseal/ && $1 <= 1 {next} # whether a text is right
    $2 ~ /11SealedBatchV4open/ && $1 <= 2 {next} # whether a text of many is right: its tag, and for SM2 its check
    $2 ~ /11SealedBatchV7prepare/ && $1 <= 1 {next} # a private key in range
    $2 ~ /10unsealEach/ && $1 <= 1 {next} # a private key in range, before it is copied
    $2 ~ /12SealedMemoryV10openByHPKE/ && $1 <= 1 {next} # a point of low order, and the tag
    $2 ~ /10SealedTextV13makePublicKey/ && $1 <= 1 {next} # a private key in range
    $2 ~ /SM4GCMO4open/ && $1 <= 1 {next} # the tag
    $2 ~ /6AESGCMV4open/ && $1 <= 1 {next} # the tag
    $2 ~ /6RSAKeyV5check/ && $1 <= 1 {next} # whether the numbers of a private key belong together
    $2 ~ /12PrivatePowerV3run/ && $1 <= 1 {next} # whether its power is right
    $2 ~ /6HandleV13checkVerifier/ && $1 <= 1 {next} # whether a passcode is that of a verifier
    $2 ~ /10SigningWay.*15signatureLength/ && $1 <= 1 {next} # a private key in range
    $2 ~ /8VerifierV5check|15lendingPassword/ && $1 <= 1 {next} # whether a passcode is that of a verifier
    $2 ~ /10SealedTextV7decrypt/ && $1 <= 1 {next} # the tag
    $2 ~ /8makeOnce/ && $1 <= 1 {next} # a private key in range, before it is copied
    $2 ~ /8signOnce/ && $1 <= 1 {next} # a private key in range
    $2 ~ /10SigningWay.*4sign/ && $1 <= 1 {next} # a nonce that gives a signature
    $2 ~ /15hasSamePassword/ && $1 <= 1 {next} # whether two passcodes are the same, told inside and …
    $2 ~ /CustomKeyboardC0aB8_compare/ && $1 <= 1 {next} # … outside
    $2 ~ /CustomKeyboardC0aB14_checkVerifier/ && $1 <= 1 {next} # whether a passcode is that of a verifier
    $2 ~ /14KeyboardOPAQUE0B0O(5check|6answer|7respond)/ && $1 <= 2 {next} # whether setup and messages are right
    $2 ~ /14KeyboardOPAQUE4OPRFV9deriveKey_/ && $1 <= 1 {next} # whether a derived key is 0
    $2 ~ /6HandleV8endLogin/ && $1 <= 1 {next} # whether a login is right
    $2 ~ /10Argon2Fill|10Argon2AVX2|KeyboardArgon2AVX2/ && $1 <= 2 {next} # addresses of Argon2id, as RFC 9106 has them
    $2 ~ /6CodingV13sampleUniform_/ && $1 <= 4 {next} # the matrix of ML-KEM, from a seed that is public …
    $2 ~ /8MLKEM768V12sampleMatrix/ && $1 <= 2 {next} # … and how much of it there is yet
    $2 ~ /11KeyboardPIN18decryptToWorkspace_/ && $1 <= 1 {next} # whether a key of 3DES is one, a PIN block right
    $2 ~ /0B5StateV12makePINBlock_/ && $1 <= 1 {next} # whether what is typed is a PIN
    # A PIN that was received is masked and read as every text is, after the verdict: how long it is shows.
    $2 ~ /0B5StateV7receive_/ && $1 <= 2 {next}
    $2 ~ /14CustomKeyboard10Characters/ && $1 <= 5 {next}
    $2 ~ /11MaskedBytesV(5store_|6unmask)/ && $1 <= 5 {next}
    $2 == "memset" && $1 <= 6 {next} # wipes it
    $2 ~ /GraphemeBreak/ && $1 <= 1 {next}
    $2 ~ /^mbedtls_des_/ {next} # 3DES of PIN blocks looks up tables
    $2 ~ /^mbedtls_chachapoly_auth_decrypt$/ && $1 <= 1 {next} # the tag
    {bad = 1}
    END {exit bad || !found}' "$work/places"; then
    echo "timing, $path path: branches or addresses on secrets, by function:" >&2
    cat "$work/places" "$work/report" >&2
    exit 1
  fi
  echo "timing, $path path: $(tail -n 1 "$work/out")"
done
