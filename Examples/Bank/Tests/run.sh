#!/bin/sh
# Tests the example bank as its clients and its attackers use it.
#
#     sh Examples/Bank/Tests/run.sh BANK             four minutes on two processors that are idle
#     sh Examples/Bank/Tests/run.sh BANK --full      10,000 logins, 100,000 bodies, the table of figures in earnest;
#                                                    twenty minutes
#     SEED=n repeats a failed run, whose seed was printed
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
BANK_PROGRAM=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
PYTHONDONTWRITEBYTECODE=1
export BANK_PROGRAM PYTHONDONTWRITEBYTECODE
logins=1000 rounds=1 bodies=10000 searches=4
case ${2:-} in
--full) logins=10000 rounds=5 bodies=100000 searches=30 ;;
'') ;;
*) echo "run.sh: unknown option $2" >&2; exit 1 ;;
esac
python3 "$here/protocol.py"
python3 "$here/accounts.py"
python3 "$here/opaque.py"
python3 "$here/recorded.py"
python3 "$here/fido.py"
python3 "$here/operations.py"
python3 "$here/deploying.py"
python3 "$here/floods.py"
python3 "$here/hostile.py" --bodies "$bodies"
python3 "$here/slow.py"
python3 "$here/memory.py" --searches "$searches"
python3 "$here/storm.py" --logins "$logins"
python3 "$here/cluster.py" --rounds "$rounds"
[ "${2:-}" != --full ] || python3 "$here/table.py" --seconds 20
