"""Studies from Python: the bits of the program, on threads, on workers, after workers have died."""

import os
import shutil
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import kardan

MODEL = """kardan: 1
parameters: {A: 1, w: 3}
equations:
  positions: {x: A}
  velocities: {v: 0}
  mass: {v: 1}
  forces: {v: -w^2*x}
simulate: {t_end: 1, tolerance: 1e-7}
"""
STUDY = """kardan_study: 1
model: model.yaml
design: {type: sobol, runs: 64, seed: 3}
vary: {A: {type: uniform, from: 1, to: 2}, w: {type: normal, mean: 3, deviation: 0.2}}
keep: {end: final(x), most: max(v)}
require: [end > -1.5]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "model.yaml").write_text(MODEL)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def expected(folder) -> np.ndarray:
    """The rows that the program finds."""
    program = os.environ["KARDAN_BUILD_DIR"] + "/kardan"
    subprocess.run([program, "study", "study.yaml", "--out", "program.h5", "--quiet"], cwd=folder, check=True)
    return kardan.study(folder / "program.h5").rows


def test_it_finds_the_bits_of_the_program(folder):
    study = kardan.study(folder / "study.yaml")
    rows = expected(folder)
    assert study.rows.tobytes() == rows.tobytes()
    assert np.allclose(study["end"], study["A"] * np.cos(study["w"]), atol=1e-5)
    assert study.statistics.runs == 64
    assert study.statistics["values"]["end"]["mean"] == pytest.approx(study["end"].mean(), rel=1e-14)
    assert study.statistics.not_met["runs"] == (study["end"] <= -1.5).sum()
    assert set(study.reasons) == {"finished"}
    of_text = kardan.study({"design": {"type": "sobol", "runs": 64, "seed": 3},
                            "vary": {"A": {"type": "uniform", "from": 1, "to": 2},
                                     "w": {"type": "normal", "mean": 3, "deviation": 0.2}},
                            "keep": {"end": "final(x)", "most": "max(v)"}, "require": ["end > -1.5"]},
                           model=kardan.read(MODEL))
    assert of_text.rows.tobytes() == rows.tobytes()


def test_workers_of_a_pool_find_the_same(folder):
    with ProcessPoolExecutor(2) as pool:
        study = kardan.study(folder / "study.yaml", executor=pool, block=7)
    assert study.rows.tobytes() == expected(folder).tobytes()


def die_once(*arguments):
    """In the place of a block: the first worker that comes here dies as by kill -9."""
    flag = os.environ["KARDAN_DIES_ONCE"]
    try:
        os.remove(flag)
    except FileNotFoundError:
        return work(*arguments)
    os.kill(os.getpid(), 9)


# The package names its function study as its module.
module = sys.modules["kardan.study"]
work = module._work


def test_a_worker_that_dies_costs_its_block_which_is_done_again(folder, monkeypatch):
    flag = folder / "die"
    flag.touch()
    monkeypatch.setenv("KARDAN_DIES_ONCE", str(flag))
    monkeypatch.setattr(module, "_work", die_once)
    with ProcessPoolExecutor(2) as pool:
        study = kardan.study(folder / "study.yaml", executor=pool, block=5)
    assert not flag.exists()
    assert study.rows.tobytes() == expected(folder).tobytes()


def test_it_goes_on_where_it_stopped(folder):
    class Enough(Exception):
        pass

    def stop(done, of):
        if done >= 20:
            raise Enough

    out = folder / "s.h5"
    with pytest.raises(Enough):
        kardan.study(folder / "study.yaml", out, progress=stop)
    assert 20 <= len(kardan.study(out)) < 64
    with pytest.raises(FileExistsError):
        kardan.study(folder / "study.yaml", out)
    study = kardan.study(folder / "study.yaml", out, resume=True)
    assert study.rows.tobytes() == expected(folder).tobytes()
    (folder / "study.yaml").write_text(STUDY.replace("seed: 3", "seed: 4"))
    with pytest.raises(kardan.ModelError, match="another study"):
        kardan.study(folder / "study.yaml", out, resume=True)


def test_faults_have_their_place(folder):
    (folder / "study.yaml").write_text(STUDY.replace("w: {type", "q: {type"))
    with pytest.raises(kardan.ModelError, match=r"study.yaml:4:\d+: error\[study.parameter\]"):
        kardan.study(folder / "study.yaml")


def test_tables_for_others(folder):
    pandas = pytest.importorskip("pandas")
    study = kardan.study(folder / "study.yaml")
    frame = study.frame()
    assert list(frame.columns) == study.columns and frame.index.name == "run"
    assert frame["end"].to_numpy().tobytes() == study["end"].tobytes()
    study.write(folder / "s.csv")
    back = pandas.read_csv(folder / "s.csv", index_col="run", float_precision="round_trip")
    assert np.array_equal(back["end"], study["end"])
    with pytest.raises(ValueError, match=".csv or .parquet"):
        study.write(folder / "s.xls")


def test_tables_in_parquet(folder):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    study = kardan.study(folder / "study.yaml")
    study.write(folder / "s.parquet")
    assert np.array_equal(pandas.read_parquet(folder / "s.parquet")["end"], study["end"])


def test_a_dataset_of_xarray(folder):
    pytest.importorskip("xarray")
    data = kardan.study(folder / "study.yaml").dataset()
    assert data["end"].dims == ("run",) and data.sizes["run"] == 64
    assert data.attrs["parameters"] == ["A", "w"]


def test_workers_of_mpi(folder):
    """Where they are installed."""
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun")
    pytest.importorskip("mpi4py")
    script = folder / "script.py"
    script.write_text("import sys, kardan\n"
                      "from mpi4py.futures import MPIPoolExecutor\n"
                      "if __name__ == '__main__':\n"
                      "    with MPIPoolExecutor() as pool:\n"
                      "        kardan.study('study.yaml', 'mpi.h5', executor=pool, block=4)\n")
    subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", "/usr/bin/python3", "-m",
                    "mpi4py.futures", str(script)], cwd=folder, check=True, timeout=120)
    assert kardan.study(folder / "mpi.h5").rows.tobytes() == expected(folder).tobytes()


def test_workers_of_dask(folder):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        study = kardan.study(folder / "study.yaml", executor=client.get_executor(), block=8)
    assert study.rows.tobytes() == expected(folder).tobytes()


def test_sobol_indices_are_those_of_openturns(folder):
    """On the same sample. OpenTURNS divides by the variance of the points A and takes differences from the mean of
    all values; Kardan by that of A and B together, and from their mean. Told apart, the rest is equal to rounding."""
    ot = pytest.importorskip("openturns")
    (folder / "model.yaml").write_text(MODEL.split("equations")[0].replace("{A: 1, w: 3}", "{a: 0, b: 0, c: 0}") + """
