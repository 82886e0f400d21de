#include "kardan/integrate/cvode.h"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "kardan/integrate/multistep.h"
#include "kardan/integrate/state_matrix.h"
#include "kardan/integrate/sundials_dense.h"

namespace kardan {
namespace {

/// What CVODE asks back for.
class CvodeClient {
 public:
  virtual ~CvodeClient() = default;
  virtual Eval derivative(double t, const double* y, double* dy) = 0;
  virtual Eval jacobian(double t, const double* y, Matrix& J) = 0;
  virtual void weights(double* w) = 0;
  virtual Eval guard(const std::function<Eval()>& work) = 0;
};

/// One CVODE integrator of fixed size, with everything it needs; freed together.
class Cvode {
 public:
  Cvode(int family, int size, CvodeClient& client) : client_(client) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(size, context_);
    scratch_ = N_VNew_Serial(size, context_);
    memory_ = CVodeCreate(family, context_);
    CVodeSetErrHandlerFn(
        memory_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    CVodeSetUserData(memory_, this);
    N_VConst(0, y_);
    CVodeInit(memory_, derivative, 0, y_);
    CVodeWFtolerances(memory_, weights);
    if (family == CV_ADAMS) {
      iteration_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
      CVodeSetNonlinearSolver(memory_, iteration_);
    } else {
      matrix_ = SUNDenseMatrix(size, size, context_);
      solver_ = std::make_unique<SundialsDense>(
          y_, matrix_, context_, [this](const auto& work) { return client_.guard(work); });
      CVodeSetLinearSolver(memory_, solver_->get(), matrix_);
      CVodeSetJacFn(memory_, jacobian);
    }
  }
  ~Cvode() {
    CVodeFree(&memory_);
    solver_.reset();
    if (iteration_) SUNNonlinSolFree(iteration_);
    if (matrix_) SUNMatDestroy(matrix_);
    N_VDestroy(scratch_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;

  int size() const { return static_cast<int>(N_VGetLength(y_)); }
  double* y() { return N_VGetArrayPointer(y_); }

  /// Begins at t from y(), of order one. A first step of 0 is CVODE's choice.
  void start(double t, double first, double smallest, double largest) {
    CVodeReInit(memory_, t, y_);
    CVodeSetInitStep(memory_, first);
    CVodeSetMaxStep(memory_, largest);
    CVodeSetMinStep(memory_, smallest);
  }
  void bound_steps(double longest) { CVodeSetMaxStep(memory_, longest); }
  /// One step, not beyond `stop`; y() and t are its end.
  int step(double stop, double& t) {
    CVodeSetStopTime(memory_, stop);
    return CVode(memory_, stop, y_, &t, CV_ONE_STEP);
  }
  /// The step to be tried next.
  double next_step() {
    double h = 0;
    CVodeGetCurrentStep(memory_, &h);
    return h;
  }
  /// y() at a time inside the last step.
  int inside(double t) { return CVodeGetDky(memory_, t, 0, y_); }
  int last_order() {
    int order = 0;
    CVodeGetLastOrder(memory_, &order);
    return order;
  }
  const double* errors() {
    CVodeGetEstLocalErrors(memory_, scratch_);
    return N_VGetArrayPointer(scratch_);
  }

  /// Counts since start().
  struct Counts {
    long rejected = 0, failed = 0, factorizations = 0;
  };
  Counts counts() {
    Counts c;
    CVodeGetNumErrTestFails(memory_, &c.rejected);
    CVodeGetNumNonlinSolvConvFails(memory_, &c.failed);
    if (solver_) CVodeGetNumLinSolvSetups(memory_, &c.factorizations);
    return c;
  }

 private:
  /// CVODE's answers: 0 ok, positive recoverable, negative fatal.
  static int answer(Eval e) { return e == Eval::ok ? 0 : e == Eval::recoverable ? 1 : -1; }
  static int derivative(realtype t, N_Vector y, N_Vector dy, void* self) {
    return answer(static_cast<Cvode*>(self)->client_.derivative(t, N_VGetArrayPointer(y),
                                                                N_VGetArrayPointer(dy)));
  }
  static int weights(N_Vector, N_Vector w, void* self) {
    static_cast<Cvode*>(self)->client_.weights(N_VGetArrayPointer(w));
    return 0;
  }
  static int jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector,
                      N_Vector) {
    auto& me = *static_cast<Cvode*>(self);
    if (Eval e = me.client_.jacobian(t, N_VGetArrayPointer(y), me.J_); e != Eval::ok)
      return answer(e);
    SUNMatZero(J);  // without degrees of freedom there is one variable that rests
    return answer(me.client_.guard([&] { return copy_columns(me.J_, J); }));
  }

  CvodeClient& client_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, scratch_ = nullptr;
  void* memory_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  std::unique_ptr<SundialsDense> solver_;
  Matrix J_;
};

/// CVODE in the driver's loop.
class CvodeDriver final : public MultistepDriver, public CvodeClient {
 public:
  CvodeDriver(int family, ChartProblem& problem, const Method& method, State& state, double t_end,
              const DriverOptions& options, const Observer& observer)
      : MultistepDriver(problem, method, state, t_end, options, observer, 1), family_(family) {}

