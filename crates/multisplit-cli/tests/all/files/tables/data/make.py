"""Makes the tables of this folder, as pyarrow writes them: python3 make.py, with pyarrow 26 and pandas."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

ROWS = 8
ages = [31, 7, 64, 31, 18, 7, 90, 45]
people = pa.table(
    {
        "name": ["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"],
        "age": pa.array(ages, pa.int32()),
        "born": pa.array([datetime.date(2024 - age, 5, 1) for age in ages]),
        "seen": pa.array([1_700_000_000_000_000 - 977 * age for age in ages], pa.timestamp("us", "Europe/Paris")),
        "score": pa.array([1.5, None, -2.0, 1e3, None, 0.25, 8.0, 3.0]),
        "paid": pa.array([decimal.Decimal(n) / 100 for n in [1250, -5, 0, 99, 100000, 700, 1249, 3]],
                         pa.decimal128(10, 2)),
        "city": pa.array(["Rome", "Oslo", "Rome", None, "Lima", "Oslo", "Rome", "Lima"]).dictionary_encode(),
        "tags": pa.array([["a"], [], None, ["b", "c"], ["a"], [None], ["d"], []], pa.list_(pa.string())),
        "home": pa.array([{"x": i, "y": None if i % 3 else f"street {i}"} for i in range(ROWS)]),
        "nothing": pa.nulls(ROWS),
    },
).replace_schema_metadata({"made by": "make.py"})
pq.write_table(people, "people.parquet", row_group_size=3)
feather.write_feather(people, "people.feather", compression="lz4", chunksize=3)
with ipc.new_stream("people.arrows", people.schema) as stream:
    stream.write_table(people, max_chunksize=3)

ages = people.select(["age"])
for codec in ["zstd", "brotli", "gzip", "lz4"]:
    pq.write_table(ages, f"{codec}.parquet", compression=codec)
feather.write_feather(ages, "zstd.feather", compression="zstd")
try:
    feather.write_feather(ages, "old.feather", version=1)
except (TypeError, ValueError):
    open("old.feather", "wb").write(b"FEA1\0\0\0\0")  # newer versions of pyarrow do not write it


class Keys(pe.KmsClient):
    """Keeps no secret."""

    def wrap_key(self, key_bytes, master_key_identifier):
        return key_bytes.hex()

    def unwrap_key(self, wrapped_key, master_key_identifier):
        return bytes.fromhex(wrapped_key)


factory = pe.CryptoFactory(lambda configuration: Keys())
for name, plain in [("encrypted", False), ("half-encrypted", True)]:
    configuration = pe.EncryptionConfiguration(
        footer_key="footer", column_keys={"column": ["age"]}, plaintext_footer=plain
    )
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), configuration)
    with pq.ParquetWriter(f"{name}.parquet", ages.schema, encryption_properties=properties) as writer:
        writer.write_table(ages)
