#!/bin/sh
# The Spark job on a cluster of two executors on this machine, with the wheel in a virtual environment. pyspark comes
# from PyPI.
#
#     sh Examples/spark-migrate/Tests/spark.sh BUILD_DIR [--rows N]          after `make wheel`; three minutes
#
# SPDX-License-Identifier: Apache-2.0
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
venv=$build/spark
# Pandas and pyarrow as pyspark 3.5 takes them.
if [ ! -e "$venv/ready" ]; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" --quiet --disable-pip-version-check install pyspark==3.5.7 pyarrow 'pandas<3' 'numpy<3' setuptools
  touch "$venv/ready"
fi
"$venv/bin/pip" --quiet --disable-pip-version-check install --force-reinstall --no-deps "$build"/wheel/*.whl
exec "$venv/bin/python" -B "$here/spark.py" "$@"
