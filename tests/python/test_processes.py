"""Other processes, other threads, and the end of the program."""

import multiprocessing
import pickle
import subprocess
import sys
import textwrap

import kardan
import numpy as np
import pytest


def pendulum() -> kardan.Model:
    model = kardan.Model("pendulum", dimension=2, gravity=[0, -9.81])
    model.parameters(length=1)
    model.body("bob", kind="point", mass=1, position=["length", 0])
    model.distance("rod", between=["ground", "bob"], length="length")
    return model


def damped(x, v):
    return -0.1 * v


def test_a_model_is_the_same_after_pickling():
    model = pendulum()
    again = pickle.loads(pickle.dumps(model))
    assert again.to_yaml() == model.to_yaml()
    assert np.array_equal(again.run(t_end=1).data, model.run(t_end=1).data)


def test_python_forces_go_along():
    model = pendulum().python_force("air", between=["ground", "bob"], law=damped)
    again = pickle.loads(pickle.dumps(model))
    options = dict(t_end=1, method="dopri5")
    assert np.array_equal(again.run(**options).data, model.run(**options).data)
    assert "air" in model.copy()["forces"] and pickle.loads(pickle.dumps(model.copy()))._laws


def test_unfinished_models_can_be_pickled_too():
    again = pickle.loads(pickle.dumps(kardan.Model("nothing yet")))
    with pytest.raises(kardan.ModelError):
        again.check()


def test_a_result_is_the_same_after_pickling():
    result = pendulum().run(t_end=1)
    again = pickle.loads(pickle.dumps(result))
    assert again.columns == result.columns and np.array_equal(again.data, result.data)
    assert again.certificate == result.certificate
    with pytest.raises(kardan.Error, match="cannot go on"):
        again.resume(2)


def run_length(length: float) -> kardan.Result:
    return pendulum().run(t_end=0.5, set={"length": length})


def test_processes_send_results_and_errors():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map(run_length, [1.0, 2.0])
        assert [r["bob.x"][0] for r in results] == [1.0, 2.0]
        with pytest.raises(kardan.ModelError, match="parameter.unknown"):
            pool.apply(pendulum().run, kwds=dict(t_end=1, set={"lenght": 1}))
        with pytest.raises(kardan.RunError) as caught:
            pool.apply(pendulum().run, kwds=dict(t_end=1, max_steps=3))
        assert caught.value.reason == "too_many_steps" and len(caught.value.result.time) > 0


@pytest.mark.parametrize("force", [False, True])
def test_a_run_in_a_daemon_thread_does_not_abort_the_end(force):
    """Ten times: the moment at which Python ends is different each time."""
    program = textwrap.dedent(f"""
        import threading, time
        import kardan
        model = kardan.Model("p", dimension=2, gravity=[0, -9.81])
        model.body("bob", kind="point", mass=1, position=[1, 0])
        model.distance("rod", between=["ground", "bob"])
        if {force}:
            model.python_force("air", between=["ground", "bob"], law=lambda v: -0.001 * v)
        go = lambda: model.run(t_end=1e6, method="dopri5", observer=lambda step: False)
        for _ in range(3):
            threading.Thread(target=go, daemon=True).start()
        time.sleep(0.3)
    """)
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("call, message", [
    (lambda m: m.run(t_end=float("nan")), "t_end"),
    (lambda m: m.run(t_end=float("inf")), "t_end"),
    (lambda m: m.run(t_end=-1), "t_end"),
    (lambda m: m.run(t_end=0), "t_end"),
    (lambda m: m.run(t_end="soon"), "soon"),
    (lambda m: m.run(t_end=1, tolerance=5), "tolerance"),
    (lambda m: m.run(t_end=1, tolerance=0), "tolerance"),
    (lambda m: m.run(t_end=1, relative=5), "relative"),
    (lambda m: m.run(t_end=1, every=float("nan")), "every"),
    (lambda m: m.run(t_end=1, every=1e-300), "every"),
    (lambda m: m.run(t_end=1, step=-1), "step"),
    (lambda m: m.run(t_end=1, safety=0), "safety"),
])
def test_nonsense_is_refused_by_the_library(call, message):
    with pytest.raises(kardan.ModelError, match=message):
        call(pendulum())


@pytest.mark.parametrize("call, message", [
    (lambda m: m.run(t_end=1, observer=5), "observer: got 5; wanted a function"),
    (lambda m: m.run(t_end=1, set=5), "set: got 5; wanted a dictionary"),
    (lambda m: m.run(t_end=1, set={"length": "long"}), "set: 'length' = 'long'; wanted a number"),
    (lambda m: m.run(t_end=1, out=5), "out: got 5; wanted the name of a file"),
    (lambda m: m.run(t_end=1, out=[5]), "out: got 5; wanted the name of a file"),
    (lambda m: m.check(set={"length": None}), "set: 'length' = None; wanted a number"),
])
def test_wrong_arguments_get_our_messages(call, message):
    with pytest.raises(TypeError, match=message):
        call(pendulum())


def test_files_of_others_are_kept(tmp_path):
    model = pendulum()
    notes = tmp_path / "notes.csv"
    notes.write_text("mine\n")
    with pytest.raises(kardan.ModelError, match="output.foreign"):
        model.run(t_end=1, out=notes)
    with pytest.raises(kardan.ModelError, match="output.foreign"):
        model.run(t_end=1).write(notes)
    assert notes.read_text() == "mine\n"
    model.run(t_end=1, out=notes, force=True)
    model.run(t_end=1, out=notes)  # now it is ours
    yaml = tmp_path / "m.yaml"
    yaml.write_text("# by hand\nkardan: 1\n")
    with pytest.raises(kardan.ModelError, match="output.foreign"):
        model.save(yaml)
    model.save(yaml, force=True)
    model.save(yaml)
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "such.yaml")
