"""Signals and limits of time end what takes long, within two seconds."""

import os
import signal
import threading
import time

import kardan
import pytest

CHAIN = """kardan: 1
dimension: 2
gravity: [0, -9.81]
parameters: {N: 1000}
bodies:
  "link_${i}": {repeat: {i: [1, N]}, mass: 0.1, inertia: 1e-4, position: ["0.1*(${i} - 0.5)", 0]}
joints:
  "pin_1": {type: revolute, bodies: [ground, link_1], at: [0, 0]}
  "pin_${i}": {repeat: {i: [2, N]}, type: revolute, bodies: ["link_${i - 1}", "link_${i}"],
               at: ["0.1*(${i} - 1)", 0]}
"""


class Ended(Exception):
    """What a handler of SIGTERM raises."""


@pytest.fixture
def chain():
    return kardan.read(CHAIN)


LIMIT = 2.0  # [s]


def limit() -> float:
    """[s] on the clock, of a machine that may have other things to do."""
    return LIMIT * max(1.0, os.getloadavg()[0] / os.cpu_count())


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM])
def told(request):
    """Sends the signal later, and knows what comes of it and when it was sent."""

    class Told:
        raises = KeyboardInterrupt if request.param == signal.SIGINT else Ended
        at = None

        def after(self, seconds: float) -> None:
            def send():
                Told.at = time.process_time()
                os.kill(os.getpid(), request.param)

            threading.Timer(seconds, send).start()

        def seconds_since(self) -> float:
            """[s] of processor time: a busy machine does not count."""
            assert self.at is not None, "it ended before"
            return time.process_time() - self.at

    def handler(*_):
        raise Ended

    before = signal.signal(signal.SIGTERM, handler)
    yield Told()
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("method, links", [("radau5", 1000), ("bdf", 1000), ("ida", 400)])
def test_a_signal_ends_a_run_within_a_factorization(chain, told, method, links):
    told.after(4)
    with pytest.raises(told.raises) as caught:
        chain.run(t_end=10, method=method, set={"N": links})
    assert told.seconds_since() < LIMIT
    result = caught.value.result
    assert result.reason == "interrupted" and len(result.time) >= 1


def test_a_limit_of_time_ends_a_run_within_a_factorization(chain):
    begin = time.monotonic()
    with pytest.raises(kardan.RunError, match="the wall-clock limit of 4 s is over") as caught:
        chain.run(t_end=10, method="radau5", wall_limit=4)
    assert 4 <= time.monotonic() - begin < 4 + limit()
    assert caught.value.reason == "interrupted" and caught.value.result.t_reached < 10


def test_a_limit_of_time_holds_when_a_run_goes_on(chain):
    first = chain.run(t_end=1e-3, set={"N": 3})
    with pytest.raises(kardan.RunError, match="wall-clock limit") as caught:
        first.resume(1e6, wall_limit=1, every=1e3)
    assert caught.value.result.t_reached > 1e-3


def test_a_limit_of_time_holds_before_the_first_step(chain):
    begin = time.monotonic()
    with pytest.raises(kardan.AssemblyError, match="is over before the first step"):
        chain.run(t_end=1, set={"N": 30000}, wall_limit=0.1)
    assert time.monotonic() - begin < limit()


@pytest.mark.parametrize("job", ["check", "linearize"])
def test_a_signal_ends_what_is_no_run(told, job):
    size = {"check": 60000, "linearize": 1500}[job]
    model = kardan.read(CHAIN.replace("gravity: [0, -9.81]", "gravity: [9.81, 0]"))
    told.after(2)
    with pytest.raises(told.raises):
        for _ in range(20):  # whatever it is at
            getattr(model, job)(set={"N": size})
    assert told.seconds_since() < LIMIT


def test_a_run_in_an_observer_can_be_ended(chain, told):
    told.after(1)
    with pytest.raises(told.raises):
        chain.run(t_end=1e6, method="dopri5",
                  observer=lambda step: chain.run(t_end=1e6, method="dopri5") and None)
    assert told.seconds_since() < LIMIT


@pytest.mark.parametrize("wall_limit", [0, -1, float("nan"), float("inf")])
def test_a_limit_that_is_none_is_refused(chain, wall_limit):
    with pytest.raises(kardan.ModelError, match="wall_limit = .*: wanted a finite number > 0"):
        chain.run(t_end=1, wall_limit=wall_limit)


def test_a_limit_that_is_no_number_is_refused(chain):
    with pytest.raises(TypeError, match="wall_limit: got 'soon'; wanted a number of seconds"):
        chain.run(t_end=1, wall_limit="soon")
