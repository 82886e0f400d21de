/// Andrews' mechanism written by hand in its seven angles (E. Hairer, G. Wanner, Solving Ordinary
/// Differential Equations II, VII.7), accelerations and multipliers from one linear system, solved
/// by integrators of SUNDIALS.
///
///   peer_sundials INTEGRATOR TOLERANCE
///
/// INTEGRATOR: dormand_prince, fehlberg87 (ARKODE), adams, bdf (CVODE). Prints one JSON object: CPU
/// time of the integration, steps, the angles at t = 0.03 s.

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

constexpr double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706,
                 m7 = 0.05498;
constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                 I6 = 5.667e-7, I7 = 1.912e-5;
constexpr double xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
constexpr double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                 ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                 tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                 fa = 0.01421, mom = 0.033, c0 = 4530, l0 = 0.07785;

/// y = (beta, theta, gamma, phi, delta, Omega, epsilon) and their rates.
void rates(const double* y, double* out) {
  const double *q = y, *v = y + 7;
  const double sib = std::sin(q[0]), cob = std::cos(q[0]), sit = std::sin(q[1]),
               cot = std::cos(q[1]), sig = std::sin(q[2]), cog = std::cos(q[2]),
               sip = std::sin(q[3]), cop = std::cos(q[3]), sid = std::sin(q[4]),
               cod = std::cos(q[4]), sio = std::sin(q[5]), coo = std::cos(q[5]),
               sie = std::sin(q[6]), coe = std::cos(q[6]);
  const double sibt = std::sin(q[0] + q[1]), cobt = std::cos(q[0] + q[1]),
               sipd = std::sin(q[3] + q[4]), copd = std::cos(q[3] + q[4]),
               sioe = std::sin(q[5] + q[6]), cooe = std::cos(q[5] + q[6]);
  const double b = v[0], t = v[1], g = v[2], p = v[3], de = v[4], o = v[5], ep = v[6];

  using Square = Eigen::Matrix<double, 13, 13>;
  Square A = Square::Zero();
  A(0, 0) = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cot + da * da) + I1 + I2;
  A(1, 0) = A(0, 1) = m2 * (da * da - da * rr * cot) + I2;
  A(1, 1) = m2 * da * da + I2;
  A(2, 2) = m3 * (sa * sa + sb * sb) + I3;
  A(3, 3) = m4 * (e - ea) * (e - ea) + I4;
  A(4, 3) = A(3, 4) = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * sip) + I4;
  A(4, 4) = m4 * (zt * zt + 2 * zt * (e - ea) * sip + (e - ea) * (e - ea)) +
            m5 * (ta * ta + tb * tb) + I4 + I5;
  A(5, 5) = m6 * (zf - fa) * (zf - fa) + I6;
  A(6, 5) = A(5, 6) = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * sio) + I6;
  A(6, 6) = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * sio + u * u) +
            m7 * (ua * ua + ub * ub) + I6 + I7;

  const double xd = sd * cog + sc * sig + xb, yd = sd * sig - sc * cog + yb;
  const double length = std::hypot(xd - xc, yd - yc), pull = -c0 * (length - l0) / length;
  const double fx = pull * (xd - xc), fy = pull * (yd - yc);
  Eigen::Matrix<double, 13, 1> x;
  x[0] = mom - m2 * da * rr * t * (t + 2 * b) * sit;
  x[1] = m2 * da * rr * b * b * sit;
  x[2] = fx * (sc * cog - sd * sig) + fy * (sd * cog + sc * sig);
  x[3] = m4 * zt * (e - ea) * de * de * cop;
  x[4] = -m4 * zt * (e - ea) * p * (p + 2 * de) * cop;
  x[5] = -m6 * u * (zf - fa) * ep * ep * coo;
  x[6] = m6 * u * (zf - fa) * o * (o + 2 * ep) * coo;

  auto set = [&](int row, int column, double value) {
    A(7 + row, column) = A(column, 7 + row) = value;
  };
  for (int k = 0; k < 3; ++k) {
    set(2 * k, 0, -rr * sib + d * sibt);
    set(2 * k, 1, d * sibt);
    set(2 * k + 1, 0, rr * cob - d * cobt);
    set(2 * k + 1, 1, -d * cobt);
  }
  set(0, 2, -ss * cog);
  set(1, 2, -ss * sig);
  set(2, 3, -e * copd);
  set(2, 4, -e * copd + zt * sid);
  set(3, 3, -e * sipd);
  set(3, 4, -e * sipd - zt * cod);
  set(4, 5, zf * sioe);
  set(4, 6, zf * sioe - u * coe);
  set(5, 5, -zf * cooe);
  set(5, 6, -zf * cooe - u * sie);
  // Minus the second derivatives of the constraints along the motion.
  const double bt = (b + t) * (b + t), pd = (p + de) * (p + de), oe = (o + ep) * (o + ep);
  const double x1 = rr * cob * b * b - d * cobt * bt, y1 = rr * sib * b * b - d * sibt * bt;
  x[7] = x1 - ss * sig * g * g;
  x[8] = y1 + ss * cog * g * g;
  x[9] = x1 - e * sipd * pd - zt * cod * de * de;
  x[10] = y1 + e * copd * pd - zt * sid * de * de;
  x[11] = x1 - zf * cooe * oe - u * sie * ep * ep;
  x[12] = y1 - zf * sioe * oe + u * coe * ep * ep;
  const Eigen::Matrix<double, 13, 1> solution = A.partialPivLu().solve(x);
  for (int i = 0; i < 7; ++i) {
    out[i] = v[i];
    out[7 + i] = solution[i];
  }
}

