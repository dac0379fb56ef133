#!/usr/bin/env python3
"""A bank's stored ECB texts to verifiers, on an Apache Spark cluster: what `keyboard migrate` does on one machine.

    spark-submit migrate.py --table table.parquet --out folder --key-file /etc/bank/ecb.hex

The package customkeyboard (`make wheel`) is installed on each machine, and the files of keys are there, with the rights
0600: only their names travel. Run it again if it was stopped: it goes on with the rows that are not committed. In the
folder, `committed` has a part for each chunk that is complete, with the columns id, verifier and reason; at the end
`verifiers` has the rows that were done, and `refused` the others. Docs/Migration.md explains the reasons.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import hashlib
import math
import os
import sys
import uuid

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

BATCH = 256  # rows that a worker gets at a time, at most: two to five seconds of Argon2id
ROWS_OF_A_TASK = 1024
SCHEMA = "id string, verifier string, reason string"
MALFORMED = "row that is not well formed"  # the name of a column that no table has
# CSV as `keyboard migrate` reads it. Without multiLine, the inside of a quoted field would be read as rows: a person
# who fills one column could make a row for another account. If a row has another number of fields, Spark keeps its
# bytes in a column of their own.
CSV = {"header": True, "quote": '"', "escape": '"', "multiLine": True, "mode": "PERMISSIVE", "enforceSchema": False,
       "columnNameOfCorruptRecord": MALFORMED}  # fmt: skip


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--table", required=True, help="Parquet; or CSV with a header, if the name ends in .csv")
    parser.add_argument("--out", required=True, help="a folder of the cluster's file system")
    parser.add_argument("--id-column", default="id")
    parser.add_argument("--text-column", default="ciphertext", help="texts, or bytes")
    parser.add_argument("--way", default="sm4", choices=["sm4", "3des", "des", "verifier"],
                        help="the algorithm; verifier: they are verifiers, which are checked and passed on")
    parser.add_argument("--key-file", default="", help="on each machine: hexadecimal digits, base64url or bytes, 0600")
    parser.add_argument("--encoding", default="hex", choices=["hex", "base64"])
    parser.add_argument("--pepper-file", default="", help="on each machine: hexadecimal digits, 0600")
    parser.add_argument("--group", action="store_true",
                        help="a group of the workers may read these files too, as secrets of containers: 0440, 0640")
    parser.add_argument("--pepper-per-id", action="store_true", help="HMAC-SHA-256 of the id under the pepper")
    parser.add_argument("--seal-to", default="", metavar="HEX",
                        help="make sealed texts for this public key; of RSA, its DER")
    parser.add_argument("--seal-way", default="x25519", choices=["x25519", "p256", "sm2", "rsa", "xwing"])
    parser.add_argument("--context", default="", help="of the sealed texts; the id follows it")
    parser.add_argument("--chunk-rows", type=int, default=200_000, help="how many rows are committed together")
    parser.add_argument("--chunks", type=int, default=0, help="stop after so many chunks; 0: all")
    return parser.parse_args()


def worker(options):
    """What runs on the workers. It has the names of files, and no secret."""
    options = dict(vars(options))

    def migrate(batches):
        # Imported there: the machine that submits needs no customkeyboard.
        import pyarrow as pa
        from customkeyboard import Way
        from customkeyboard.migration import Migration, Settings

        # One for each task, which has a thousand rows: reading the files of keys takes much less than one of them.
        ways = {"sm4": Way.SM4, "3des": Way.TRIPLE_DES, "des": Way.DES, "verifier": None, "x25519": Way.X25519,
                "p256": Way.P256, "sm2": Way.SM2, "rsa": Way.RSA, "xwing": Way.XWING}  # fmt: skip
        migration = Migration(Settings(
            way=ways[options["way"]],
            key_file=options["key_file"],
            encoding=options["encoding"],
            pepper_file=options["pepper_file"],
            pepper_per_id=options["pepper_per_id"],
            seal_way=ways[options["seal_way"]] if options["seal_to"] else None,
            seal_to=bytes.fromhex(options["seal_to"]),
            context=options["context"].encode(),
            group=options["group"],
        ))
        for batch in batches:
            if batch.num_rows > BATCH:
                raise ValueError("a batch has more than %d rows" % BATCH)
            ids, texts, faults = (batch.column(place).to_pylist() for place in range(3))
            answers = [
                (None, fault) if fault else migration.row(row_id, text)
                for row_id, text, fault in zip(ids, texts, faults)
            ]
            yield pa.RecordBatch.from_arrays(
                [pa.array(ids, pa.string()), *(pa.array(column, pa.string()) for column in zip(*answers))],
                names=["id", "verifier", "reason"],
            )

    return migrate


class Folder:
    """The output, in any file system of Hadoop's. A chunk is committed when its folder has its name."""

    def __init__(self, spark, path):
        self._hadoop = spark._jvm.org.apache.hadoop.fs
        self.path = path
        self._system = self._path().getFileSystem(spark._jsc.hadoopConfiguration())

    def _path(self, *names):
        return self._hadoop.Path("/".join((self.path, *names)))

    def chunks(self):
        committed = self._path("committed")
        if not self._system.exists(committed):
            return []
        return sorted(status.getPath().toString() for status in self._system.listStatus(committed))

    def insist_on(self, settings):
        """Refuses other settings than those of an earlier run, of which an empty folder keeps a digest."""
        name = "settings-" + hashlib.sha256(settings.encode()).hexdigest()[:32]
        found = []
        if self._system.exists(self._path()):
            found = [status.getPath().getName() for status in self._system.listStatus(self._path())]
        if any(other.startswith("settings-") and other != name for other in found):
            sys.exit("migrate: give the same options as before, or another --out")
        self._system.mkdirs(self._path(name))

    def commit(self, name):
        self._system.mkdirs(self._path("committed"))
        if not self._system.rename(self._path("begun", name), self._path("committed", name)):
            raise OSError("the chunk %s cannot be renamed" % name)

    def remove(self, name):
        self._system.delete(self._path(name), True)


