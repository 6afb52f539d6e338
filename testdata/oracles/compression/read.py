"""Reads FILE with READER, as read.mjs does.

usage: python3 read.py READER FILE
"""
import gzip, hashlib, io, json, platform, sys

reader, file = sys.argv[1:]
data = open(file, "rb").read()
python = platform.python_version()
try:
    import zstandard
except ImportError:
    zstandard = None
readers = {"gzip.decompress": (python, lambda: gzip.decompress(data)), "gzip.open": (python, lambda: gzip.open(file).read())}
if zstandard:
    readers["zstandard decompress"] = (zstandard.__version__, lambda: zstandard.ZstdDecompressor().decompress(data))
    readers["zstandard stream_reader"] = (zstandard.__version__, lambda: zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read())
    readers["zstandard.open"] = (zstandard.__version__, lambda: zstandard.open(file).read())
if reader in readers:
    version, read = readers[reader]
    try:
        content = read()
        print(json.dumps({"version": version, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}))
    except Exception as error:
        print(json.dumps({"version": version, "error": str(error)}))
