# SPDX-License-Identifier: BSD-2-Clause
"""One application of Spark in the testbed: KIND PARTITIONS FOLDER TEXTS.

Only what runs in the executors' own Java is used: no processes of Python on the slaves. Nothing is written but
what Spark keeps on the slaves' disks, and nothing is read but the text that is counted.
"""
import sys

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

ROWS = {"write": 400_000, "small-write": 100_000, "sort": 300_000}  # of some 500 bytes


def records(spark, kind, partitions):
    """Rows that do not compress: seven digests each."""
    digests = [f.sha2(f.concat(f.col("id").cast("string"), f.lit(str(k))), 256) for k in range(7)]
    return spark.range(0, ROWS[kind], 1, partitions).select(f.concat(*digests).alias("record"))


def main():
    kind, partitions, folder, texts = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    spark = SparkSession.builder.appName(kind).getOrCreate()
    if kind.endswith("write"):
        records(spark, kind, partitions).persist(StorageLevel.DISK_ONLY).count()
    elif kind == "sort":
        records(spark, kind, partitions).sort("record").write.format("noop").mode("overwrite").save()
    else:
        lines = spark.read.text([f"{folder}/part-{k}" for k in range(texts)])
        words = lines.select(f.explode(f.split("value", " ")).alias("word")).groupBy("word").count()
        words.write.format("noop").mode("overwrite").save()
    spark.stop()


main()
