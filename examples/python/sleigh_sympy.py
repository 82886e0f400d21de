"""A nonholonomic system from SymPy: Chaplygin's sleigh on a blade.

The blade, a distance a behind the centre of mass, slides along its own direction only. Lagrange's
equations and all derivatives are found symbolically and compiled. Energy is kept, yet the sleigh
always ends up running straight ahead, centre of mass in front: what a nonholonomic constraint can do.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import kardan

x, y, phi = dynamicsymbols("x y phi")
m, J, a = sp.symbols("m J a", positive=True)
vx, vy, omega = x.diff(), y.diff(), phi.diff()

# Started almost backwards: speed -1 m/s along the blade, turning slowly.
sleigh = kardan.SymbolicEquations.lagrange(
    "sleigh",
    kinetic=m * (vx**2 + vy**2) / 2 + J * omega**2 / 2,
    positions={x: 0, y: 0, phi: 0},
    rates={x: -1, y: a / 10, phi: 0.1},
    nonholonomic={"blade": -vx * sp.sin(phi) + vy * sp.cos(phi) - a * omega},
    outputs={"ahead": vx * sp.cos(phi) + vy * sp.sin(phi)},
    parameters={m: 1, J: 0.1, a: 0.3})
result = sleigh.run(t_end=15, tolerance=1e-9, every=0.02)
print(result)
print(f"speed along the blade: {result['ahead'][0]:.3f} -> {result['ahead'][-1]:.3f} m/s, "
      f"energy kept to {result.energy.balance_error:.1e} J")

figure = result.plot("y", x="x")
figure.axes[0].set_aspect("equal")
figure.savefig("sleigh_path.png", dpi=120)
result.plot("ahead", "phi_rate").savefig("sleigh.png", dpi=120)

assert result["ahead"][-1] > 0.9 and result.energy.balance_error < 1e-7