 private:
  Eval derivative(double t, const double* y, double* dy) override {
    unpack(y, y_);
    ++report_.counters.evaluations;
    const Eval evaluated = guarded([&] { return problem_.rate(t, y_, rate_); });
    if (evaluated != Eval::ok) return evaluated;
    dy = std::ranges::copy(y_.u, dy).out;
    dy = std::ranges::copy(rate_.a, dy).out;
    std::ranges::copy(rate_.b, dy);
    return all_finite(rate_.a) && all_finite(rate_.b) ? Eval::ok : Eval::recoverable;
  }

  Eval jacobian(double t, const double* y, Matrix& J) override {
    unpack(y, y_);
    ++report_.counters.jacobians;
    const Eval e = guarded([&] {
      const Eval here = problem_.jacobian_at(t, y_, Derivatives::exact, local_);
      // Where the problem knows it at the base only: that is good enough to iterate with.
      return here == Eval::fatal ? problem_.jacobian(local_) : here;
    });
    if (e != Eval::ok) return e;
    return guarded([&] { return state_matrix(local_, J); });
  }

  void weights(double* w) override { weigh(differential(), w); }
  Eval guard(const std::function<Eval()>& work) override { return guarded(work); }

  bool begin(double first) override {
    // A problem without degrees of freedom still has a time: one variable that rests.
    const int n = std::max(differential(), 1);
    if (!cvode_ || cvode_->size() != n) cvode_ = std::make_unique<Cvode>(family_, n, *this);
    const Local& y = problem_.base();
    double* to = cvode_->y();
    for (const Vector* part : {&y.x, &y.u, &y.z}) to = std::ranges::copy(*part, to).out;
    // Below this a step is lost in the rounding of t.
    cvode_->start(state_.t, first, std::max(options_.smallest_step, 4 * run_.rounding()),
                  largest_step());
    counted_ = {};
    plans_ = false;
    return true;
  }

  int advance(double end, double& t) override {
    const int answer = cvode_->step(end, t);
    plans_ = answer != CV_TSTOP_RETURN;
    return answer;
  }
  double next_step() override {
    return plans_ ? cvode_->next_step() : std::numeric_limits<double>::infinity();
  }
  void bound_steps(double longest) override { cvode_->bound_steps(longest); }
  int look_back(double t) override { return cvode_->inside(t); }
  const double* values() override { return cvode_->y(); }
  const double* errors() override { return cvode_->errors(); }
  int last_order() override { return cvode_->last_order(); }
  bool not_evaluated(int answer) const override { return answer == CV_RHSFUNC_FAIL; }

  void explain(int answer) override {
    if (answer == CV_RHSFUNC_FAIL)
      run_.not_evaluated(problem_.diagnosis(), problem_.culprit());
    else if (answer == CV_TOO_MUCH_ACC)
      run_.stop(Reason::step_too_small, Diagnosis::error_test,
                fmt::format("t = {:.9g}: the tolerance {:.2g} is below what rounding allows",
                            state_.t, options_.tolerance),
                "loosen the tolerance");
    else
      no_step(answer == CV_CONV_FAILURE  ? Diagnosis::newton_slow
              : answer == CV_ERR_FAILURE ? Diagnosis::error_test
                                         : problem_.diagnosis());
  }

  void count() override {
    const Cvode::Counts now = cvode_->counts();
    report_.counters.rejected += now.rejected - counted_.rejected;
    report_.counters.failed += now.failed - counted_.failed;
    report_.counters.factorizations += now.factorizations - counted_.factorizations;
    counted_ = now;
  }

  int family_;
  std::unique_ptr<Cvode> cvode_;
  Cvode::Counts counted_;
  bool plans_ = false;  // CVODE knows the step to be tried next: not behind a stop
  Local y_;
  LocalRate rate_;
  LocalJacobian local_;
};

template <int family>
std::unique_ptr<Integration> integrate_with(ChartProblem& problem, const Method& method,
                                            State& state, double t_end,
                                            const DriverOptions& options,
                                            const Observer& observer) {
  return std::make_unique<CvodeDriver>(family, problem, method, state, t_end, options, observer);
}

}  // namespace

Method adams() {
  return {.name = "adams",
          .summary = "Adams-Moulton, variable order, functional iteration",
          .source = "SUNDIALS CVODE, Hindmarsh et al. 2005",
          .order = 12,
          .error_order = 12,
          .is_explicit = true,
          .damps_swinging = true,
          .error_weight = 30,
          .integrate = integrate_with<CV_ADAMS>};
}

Method bdf() {
  return {.name = "bdf",
          .summary = "backward differentiation, variable order",
          .source = "SUNDIALS CVODE, Hindmarsh et al. 2005",
          .order = 5,
          .error_order = 5,
          .needs_jacobian = true,
          // They take more steps, and their errors have the same sign for longer.
          .error_weight = 50,
          .differentiates_backward = true,
          .integrate = integrate_with<CV_BDF>};
}

}  // namespace kardan