equations:
  positions: {x: 0}
  velocities: {v: sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a)}
  mass: {v: 1}
  forces: {v: 0}
simulate: {t_end: 1, tolerance: 1e-6}
""")
    rows = 256
    uniform = {"type": "uniform", "from": "-pi", "to": "pi"}
    study = kardan.study({"design": {"type": "sensitivity", "rows": rows}, "keep": {"y": "final(x)"},
                          "vary": {"a": uniform, "b": uniform, "c": uniform}},
                         model=kardan.load(folder / "model.yaml"))
    x = np.stack([study[name] for name in "abc"], axis=1).reshape(rows, 5, 3)
    y = study["y"].reshape(rows, 5)
    design = ot.Sample(x.transpose(1, 0, 2).reshape(-1, 3))  # A, B, and A with a column of B
    values = ot.Sample(y.T.reshape(-1, 1))
    first = np.array(ot.MauntzKucherenkoSensitivityAlgorithm(design, values, rows).getFirstOrderIndices())
    total = np.array(ot.JansenSensitivityAlgorithm(design, values, rows).getTotalOrderIndices())
    a, b, mixed = y[:, 0], y[:, 1], y[:, 2:]
    mean = np.concatenate([a, b]).mean()
    both = (((a - mean) ** 2 + (b - mean) ** 2) / 2).sum()
    of_a = a.var(ddof=1)
    first_here = (first * of_a * (rows - 1) + (y.mean() - mean) * (mixed - a[:, None]).sum(axis=0)) / both
    total_here = total * of_a * (2 * rows - 1) / 2 / both
    for j, name in enumerate("abc"):
        found = study.statistics["sobol"]["y"][name]
        assert found["first"] == pytest.approx(first_here[j], rel=1e-11, abs=1e-12)
        assert found["total"] == pytest.approx(total_here[j], rel=1e-11)
        assert found["first"] == pytest.approx(first[j], abs=found["first_error"])
        assert found["total"] == pytest.approx(total[j], abs=found["total_error"])
