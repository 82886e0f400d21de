/// The problems of this folder in Simbody: relative coordinates, loops closed by constraints.
///
///   peer_simbody PROBLEM N INTEGRATOR ACCURACY T_END
///
/// PROBLEM: chain, four_bars, andrews (N is ignored). INTEGRATOR: merson, feldberg, cpodes. Prints
/// one JSON object: CPU time of the integration, steps, values at the end, energy lost or won.

#include <Simbody.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>

using namespace SimTK;

namespace {

struct Problem {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::function<void(State&)> start;
  std::function<std::vector<Real>(const State&)> values;
};

/// models/chain.yaml
void chain(Problem& p, int N) {
  const Real length = 0.1, mass = 0.1;
  Force::Gravity(p.forces, p.matter, Vec3(0, 0, -9.81));
  const Body::Rigid link(MassProperties(mass, Vec3(0), Inertia(1e-5, 8.5e-5, 8.5e-5)));
  std::vector<MobilizedBody> bodies;
  for (int i = 0; i < N; ++i) {
    const Vec3 tip(length / 2, 0, 0);
    MobilizedBody& parent = i == 0 ? static_cast<MobilizedBody&>(p.matter.Ground()) : bodies.back();
    bodies.push_back(
        MobilizedBody::Ball(parent, Transform(i == 0 ? Vec3(0) : tip), link, Transform(-tip)));
  }
  p.start = [first = bodies.front(), spin = 1.0 / (N * length)](State& s) {
    first.setUFromVector(s, Vector(Vec3(0, 0, spin)));
  };
  p.values = [last = bodies.back(), length](const State& s) {
    const Vec3 tip = last.findStationLocationInGround(s, Vec3(length / 2, 0, 0));
    return std::vector<Real>{tip[0], tip[1], tip[2]};
  };
}

/// Two points coincide in the plane of motion: two equations, none of them redundant.
void pin(MobilizedBody& A, const Vec3& on_A, MobilizedBody& B, const Vec3& on_B) {
  Constraint::PointInPlane(A, UnitVec3(1, 0, 0), on_A[0], B, on_B);
  Constraint::PointInPlane(A, UnitVec3(0, 1, 0), on_A[1], B, on_B);
}

/// models/n_four_bar.yaml
void four_bars(Problem& p, int N) {
  Force::Gravity(p.forces, p.matter, Vec3(0, -9.81, 0));
  const Body::Rigid rod(MassProperties(1, Vec3(0), Inertia(1.0 / 12)));
  const Vec3 head(0, 0.5, 0), end(0.5, 0, 0);
  std::vector<MobilizedBody> cranks, couplers;
  for (int i = 0; i <= N; ++i)
    cranks.push_back(
        MobilizedBody::Pin(p.matter.Ground(), Transform(Vec3(i, 0, 0)), rod, Transform(-head)));
  for (int i = 1; i <= N; ++i) {
    couplers.push_back(MobilizedBody::Pin(cranks[i - 1], Transform(head), rod, Transform(-end)));
    pin(cranks[i], head, couplers.back(), end);
  }
  p.start = [cranks, couplers](State& s) {
    for (const MobilizedBody& c : cranks) c.setOneU(s, 0, -1);
    for (const MobilizedBody& c : couplers) c.setOneU(s, 0, 1);
  };
  p.values = [first = cranks.front(), head](const State& s) {
    const Vec3 B0 = first.findStationLocationInGround(s, head);
    return std::vector<Real>{B0[0], B0[1]};
  };
}

/// models/andrews.yaml, with its numbers
void andrews(Problem& p, int) {
  auto body = [](Real mass, Real inertia, const Vec3& com) {
    return Body::Rigid(MassProperties(mass, com, Inertia(inertia).shiftFromMassCenter(com, mass)));
  };
  auto at = [](Real x, Real y) { return Transform(Vec3(x, y, 0)); };
  const Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
             sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916,
             u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
  const Transform O = at(0, 0), A = at(-0.06934, -0.00227), B = at(-0.03635, 0.03273);
  MobilizedBody& ground = p.matter.Ground();
  MobilizedBody::Pin K1(ground, O, body(0.04325, 2.194e-6, Vec3(ra, 0, 0)), O);
  MobilizedBody::Pin K2(K1, at(rr, 0), body(0.00365, 4.410e-7, Vec3(-da, 0, 0)), O);
  MobilizedBody::Pin K3(ground, B, body(0.02373, 5.255e-6, Vec3(sb, -sa, 0)), O);
  MobilizedBody::Pin K5(ground, A, body(0.0705, 1.169e-5, Vec3(ta, tb, 0)), O);
  MobilizedBody::Pin K4(K5, at(zt, 0), body(0.00706, 5.667e-7, Vec3(0, ea - e, 0)), O);
  MobilizedBody::Pin K7(ground, A, body(0.05498, 1.912e-5, Vec3(-ub, -ua, 0)), O);
  MobilizedBody::Pin K6(K7, at(0, -u), body(0.00706, 5.667e-7, Vec3(zf - fa, 0, 0)), O);
  const Vec3 E(-d, 0, 0);
  pin(K2, E, K3, Vec3(0, -ss, 0));
  pin(K2, E, K4, Vec3(0, -e, 0));
  pin(K2, E, K6, Vec3(zf, 0, 0));
  Force::ConstantTorque(p.forces, K1, Vec3(0, 0, 0.033));
  Force::TwoPointLinearSpring(p.forces, ground, Vec3(0.014, 0.072, 0), K3, Vec3(sd, -sc, 0), 4530,
                              0.07785);
  // beta, theta, gamma, phi, delta, Omega, epsilon
  const std::vector<MobilizedBody> order{K1, K2, K3, K4, K5, K6, K7};
  p.start = [order](State& s) {
    const Real angles[] = {-0.0617138900142764496358948458001, 0,
                           0.455279819163070380255912382449,   0.222668390165885884674473185609,
                           0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                           1.23054744454982119249735015568};
    for (int i = 0; i < 7; ++i) order[i].setOneQ(s, 0, angles[i]);
  };
  p.values = [order](const State& s) {
    std::vector<Real> angles;
    for (const MobilizedBody& body : order) angles.push_back(body.getOneQ(s, 0));
    return angles;
  };
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

int run(const std::string& problem, int N, const std::string& method, double accuracy,
        double t_end) {
  Problem p;
  if (problem == "chain")
    chain(p, N);
  else if (problem == "four_bars")
    four_bars(p, N);
  else if (problem == "andrews")
    andrews(p, N);
  else
    return std::fprintf(stderr, "unknown problem %s\n", problem.c_str()), 2;
  State state = p.system.realizeTopology();
  p.start(state);
  p.system.realize(state, Stage::Velocity);
  const double before = p.system.calcEnergy(state);
  std::unique_ptr<Integrator> integrator;
  if (method == "merson")
    integrator = std::make_unique<RungeKuttaMersonIntegrator>(p.system);
  else if (method == "feldberg")
    integrator = std::make_unique<RungeKuttaFeldbergIntegrator>(p.system);
  else if (method == "cpodes")
    integrator = std::make_unique<CPodesIntegrator>(p.system);
  else
    return std::fprintf(stderr, "unknown integrator %s\n", method.c_str()), 2;
  integrator->setAccuracy(accuracy);
  integrator->setReturnEveryInternalStep(false);
  const double started = cpu_seconds();
  TimeStepper stepper(p.system, *integrator);
  stepper.initialize(state);
  stepper.stepTo(t_end);
  const double cpu = cpu_seconds() - started;
  const State& end = integrator->getState();
  p.system.realize(end, Stage::Velocity);
  std::printf("{\"cpu\": %.6g, \"steps\": %d, \"energy\": %.6g, \"values\": [", cpu,
              integrator->getNumStepsTaken(), p.system.calcEnergy(end) - before);
  const std::vector<Real> values = p.values(end);
  for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.17g", i ? ", " : "", values[i]);
  std::printf("]}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6)
    return std::fprintf(stderr, "peer_simbody PROBLEM N INTEGRATOR ACCURACY T_END\n"), 2;
  try {
    return run(argv[1], std::atoi(argv[2]), argv[3], std::atof(argv[4]), std::atof(argv[5]));
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "%s\n", e.what()), 1;
  }
}
