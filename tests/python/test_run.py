"""Runs: arrays without copies, certificate, observers, interruption, threads."""

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import kardan


@pytest.fixture
def pendulum(models):
    return kardan.load(models / "pendulum.yaml")


def test_columns_look_into_one_memory(pendulum):
    result = pendulum.run(t_end=1)
    column = result["bob.x"]
    assert np.shares_memory(column, result.data) and np.shares_memory(result.data, result.time)
    assert not result.data.flags.owndata and not column.flags.writeable
    poses = result.block("poses")
    assert np.shares_memory(poses, result.data) and np.array_equal(poses[:, 0, 0], column)
    steps = result.step_log
    assert not steps["h"].flags.owndata and steps["t"][-1] == 1
    assert len(steps["h"]) == result.steps + 1 and steps["h"].sum() == pytest.approx(1)
    x = column.copy()
    del result
    assert np.array_equal(column, x)  # the memory lives as long as an array looks into it


def test_auto_chooses_a_method_and_says_why(pendulum):
    result = pendulum.run(t_end=1, method="auto")
    assert (result.method, result.formulation) == ("dop853", "projected_ode")
    chosen = result.certificate["automatic"]
    assert chosen["method"] == "dop853@projected_ode" and "explicit methods" in chosen["why"]


def test_certificate_and_counters_are_attributes(pendulum):
    result = pendulum.run(t_end=1, tolerance=1e-9)
    assert (result.reason, result.method, result.formulation) == ("finished", "rn4", "state_space")
    assert result.tolerance == 1e-9 and result.t_reached == 1
    assert result.steps > 50 and result.evaluations >= result.steps and result.jacobians > 0
    assert result.residuals.position < 1e-12 and result.residuals.velocity < 1e-12
    assert result.energy.balance_error < 1e-6 and result.derivatives.exact
    assert result.certificate.asked["tolerance"] == 1e-9
    assert "kardan" in result.certificate.versions
    assert len(result.time) == 101 and result.time[-1] == 1
    assert result.unit("bob.vx") == "m/s" and result.unit("rod.lambda[0]") == "N"


def test_a_column_that_is_not_there_names_the_nearest(pendulum):
    with pytest.raises(KeyError, match="did you mean 'bob.x'"):
        pendulum.run(t_end=0.1)["bobx"]


def test_options_of_the_driver_and_the_method(pendulum):
    by_keyword = pendulum.run(t_end=0.5, largest_step=1e-3)
    assert by_keyword.steps >= 500
    assert pendulum.run(t_end=0.5, options={"largest_step": 1e-3}).steps == by_keyword.steps
    assert pendulum.run(t_end=0.5, method="dopri5", step=1e-2).steps == 50
    assert pendulum.run(t_end=0.5, method="radau5").method == "radau5"


def test_an_observer_sees_every_step_and_may_stop(pendulum):
    seen = []

    def observer(step):
        seen.append((step.t, step["bob.x"], step.h, step.error))
        return "far enough" if step.t > 0.5 else None

    result = pendulum.run(t_end=2, observer=observer)
    assert result.reason == "stopped" and result.message == "far enough"
    assert len(seen) == result.steps and seen[-1][0] == result.t_reached > 0.5
    assert seen[-1][1] == result.final["bob.x"]
    assert pendulum.run(t_end=2, observer=lambda step: True).steps == 1


def test_a_step_cannot_be_kept(pendulum):
    kept = []
    pendulum.run(t_end=0.1, observer=lambda step: kept.append(step))
    with pytest.raises(ValueError, match="only while its observer is called"):
        kept[0].t


def test_what_an_observer_raises_comes_out_with_the_rows_until_then(pendulum):
    def observer(step):
        if step.t > 0.5:
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        pendulum.run(t_end=2, observer=observer)
    assert 0.4 < caught.value.result.time[-1] < 0.7


def test_control_c_ends_a_run(models):
    model = kardan.load(models / "chain.yaml")
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        model.run(t_end=1e6)
    assert time.monotonic() - begin < 20
    assert caught.value.result.t_reached > 0


def test_other_threads_run_meanwhile(pendulum):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    pendulum.run(t_end=60, tolerance=1e-10, every=10)
    end = time.monotonic()
    stop.set()
    thread.join()
    # Without the lock released none would fall inside.
    inside = [t for t in ticks if begin < t < end]
    assert end - begin > 0.1 and len(inside) > 5


def test_runs_in_threads_give_the_bits_of_runs_alone(models):
    model = kardan.load(models / "slider_crank_haug.yaml")
    settings = [dict(t_end=0.5, tolerance=tol, method=m)
                for m in ("rn4", "dopri5", "newmark") for tol in (1e-4, 1e-6)]
    alone = [model.run(**s) for s in settings]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda s: model.run(**s), settings * 2))
    for a, b in zip(alone * 2, together):
        assert np.array_equal(a.data, b.data, equal_nan=True) and a.steps == b.steps


def test_resume_goes_on_from_the_end(pendulum):
    whole = pendulum.run(t_end=1, tolerance=1e-9, every=0.1)
    first = pendulum.run(t_end=0.5, tolerance=1e-9, every=0.1)
    second = first.resume(1.0)
    assert second.time[0] == 0.5 and second.t_reached == 1 and second.tolerance == 1e-9
    assert second.final["bob.x"] == pytest.approx(whole.final["bob.x"], abs=1e-7)
    assert np.allclose(second["bob.x"], whole["bob.x"][5:], atol=1e-7)


