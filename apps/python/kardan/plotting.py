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


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]".strip() if unit else name
