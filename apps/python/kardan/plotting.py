"""Plots of results with matplotlib."""

from __future__ import annotations


def plot(result, patterns, x, figure, events):
    import matplotlib.pyplot as plt

    names = [n for p in patterns for n in result.match(p) if n != x]
    if not names:
        raise ValueError('nothing to draw: plot("arm.angle"), plot("arm.*")')
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(result.unit(name), []).append(name)
    if figure is None:
        figure = plt.figure(figsize=(7, 1.6 + 2.2 * len(groups)), layout="constrained")
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (unit, members) in zip(axes, groups.items()):
        for name in members:
            ax.plot(result[x], result[name], label=name, linewidth=1.3)
        ax.set_ylabel(_with_unit(members[0] if len(members) == 1 else "", unit))
        ax.grid(True, linewidth=0.4, alpha=0.6)
        if len(members) > 1:
            ax.legend(frameon=False, fontsize="small")
        if events and x == "time":
            for event in result.events:
                ax.axvline(event.t, color="0.6", linewidth=0.6, linestyle=":")
    axes[-1].set_xlabel(_with_unit("t" if x == "time" else x, result.unit(x)))
    axes[0].set_title(result.certificate["model"], fontsize="medium", loc="left")
    return figure


def _slowest_and_fastest(linearized):
    import numpy as np

    sizes = [abs(m.value) for m in linearized.modes if not m.zero] or [1.0]
    return min(sizes), max(sizes)


def _axes_of_channels(linearized, rows, figure):
    import matplotlib.pyplot as plt

    inputs = linearized["inputs"]
    if not inputs or not linearized["outputs"]:
        raise ValueError("nothing to draw: the model has no inputs, or no outputs")
    if figure is None:
        figure = plt.figure(figsize=(6 * len(inputs), 1 + 2.4 * rows), layout="constrained")
    return figure, figure.subplots(rows, len(inputs), sharex="col", squeeze=False)


def bode(linearized, frequencies, figure):
    import numpy as np

    if frequencies is None:
        low, high = _slowest_and_fastest(linearized)
        frequencies = np.geomspace(low / 10, min(10 * high, 1e5 * low), 400) / (2 * np.pi)
    figure, axes = _axes_of_channels(linearized, 2, figure)
    response = linearized.frequency_response(frequencies)
    for k, given in enumerate(linearized["inputs"]):
        for o, seen in enumerate(linearized["outputs"]):
            label = _with_unit(seen["name"], seen["unit"])
            axes[0, k].loglog(frequencies, np.abs(response[:, o, k]), label=label, linewidth=1.3)
            axes[1, k].semilogx(frequencies, np.degrees(np.unwrap(np.angle(response[:, o, k]))),
                                linewidth=1.3)
        axes[0, k].set_title("from " + given["name"], fontsize="medium", loc="left")
        axes[0, k].set_ylabel(f"by {given['unit']}")
        axes[0, k].legend(frameon=False, fontsize="small")
        axes[1, k].set_ylabel("phase [deg]")
        axes[1, k].set_xlabel("frequency [Hz]")
        for ax in axes[:, k]:
            ax.grid(True, linewidth=0.4, alpha=0.6)
    return figure


def step(linearized, times, figure):
    import numpy as np

    if times is None:
        decays = [-m.value.real for m in linearized.modes if not m.zero and m.value.real < 0]
        times = np.linspace(0, 5 / min(decays) if decays else 60 / _slowest_and_fastest(linearized)[1],
                            400)
    figure, axes = _axes_of_channels(linearized, 1, figure)
    response = linearized.step_response(times)
    for k, given in enumerate(linearized["inputs"]):
        for o, seen in enumerate(linearized["outputs"]):
            axes[0, k].plot(times, response[:, o, k], label=_with_unit(seen["name"], seen["unit"]),
                            linewidth=1.3)
        axes[0, k].set_title(f"after a step of 1 {given['unit']} in {given['name']}",
                             fontsize="medium", loc="left")
        axes[0, k].set_xlabel("t [s]")
        axes[0, k].legend(frameon=False, fontsize="small")
        axes[0, k].grid(True, linewidth=0.4, alpha=0.6)
    return figure


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]".strip() if unit else name
