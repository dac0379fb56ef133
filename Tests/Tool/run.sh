#!/bin/sh
# Tests the tool `keyboard` as a person and a shell use it: its pad in its own terminal, its commands in pipes.
#
#     sh Tests/Tool/run.sh KEYBOARD       SEED=n repeats a failed run, whose seed was printed
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
keyboard=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
python3 "$here/commands.py" "$keyboard"
python3 "$here/sealing.py" "$keyboard"
python3 "$here/payments.py" "$keyboard"
python3 "$here/keys.py" "$keyboard"
python3 "$here/passcodes.py" "$keyboard"
python3 "$here/pad.py" "$keyboard"
python3 "$here/migrate.py" "$keyboard"
python3 "$here/vault.py" "$keyboard"
python3 "$here/vault_passcodes.py" "$keyboard"
python3 "$here/fido.py" "$keyboard"
python3 "$here/manual.py" "$keyboard"
python3 "$here/completions.py" "$keyboard"
