"""A pendulum in ten lines: build, run, look."""

import kardan

model = kardan.Model("pendulum", dimension=2, gravity=[0, -9.81])
model.body("bob", kind="point", mass=1, position=[1, 0])
model.distance("rod", between=["ground", "bob"], length=1)
result = model.run(t_end=5, tolerance=1e-8)
print(result)
figure = result.plot("bob.x", "bob.y", "rod.lambda[0]")
figure.savefig("pendulum.png", dpi=120)