def rows_of(options, spark) -> DataFrame:
    """The table's rows as id, text and fault: the reason why a row is refused that is known without a key, or null."""
    names = [options.id_column, options.text_column]
    if not options.table.endswith(".csv"):
        source = spark.read.parquet(options.table)
        kind = dict(source.dtypes).get(options.text_column)
        if kind not in (None, "string", "binary"):
            sys.exit("migrate: the column %s has texts or bytes, and not values of the type %s" % (names[1], kind))
        return source.select(F.col(names[0]).cast("string").alias("id"), F.col(names[1]).alias("text")).withColumn(
            "fault", F.when(F.col("id").isNull(), "ID"))
    # Else Spark reads only the columns that are used, and cannot count the fields of a row.
    spark.conf.set("spark.sql.csv.parser.columnPruning.enabled", False)
    reader = spark.read.options(**CSV)
    columns = [column for column in reader.csv(options.table).columns if column != MALFORMED]
    fields = ", ".join("`%s` string" % column.replace("`", "``") for column in [*columns, MALFORMED])
    row_id, text = (F.col("`%s`" % name.replace("`", "``")) for name in names)
    # The id of a row with faults may be a part of another field. Spark reads U+FFFD for bytes that are not UTF-8.
    return reader.schema(fields).csv(options.table).select(
        row_id.alias("id"), F.coalesce(text, F.lit("")).alias("text"),
        F.when(F.col("`%s`" % MALFORMED).isNotNull(), "FIELDS")
        .when(row_id.contains("\n") | text.contains("\n"), "QUOTES")
        .when(row_id.isNull() | row_id.contains("\ufffd"), "ID").alias("fault"),
    ).withColumn("id", F.when(F.col("fault").isNull(), F.col("id")))


