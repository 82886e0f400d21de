"""Stored results as strangers may make them: valid HDF5 files with a fitting seal that are not what Kardan
writes. `python3 hostile_results.py RESULT.h5 FOLDER` writes them all beside a list, hostile.json."""

import json
import os
import shutil
import struct
import sys
import zlib

import h5py
import numpy

SEAL_BYTES = 512
SECRET = "the quick brown secret 4711"
ROWS = 10**13


def seal(path, state="complete"):
    """Writes the head that makes the file one of Kardan's as far as length and checksum tell."""
    with open(path, "rb") as file:
        bytes_ = file.read()
    checksum = zlib.crc32(bytes_[SEAL_BYTES:]) if state == "complete" else 0
    lines = f"KARDAN RESULT 1\nstate {state}\nbytes {len(bytes_)}\nrows 1\nchecksum {checksum:08x}\n"
    lines += f"seal {zlib.crc32(lines.encode()):08x}\n"
    with open(path, "r+b") as file:
        file.write(lines.encode().ljust(SEAL_BYTES, b"\0"))


def packed(**more):
    """How Kardan packs a dataset, with changes."""
    return {"shuffle": True, "compression": "gzip", "compression_opts": 4, "fletcher32": True} | more


def replace(file, name, data=None, **how):
    if name in file:
        del file[name]
    return file.create_dataset(name, data=data, **how)


def put_text(file, name, text):
    data = numpy.frombuffer(text if isinstance(text, bytes) else text.encode(), dtype="u1")
    replace(file, name, data, maxshape=(None,), chunks=(4096,), **packed())


def text_of(file, name):
    return bytes(file[name][:]).decode()


def described(file, change):
    description = json.loads(text_of(file, "description"))
    change(description)
    put_text(file, "description", json.dumps(description))


def block(description, name):
    return next(b for b in description["blocks"] if b["name"] == name)


def series(file, name, data, **more):
    shape = (None, *data.shape[1:])
    return replace(file, name, data, maxshape=shape, chunks=(64, *data.shape[1:]), **packed(**more))


def unwritten(file, name, rows):
    """A dataset of many rows without one byte of data."""
    old = file[name]
    shape, inner, dtype = (rows, *old.shape[1:]), old.shape[1:], old.dtype
    replace(file, name, None, shape=shape, dtype=dtype, maxshape=(None, *inner), chunks=(64, *inner), **packed())


def fletcher32(data):
    one = two = 0
    for i in range(0, len(data) - 1, 2):
        one = (one + (data[i] << 8 | data[i + 1])) % 65535
        two = (two + one) % 65535
    if len(data) % 2:
        one = (one + (data[-1] << 8)) % 65535
        two = (two + one) % 65535
    return struct.pack("<I", two << 16 | one)


def chunk_of(file, name, body, mask=0, rows=64):
    """A dataset of one chunk with these bytes as it is stored."""
    set_ = replace(file, name, None, shape=(rows,), dtype="<f8", maxshape=(None,), chunks=(rows,), **packed())
    set_.id.write_direct_chunk((0,), body, mask)


def bomb(file):
    body = zlib.compress(bytes(1 << 26), 6)
    chunk_of(file, "time", body + fletcher32(body))


# --- datasets ----------------------------------------------------------------------------------------


def many_rows(file):
    described(file, lambda d: None)
    for name in [b["name"] for b in json.loads(text_of(file, "description"))["blocks"]]:
        unwritten(file, name, ROWS)


def steps_as(file, **types):
    old = file["steps"]
    dtype = numpy.dtype([(n, types.get(n, "<f8")) for n in old.dtype.names])
    data = numpy.zeros(len(old), dtype)
    series(file, "steps", data)


def step_value(file, value):
    data = file["steps"][:]
    data["rejected"][0] = value
    series(file, "steps", data)


def poses_of(components, file):
    def change(d):
        block(d, "poses").update(components=["x"] * components, units=["m"] * components)
        places = sum(max(1, len(b["items"])) * max(1, len(b["components"])) for b in d["blocks"])
        for column in d["columns"]:
            column["at"] = min(column["at"], places - 1)

    old = file["poses"][:]
    described(file, change)
    series(file, "poses", numpy.zeros(old.shape[:2] + ((components,) if components else ())))


