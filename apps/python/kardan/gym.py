"""A simulation as an environment to learn in, in the form of Gymnasium: reset, step, spaces. It works
without that package; where it is installed, its spaces and its base class are used."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import numpy as np

from .errors import SimulationError
from .runnable import Runnable

try:
    from gymnasium import Env as _Base
    from gymnasium.spaces import Box
except ImportError:
    _Base = object

    class Box:
        """Vectors between two bounds."""

        def __init__(self, low, high, dtype=np.float64):
            self.low, self.high = np.asarray(low, dtype), np.asarray(high, dtype)
            self.shape, self.dtype = self.low.shape, np.dtype(dtype)
            self._random = np.random.default_rng()

        def seed(self, seed: int | None = None) -> None:
            self._random = np.random.default_rng(seed)

        def sample(self) -> np.ndarray:
            return self._random.uniform(self.low, self.high)

        def contains(self, x) -> bool:
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))


class Environment(_Base):
    """An environment of a model.

        env = Environment(model, actions={"push": (-20, 20)}, observations=["cart.x", "pole.angle"],
                          dt=0.02, reward=lambda o, a: 1.0, ends=lambda o: abs(o[1]) > 0.4,
                          starts=lambda random: {"tilt": random.uniform(-0.05, 0.05)}, steps=500)
        observation, info = env.reset(seed=1)
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    actions       bounds of the inputs an agent sets; what lies beyond is refused
    starts        parameters of the start, drawn for every episode from a generator of NumPy
    ends          whether an episode has ended; so does an event of the model that stops it
    steps         after so many an episode is cut short (truncated)
    Other keywords are those of `simulation`: method, tolerance, ...
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, model: Runnable, *, actions: Mapping[str, tuple[float, float]],
                 observations: Sequence[str], dt: float, reward: Callable[[np.ndarray, np.ndarray], float],
                 ends: Callable[[np.ndarray], bool] = lambda observation: False,
                 starts: Callable[[np.random.Generator], Mapping[str, float]] | None = None,
                 steps: int | None = None, **options: Any):
        self._model, self._actions, self._dt = model, list(actions), dt
        self._observations, self._options = list(observations), options
        self._reward, self._ends, self._starts, self._steps = reward, ends, starts, steps
        bounds = np.array(list(actions.values()), dtype=float).reshape(-1, 2)
        self.action_space = Box(bounds[:, 0], bounds[:, 1], dtype=np.float64)
        most = np.full(len(self._observations), np.inf)
        self.observation_space = Box(-most, most, dtype=np.float64)
        self._generator = np.random.default_rng()
        self._simulation, self._count = None, 0
        self._new({})

    def _new(self, start: Mapping[str, float]) -> None:
        self._simulation = self._model.simulation(outputs=self._observations, set=dict(start),
                                                  **self._options)
        for name in self._actions:
            self._simulation._input(name)  # refused where there is none

    def reset(self, *, seed: int | None = None, options: dict | None = None):
        """A new episode: what is observed at its start, and the parameters it was given."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self._count = 0
        start = dict(self._starts(self._generator)) if self._starts else {}
        start |= (options or {}).get("set", {})
        if start:
            self._new(start)
        else:
            self._simulation.reset()
        return self._simulation.values(), {"start": start}

    def step(self, action):
        """Sets the action, goes on by dt."""
        action = np.atleast_1d(np.asarray(action, dtype=float))
        if not self.action_space.contains(action):
            raise SimulationError(f"action: got {action}; wanted {len(self._actions)} numbers between "
                                  f"{self.action_space.low} and {self.action_space.high}")
        stopped = False
        try:
            observation = self._simulation.step(self._dt, **dict(zip(self._actions, action)))
        except SimulationError:
            if self._simulation.certificate.reason != "stopped":
                raise
            stopped, observation = True, self._simulation.values()
        self._count += 1
        terminated = stopped or bool(self._ends(observation))
        truncated = self._steps is not None and self._count >= self._steps
        return (observation, float(self._reward(observation, action)), terminated, truncated,
                {"time": self._simulation.time})

    def close(self) -> None:
        self._simulation = None