def left_of(table: DataFrame, committed: list, spark) -> DataFrame:
    """The rows of the table that are not committed.

    Of the rows with one id, as many as were committed are left out. Each further one is refused, because its id is
    taken. It does not matter which of them are left out: a row is worked on only if it is the only one with its id, and
    all others with one id give the same row of the output. The same is true of rows without an id that have one reason.
    """
    kind = F.when(F.col("id").isNull(), F.col("fault"))
    same = Window.partitionBy("id", kind)
    table = table.withColumn("times", F.count(F.lit(1)).over(same)).withColumn(
        "number", F.row_number().over(same.orderBy("id")))
    # Which of two rows with one id is right, nobody knows here: both are refused.
    table = table.withColumn("fault", F.when(F.col("fault").isNull() & (F.col("times") > 1), "DUPLICATE")
                             .otherwise(F.col("fault")))
    if committed:
        done = spark.read.schema(SCHEMA).parquet(*committed).select(
            F.col("id").alias("done"), F.when(F.col("id").isNull(), F.col("reason")).alias("why"))
        done = done.groupBy("done", "why").agg(F.count(F.lit(1)).alias("already"))
        is_same = table["id"].eqNullSafe(done["done"]) & F.when(
            table["id"].isNull(), table["fault"]).eqNullSafe(done["why"])
        table = table.join(done, is_same, "left").where(F.col("number") > F.coalesce("already", F.lit(0)))
    return table.select("id", "text", "fault")


def main():
    options = arguments()
    if options.way != "verifier" and not options.key_file:
        sys.exit("migrate: give --key-file with the key of the texts")
    if options.pepper_per_id and not options.pepper_file:
        sys.exit("migrate: give --pepper-file: --pepper-per-id makes the peppers of rows from that")
    if options.pepper_file and (options.seal_to or options.way == "verifier"):
        sys.exit("migrate: leave out --pepper-file: only new verifiers have a pepper")
    spark = SparkSession.builder.appName("customkeyboard migrate").getOrCreate()
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH)
    folder = Folder(spark, options.out)
    # All that the result of a row depends on. Names of files may change; what is in them must not.
    kept = ("id_column", "text_column", "way", "encoding", "pepper_per_id", "seal_to", "seal_way", "context")
    folder.insist_on(repr([(name, getattr(options, name)) for name in kept] + [bool(options.pepper_file)]))
    folder.remove("begun")

    left = left_of(rows_of(options, spark), folder.chunks(), spark)
    rows = left.count()  # computes no verifier
    count = math.ceil(rows / options.chunk_rows)
    print("migrate: %d rows are left, in %d chunks" % (rows, count), flush=True)
    for number in range(count if not options.chunks else min(count, options.chunks)):
        name = "chunk-%s" % uuid.uuid4().hex
        chunk = left.where(F.pmod(F.xxhash64("id"), F.lit(count)) == number)
        tasks = max(math.ceil(rows / count / ROWS_OF_A_TASK), spark.sparkContext.defaultParallelism)
        # The only action that computes verifiers; a second one would compute others, with other salts.
        answers = chunk.repartition(tasks).mapInArrow(worker(options), SCHEMA)
        answers.write.parquet(os.path.join(options.out, "begun", name))
        folder.commit(name)
        print("migrate: chunk %d of %d is committed" % (number + 1, count), flush=True)
    if options.chunks and options.chunks < count:
        return
    folder.remove("begun")
    if not folder.chunks():
        sys.exit("migrate: the table has no rows")
    # Split from what was committed: nothing is computed.
    committed = spark.read.schema(SCHEMA).parquet(*folder.chunks())
    committed.where("reason is null").select("id", "verifier").write.mode("overwrite").parquet(
        os.path.join(options.out, "verifiers"))
    committed.where("reason is not null").select("id", "reason").write.mode("overwrite").parquet(
        os.path.join(options.out, "refused"))
    refused = committed.where("reason is not null").count()
    print("migrate: %d rows are done, %d are refused" % (committed.count() - refused, refused), flush=True)
    spark.stop()


main()