int rates_of(double, N_Vector y, N_Vector out, void*) {
  rates(N_VGetArrayPointer(y), N_VGetArrayPointer(out));
  return 0;
}

constexpr double start[14] = {-0.0617138900142764496358948458001, 0,
                              0.455279819163070380255912382449,   0.222668390165885884674473185609,
                              0.487364979543842550225598953530,   -0.222668390165885884674473185609,
                              1.23054744454982119249735015568};
constexpr double t_end = 0.03;

int run(const std::string& method, double tolerance) {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(14, context);
  for (int i = 0; i < 14; ++i) N_VGetArrayPointer(y)[i] = start[i];
  double t = 0;
  long steps = 0;
  int flag = 0;
  const std::clock_t begin = std::clock();
  if (method == "dormand_prince" || method == "fehlberg87") {
    void* memory = ERKStepCreate(rates_of, 0, y, context);
    ERKStepSetTableNum(
        memory, method == "fehlberg87" ? ARKODE_FEHLBERG_13_7_8 : ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSStolerances(memory, tolerance, tolerance);
    ERKStepSetMaxNumSteps(memory, 1000000);
    ERKStepSetStopTime(memory, t_end);
    flag = ERKStepEvolve(memory, t_end, y, &t, ARK_NORMAL);
    ERKStepGetNumSteps(memory, &steps);
  } else if (method == "adams" || method == "bdf") {
    const bool stiff = method == "bdf";
    void* memory = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context);
    CVodeInit(memory, rates_of, 0, y);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetMaxNumSteps(memory, 1000000);
    CVodeSetStopTime(memory, t_end);
    if (stiff) {
      SUNMatrix matrix = SUNDenseMatrix(14, 14, context);
      CVodeSetLinearSolver(memory, SUNLinSol_Dense(y, matrix, context), matrix);
    } else {
      CVodeSetNonlinearSolver(memory, SUNNonlinSol_FixedPoint(y, 0, context));
    }
    flag = CVode(memory, t_end, y, &t, CV_NORMAL);
    CVodeGetNumSteps(memory, &steps);
  } else {
    return std::fprintf(stderr, "unknown integrator %s\n", method.c_str()), 2;
  }
  const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  if (flag < 0) return std::fprintf(stderr, "%s ended with %d\n", method.c_str(), flag), 1;
  std::printf("{\"cpu\": %.6g, \"steps\": %ld, \"energy\": 0, \"values\": [", cpu, steps);
  for (int i = 0; i < 7; ++i) std::printf("%s%.17g", i ? ", " : "", N_VGetArrayPointer(y)[i]);
  std::printf("]}\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "peer_sundials INTEGRATOR TOLERANCE\n"), 2;
  return run(argv[1], std::atof(argv[2]));
}