def external_storage(file, secret):
    del file["model"]
    file.create_dataset("model", shape=(os.path.getsize(secret),), dtype="u1", external=[(secret, 0, h5py.h5f.UNLIMITED)])


def external_link(file, other):
    with h5py.File(other, "w") as more:
        put_text(more, "model", SECRET)
    del file["model"]
    file["model"] = h5py.ExternalLink(other, "/model")


def soft_link(file, name, to):
    del file[name]
    file[name] = h5py.SoftLink(to)


def virtual(file, other):
    rows = len(file["time"])
    with h5py.File(other, "w") as more:
        more["time"] = numpy.zeros(rows)
    layout = h5py.VirtualLayout(shape=(rows,), dtype="<f8", maxshape=(None,))
    layout[:] = h5py.VirtualSource(other, "time", shape=(rows,))
    del file["time"]
    file.create_virtual_dataset("time", layout)


def group_instead(file):
    del file["time"]
    file.create_group("time")


def type_instead(file):
    del file["time"]
    file["time"] = numpy.dtype("<f8")


DATASETS = {
    "time of rank 2": lambda f: series(f, "time", numpy.ones((len(f["time"]), 4000))),
    "time of rank 0": lambda f: replace(f, "time", 1.0),
    "time of rank 32": lambda f: replace(f, "time", numpy.zeros((1,) * 32), chunks=(1,) * 32, **packed()),
    "time of single precision": lambda f: series(f, "time", f["time"][:].astype("<f4")),
    "time in the other order of bytes": lambda f: series(f, "time", f["time"][:].astype(">f8")),
    "time of texts": lambda f: replace(f, "time", ["a"] * 41, dtype=h5py.string_dtype(), maxshape=(None,)),
    "time of references": lambda f: replace(f, "time", [f["steps"].ref] * 9, dtype=h5py.ref_dtype, maxshape=(None,)),
    "time that is not there": lambda f: f.__delitem__("time"),
    "time that is a group": group_instead,
    "time that is a type": type_instead,
    "steps of rank 2": lambda f: series(f, "steps", numpy.zeros((len(f["steps"]), 4000), f["steps"].dtype)),
    "steps of numbers": lambda f: series(f, "steps", numpy.zeros(len(f["steps"]))),
    "steps with a member of texts": lambda f: steps_as(f, error="S400"),
    "steps with integers": lambda f: steps_as(f, rejected="<i8"),
    "steps with a count that is none": lambda f: step_value(f, numpy.nan),
    "steps with a count beyond integers": lambda f: step_value(f, 1e300),
    "poses of one component": lambda f: poses_of(1, f),
    "poses of no component": lambda f: poses_of(0, f),
    "poses of eight components": lambda f: poses_of(8, f),
    "poses narrower than described": lambda f: series(f, "poses", f["poses"][:][:, :, :1]),
    "10^13 rows": many_rows,
    "10^13 times": lambda f: unwritten(f, "time", ROWS),
    "10^13 steps": lambda f: unwritten(f, "steps", ROWS),
    "a text of 10^13 bytes": lambda f: unwritten(f, "model", ROWS),
    "a chunk of a billion rows": lambda f: replace(
        f, "time", f["time"][:], maxshape=(None,), chunks=(1 << 28,), **packed()
    ),
    "a chunk that unpacks to 64 megabytes": bomb,
    "a chunk that is cut": lambda f: chunk_of(f, "time", b"x\x9c" + bytes(40)),
    "a chunk of four bytes": lambda f: chunk_of(f, "time", bytes(4)),
    "a chunk whose checksum is skipped": lambda f: chunk_of(f, "time", bytes(512), 4),
    "a chunk that is skipped by all filters": lambda f: chunk_of(f, "time", bytes(100), 7),
    "a chunk that unpacks to too little": lambda f: chunk_of(
        f, "time", (lambda b: b + fletcher32(b))(zlib.compress(bytes(100)))
    ),
    "another filter": lambda f: series(f, "time", f["time"][:], compression="lzf", compression_opts=None),
    "no filter": lambda f: replace(f, "time", f["time"][:], maxshape=(None,), chunks=(64,)),
    "contiguous storage": lambda f: replace(f, "time", f["time"][:]),
    "a soft link": lambda f: soft_link(f, "time", "/energies"),
    "a soft link to itself": lambda f: soft_link(f, "time", "/time"),
}