def test_a_run_that_fails_keeps_what_it_had(pendulum):
    with pytest.raises(kardan.RunError) as caught:
        pendulum.run(t_end=2, max_steps=20)
    error = caught.value
    assert error.reason == "too_many_steps" and error.result.steps == 20
    assert 0 < error.result.t_reached < 2 and len(error.result.time) > 1
    assert error.advice


def test_events_are_in_the_certificate(pendulum):
    pendulum.when("bottom", expression="bob.x", action="record")
    result = pendulum.run(t_end=2, tolerance=1e-9)
    # The pendulum passes the bottom at a quarter and three quarters of its period.
    assert [e.event for e in result.events] == ["bottom", "bottom"]
    assert [e.t for e in result.events] == pytest.approx(
        [2.000027027893064 / 4, 3 * 2.000027027893064 / 4], abs=1e-7)
    pendulum.when("end", expression="bob.x", direction="falling", action="stop")
    assert pendulum.run(t_end=2).reason == "stopped"


def test_frames_of_pandas(pendulum):
    result = pendulum.run(t_end=1)
    frame = result.frame()
    assert list(frame.columns) == result.columns[1:] and frame.index.name == "time"
    assert np.array_equal(frame["bob.x"].to_numpy(), result["bob.x"])
    assert list(result.frame("bob.v*").columns) == ["bob.vx", "bob.vy"]


def test_plots_have_one_pair_of_axes_for_each_unit(pendulum, tmp_path):
    result = pendulum.run(t_end=1)
    figure = result.plot("bob.x", "bob.y", "rod.lambda[0]")
    assert [ax.get_ylabel() for ax in figure.axes] == ["[m]", "rod.lambda[0] [N]"]
    assert figure.axes[-1].get_xlabel() == "t [s]"
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), result["bob.x"])
    figure.savefig(tmp_path / "a.png")
    assert result.plot("bob.y", x="bob.x").axes[0].get_xlabel() == "bob.x [m]"
    with pytest.raises(KeyError, match="did you mean"):
        result.plot("bob.xx")


def test_result_files_are_those_of_the_command_line(pendulum, models, tmp_path):
    result = pendulum.run(t_end=0.5, every=0.1, out=tmp_path / "a.csv")
    program = os.path.join(os.environ["KARDAN_BUILD_DIR"], "kardan")
    subprocess.run([program, "run", models / "pendulum.yaml", "--t-end", "0.5", "--every", "0.1",
                    "--out", tmp_path / "b.csv", "--quiet"], check=True)
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    result.write(tmp_path / "a.json")
    assert '"steps"' in (tmp_path / "a.json").read_text()
    with pytest.raises(kardan.ModelError, match="output.format"):
        result.write(tmp_path / "a.xyz")


def test_a_failed_run_writes_what_it_had(pendulum, tmp_path):
    with pytest.raises(kardan.RunError):
        pendulum.run(t_end=2, max_steps=20, out=[tmp_path / "a.csv"])
    assert len((tmp_path / "a.csv").read_text().splitlines()) > 2


def test_linearize_at_the_end(pendulum):
    result = pendulum.run(t_end=0.5)
    with pytest.raises(kardan.AssemblyError, match="steady"):
        result.linearize()
    frozen = result.linearize(frozen=True)
    assert frozen.t == 0.5
    assert not np.allclose(frozen.matrix, pendulum.linearize(frozen=True).matrix)


def test_a_comparison_measures_reached_errors(pendulum, tmp_path):
    comparison = pendulum.compare(["rn4", "dopri5"], [1e-4, 1e-7], t_end=1)
    assert [(r.method, r.tolerance) for r in comparison.rows] == [
        ("rn4", 1e-4), ("rn4", 1e-7), ("dopri5", 1e-4), ("dopri5", 1e-7)]
    for row in comparison.rows:
        assert row.tolerance / 100 < row.position_error < 100 * row.tolerance
    assert "evaluations" in repr(comparison) and len(comparison.frame()) == 4
    comparison.plot().savefig(tmp_path / "a.png")
    equations = kardan.Equations(positions={"x": 1}, f=lambda p: -p)
    rows = equations.compare(["dopri5", "rn4"], [1e-6], t_end=1).rows
    # x = cos t; rn4 refuses without derivatives.
    assert rows[0].position_error < 1e-5 and rows[1].reason == "refused"


def test_the_replay(pendulum, tmp_path):
    result = pendulum.run(t_end=0.5)
    page = os.path.join(os.path.dirname(kardan.__file__), "viewer.html")
    if not os.path.exists(page):
        with pytest.raises(kardan.Error, match="no viewer"):
            result.show(browser=False)
        pytest.skip("built without the viewer")
    replay = result.show(tmp_path / "a.html", browser=False, height=400)
    assert (tmp_path / "a.html").stat().st_size > 10000
    assert "<iframe srcdoc=" in replay._repr_html_() and "height: 400px" in replay._repr_html_()


def test_a_stored_result_is_read_again(pendulum, tmp_path):
    result = pendulum.run(t_end=0.5, out=tmp_path / "a.h5")
    stored = kardan.read_result(tmp_path / "a.h5")
    assert stored.columns == result.columns and stored.reason == "finished"
    assert np.array_equal(stored.data, result.data) and stored.steps == result.steps
    assert np.array_equal(stored.step_log["h"], result.step_log["h"])
    assert stored.final == result.final and stored.unit("bob.vx") == "m/s"
    assert stored.model.run(t_end=0.5).final == result.final
    stored.write(tmp_path / "a.csv")
    result.write(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    for verb in (stored.linearize, lambda: stored.resume(1)):
        with pytest.raises(kardan.Error, match="run its model"):
            verb()
    with pytest.raises(kardan.ModelError):
        kardan.read_result(tmp_path / "b.csv")
