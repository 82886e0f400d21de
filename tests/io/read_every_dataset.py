"""Reads every dataset of a stored result with h5py and compares it with the CSV file of the run."""

import csv
import json
import sys

import h5py
import numpy


def close(a, b):
    return a == b or (numpy.isnan(a) and numpy.isnan(b))


def main(h5, table):
    seen = {}
    with h5py.File(h5, "r") as file:
        file.visititems(
            lambda name, item: seen.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None
        )
        attributes = {name: dict(file[name].attrs) for name in seen}
    assert file.id.valid == 0
    rows = len(seen["time"])
    assert rows == 41, rows
    description = json.loads(bytes(seen["description"]))
    certificate = json.loads(bytes(seen["certificate"]))
    assert bytes(seen["model"]).startswith(b"kardan: 1")
    assert certificate["reason"] == "finished"
    assert len(seen["steps"]) == certificate["steps"] + 1
    assert seen["steps"]["time"][-1] == certificate["t_reached"]
    assert len(seen["events"]) == len(certificate["events"])
    for stored, told in zip(seen["events"], certificate["events"]):
        assert stored["time"] == told["t"]
        assert seen["names/events"][stored["event"]].decode() == told["event"]

    flat = []
    for block in description["blocks"]:
        data = seen[block["name"]]
        assert data.dtype == numpy.float64 and len(data) == rows, block["name"]
        units = [unit.decode() for unit in attributes[block["name"]]["units"]]
        assert units == block["units"], block["name"]
        if block["items"]:
            names = [name.decode() for name in seen["names/" + block["name"]]]
            assert names == block["items"] and data.shape[1] == len(names), block["name"]
        flat.append(data.reshape(rows, -1))
    flat = numpy.concatenate(flat, axis=1)

    with open(table, newline="") as file:
        lines = list(csv.reader(file))
    assert len(lines) == rows + 1
    columns = description["columns"]
    for place, column in enumerate(columns):
        assert lines[0][place].split(" [")[0] == column["name"]
        for row in range(rows):
            assert close(float(lines[row + 1][place]), flat[row, column["at"]]), column["name"]
    print(f"{len(seen)} datasets, {len(columns)} columns, {rows} rows")


main(*sys.argv[1:])