# --- texts -------------------------------------------------------------------------------------------


def set_in(which, **values):
    return lambda d: block(d, which).update(values)


def second_time(d):
    d["blocks"].append(dict(d["blocks"][0]))


def columns_at(place):
    return lambda d: [c.update(at=place) for c in d["columns"]]


DESCRIPTIONS = {
    "no blocks": lambda d: d.update(blocks=[]),
    "time behind others": lambda d: d["blocks"].reverse(),
    "two blocks of one name": second_time,
    "a block named like a path": set_in("poses", name="names/poses"),
    "a block named like another dataset": set_in("energies", name="steps"),
    "a block named by nothing": set_in("energies", name=""),
    "time with items": set_in("time", items=["a", "b"]),
    "a thousand components": set_in("energies", components=["c"] * 1000),
    "more items than rows hold": set_in("poses", items=["b"] * 1000),
    "columns behind the row": columns_at(10**6),
    "columns before the row": columns_at(-1),
    "columns beyond integers": columns_at(2**40),
    "columns at a real number": columns_at(1e300),
    "columns at a text": columns_at("1"),
    "a scene that is a list": lambda d: d.update(scene=[1, 2]),
    "options that are a number": lambda d: d.update(asked=7),
    "no title": lambda d: d.pop("title"),
    "events that are numbers": lambda d: d.update(events=[1, 2]),
}

DEEP = "[" * 10**6
TEXTS = {
    "a description that is no JSON": ("description", "{"),
    "a description of not UTF-8": ("description", b'{"title": "\xff"}'),
    "a description that is deep": ("description", '{"title":' + DEEP),
    "an empty description": ("description", b""),
    "a certificate that is a list": ("certificate", "[]"),
    "a certificate that is no JSON": ("certificate", "{"),
    "a certificate that is deep": ("certificate", '{"a":' + DEEP + "]" * 10**6 + "}"),
    "an empty certificate": ("certificate", b""),
}

# What is read, by `run`, as a model; nothing of it may come from another file.
MODELS = {
    "a model that includes": "kardan: 1\ninclude: {secret}\nbodies: {{a: {{mass: 1}}}}\n",
    "a model that includes by an absolute path": "kardan: 1\ninclude: {folder}/{secret}\n",
    "a model that includes with a zero byte": 'kardan: 1\ninclude: "{folder}/{secret}\\0/../x"\n',
    "a model that is no YAML": "kardan: [",
}


def hostile(folder, result):
    """(name, command, path): files of which nothing may be read, by `view` or by `run`."""
    secret = os.path.join(folder, "secret.txt")
    with open(secret, "w") as file:
        file.write(f"parameters: {{a: {SECRET}}}\n")
    made = []

    def make(name, command, change):
        path = os.path.join(folder, name.replace(" ", "_").replace("^", "") + ".h5")
        shutil.copy(result, path)
        with h5py.File(path, "r+", libver="latest") as file:
            change(file)
        seal(path)
        made.append((name, command, path))

    for name, change in DATASETS.items():
        make(name, "view", change)
    make("external storage", "view", lambda f: external_storage(f, secret))
    make("an external link", "view", lambda f: external_link(f, os.path.join(folder, "other.hdf")))
    make("a virtual dataset", "view", lambda f: virtual(f, os.path.join(folder, "more.hdf")))
    for name, change in DESCRIPTIONS.items():
        make(name, "view", lambda f, change=change: described(f, change))
    for name, (where, text) in TEXTS.items():
        make(name, "view", lambda f, where=where, text=text: put_text(f, where, text))
    for name, text in MODELS.items():
        model = text.format(folder=folder, secret="secret.txt")
        make(name, "run", lambda f, model=model: put_text(f, "model", model))
    return made


def main(result, folder):
    made = hostile(folder, result)
    with open(os.path.join(folder, "hostile.json"), "w") as file:
        json.dump([{"name": n, "command": c, "path": p} for n, c, p in made], file)


if __name__ == "__main__":
    main(*sys.argv[1:])
