"""Opens results whose runs were killed, as a tool would, and reads what was flushed."""

import sys

import h5py

for path in sys.argv[1:]:
    with h5py.File(path, "r", swmr=True) as file:
        rows = len(file["time"])
        for name in ("time", "poses", "velocities", "accelerations", "energies"):
            assert len(file[name][:rows]) == rows, (path, name)
        assert len(bytes(file["model"][:])) > 100
        file["steps"][:]
