#!/bin/sh
# Tests `keyboard migrate` with Parquet. DuckDB's program, which the tool runs, and pyarrow, which knows Parquet without
# it, come from PyPI.
#
#     sh Tests/Tool/parquet.sh KEYBOARD BUILD_DIR [GROUP...]          one minute; THOROUGH=1, KILLS=n as for migrate.py
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
keyboard=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2"
venv=$(cd "$2" && pwd)/parquet
shift 2
if [ ! -e "$venv/ready" ]; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" --quiet --disable-pip-version-check install duckdb-cli pyarrow
  touch "$venv/ready"
fi
DUCKDB=$venv/bin/duckdb
export DUCKDB
exec "$venv/bin/python" -B "$here/parquet.py" "$keyboard" "$@"
