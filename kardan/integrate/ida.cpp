#include "kardan/integrate/ida.h"

#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "kardan/integrate/dae_problem.h"
#include "kardan/integrate/multistep.h"
#include "kardan/integrate/sundials_dense.h"

namespace kardan {
namespace {

/// What is not tested has this weight: above zero, as IDA wants it.
constexpr double no_weight = 1e-30;

/// What IDA asks back for.
class IdaClient {
 public:
  virtual ~IdaClient() = default;
  virtual Eval residual(double t, const double* y, const double* dy, double* F) = 0;
  virtual Eval jacobian(double t, double c, const double* y, Matrix& J) = 0;
  virtual void weights(double* w) = 0;
  virtual Eval guard(const std::function<Eval()>& work) = 0;
};

/// One IDA integrator of fixed size, with everything it needs; freed together.
class Ida {
 public:
  Ida(int size, int differential, IdaClient& client) : client_(client) {
    SUNContext_Create(nullptr, &context_);
    for (N_Vector* v : {&y_, &dy_, &scratch_}) {
      *v = N_VNew_Serial(size, context_);
      N_VConst(0, *v);
    }
    matrix_ = SUNDenseMatrix(size, size, context_);
    solver_ = std::make_unique<SundialsDense>(
        y_, matrix_, context_, [this](const auto& work) { return client_.guard(work); });
    memory_ = IDACreate(context_);
    IDASetErrHandlerFn(
        memory_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    IDASetUserData(memory_, this);
    IDAInit(memory_, residual, 0, y_, dy_);
    IDAWFtolerances(memory_, weights);
    for (int i = 0; i < differential; ++i) N_VGetArrayPointer(scratch_)[i] = 1;
    IDASetId(memory_, scratch_);
    IDASetSuppressAlg(memory_, SUNTRUE);
    IDASetLinearSolver(memory_, solver_->get(), matrix_);
    IDASetJacFn(memory_, jacobian);
  }
  ~Ida() {
    IDAFree(&memory_);
    solver_.reset();
    SUNMatDestroy(matrix_);
    for (N_Vector v : {y_, dy_, scratch_}) N_VDestroy(v);
    SUNContext_Free(&context_);
  }
  Ida(const Ida&) = delete;
  Ida& operator=(const Ida&) = delete;

  double* y() { return N_VGetArrayPointer(y_); }
  double* dy() { return N_VGetArrayPointer(dy_); }

  /// Begins at t from y() and dy(), of order one. A first step of 0 is IDA's choice.
  void start(double t, double first, double largest) {
    IDAReInit(memory_, t, y_, dy_);
    IDASetInitStep(memory_, first);
    IDASetMaxStep(memory_, largest);
  }
  void bound_steps(double longest) { IDASetMaxStep(memory_, longest); }
  int step(double stop, double& t) {
    IDASetStopTime(memory_, stop);
    return IDASolve(memory_, stop, &t, y_, dy_, IDA_ONE_STEP);
  }
  /// The step to be tried next.
  double next_step() {
    double h = 0;
    IDAGetCurrentStep(memory_, &h);
    return h;
  }
  /// y() at a time inside the last step.
  int inside(double t) { return IDAGetDky(memory_, t, 0, y_); }
  int last_order() {
    int order = 0;
    IDAGetLastOrder(memory_, &order);
    return order;
  }
  const double* errors() {
    IDAGetEstLocalErrors(memory_, scratch_);
    return N_VGetArrayPointer(scratch_);
  }

  /// Counts since start().
  struct Counts {
    long rejected = 0, failed = 0, factorizations = 0, iterations = 0;
  };
  Counts counts() {
    Counts c;
    IDAGetNumErrTestFails(memory_, &c.rejected);
    IDAGetNumNonlinSolvConvFails(memory_, &c.failed);
    IDAGetNumLinSolvSetups(memory_, &c.factorizations);
    IDAGetNumNonlinSolvIters(memory_, &c.iterations);
    return c;
  }

 private:
  static int answer(Eval e) { return e == Eval::ok ? 0 : e == Eval::recoverable ? 1 : -1; }
  static int residual(realtype t, N_Vector y, N_Vector dy, N_Vector F, void* self) {
    return answer(static_cast<Ida*>(self)->client_.residual(
        t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy), N_VGetArrayPointer(F)));
  }
  static int weights(N_Vector, N_Vector w, void* self) {
    static_cast<Ida*>(self)->client_.weights(N_VGetArrayPointer(w));
    return 0;
  }
  static int jacobian(realtype t, realtype c, N_Vector y, N_Vector, N_Vector, SUNMatrix J,
                      void* self, N_Vector, N_Vector, N_Vector) {
    auto& me = *static_cast<Ida*>(self);
    if (Eval e = me.client_.jacobian(t, c, N_VGetArrayPointer(y), me.J_); e != Eval::ok)
      return answer(e);
    return answer(me.client_.guard([&] { return copy_columns(me.J_, J); }));
  }

  IdaClient& client_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, dy_ = nullptr, scratch_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  std::unique_ptr<SundialsDense> solver_;
  Matrix J_;
};

/// IDA in the driver's loop.
class IdaDriver final : public MultistepDriver, public IdaClient {
 public:
  IdaDriver(DaeProblem& problem, const Method& method, State& state, double t_end,
            const DriverOptions& options, const Observer& observer)
      : MultistepDriver(problem, method, state, t_end, options, observer, method.order),
        dae_(problem) {}

 private:
  Eval residual(double t, const double* y, const double* dy, double* F) override {
    ++report_.counters.evaluations;
    const auto n = static_cast<std::size_t>(dae_.unknowns());
    const Eval e = guarded([&] { return dae_.residual(t, {y, n}, {dy, n}, F_); });
    if (e != Eval::ok) return e;
    matrix_->as_square()->square(F_, {y, n}, {F, n});
    return Eval::ok;
  }

  Eval jacobian(double t, double c, const double* y, Matrix& J) override {
    ++report_.counters.jacobians;
    const auto n = static_cast<std::size_t>(dae_.unknowns());
    const Eval e = guarded([&] { return dae_.linearize(t, {y, n}, *matrix_); });
    if (e != Eval::ok) return e;
    matrix_->as_square()->matrix(c, J);
    return Eval::ok;
  }

  Eval guard(const std::function<Eval()>& work) override { return guarded(work); }

  /// Multipliers are not tested, nor velocities of an index above 1.
  void weights(double* w) override {
    const int n = dae_.unknowns();
    std::fill(weigh(n, w), w + n, no_weight);
    if (dae_.velocity_index() > 1)
      std::fill_n(w + dae_.second_order(), dae_.second_order(), no_weight);
  }

  /// Chooses the equations at the base.
  bool begin(double first) override {
    matrix_ = dae_.make_linearization();
    if (dae_.linearize(state_.t, dae_.base_values(), *matrix_) != Eval::ok) {
      run_.not_evaluated(dae_.diagnosis(),
                         "the equations could not be differentiated: " + dae_.culprit());
      return false;
    }
    if (!matrix_->as_square()) {
      run_.stop(Reason::refused, Diagnosis::options_wrong,
                fmt::format("'{}' wants as many equations as unknowns, the same at every time",
                            method_.name),
                "use it on 'ggl', 'index_1', 'index_2' or 'index_3'");
      return false;
    }
    matrix_->as_square()->freeze();
    F_.resize(dae_.equations());
    if (!ida_) ida_ = std::make_unique<Ida>(dae_.unknowns(), differential(), *this);
    std::ranges::copy(dae_.base_values(), ida_->y());
    std::ranges::copy(dae_.base_rates(), ida_->dy());
    ida_->start(state_.t, first, largest_step());
    counted_ = {};
    plans_ = false;
    return true;
  }

  int advance(double end, double& t) override {
    const int answer = ida_->step(end, t);
    plans_ = answer != IDA_TSTOP_RETURN;
    return answer;
  }
  double next_step() override {
    return plans_ ? ida_->next_step() : std::numeric_limits<double>::infinity();
  }
  void bound_steps(double longest) override { ida_->bound_steps(longest); }
  int look_back(double t) override { return ida_->inside(t); }
  const double* values() override { return ida_->y(); }
  const double* errors() override { return ida_->errors(); }
  int last_order() override { return ida_->last_order(); }
  bool not_evaluated(int answer) const override { return answer == IDA_RES_FAIL; }

  void explain(int answer) override {
    if (answer == IDA_RES_FAIL)
      run_.not_evaluated(dae_.diagnosis(), dae_.culprit());
    else
      no_step(answer == IDA_CONV_FAIL  ? Diagnosis::newton_slow
              : answer == IDA_ERR_FAIL ? Diagnosis::error_test
                                       : dae_.diagnosis());
  }

  void count() override {
    const Ida::Counts now = ida_->counts();
    Counters& c = report_.counters;
    c.rejected += now.rejected - counted_.rejected;
    c.failed += now.failed - counted_.failed;
    c.factorizations += now.factorizations - counted_.factorizations;
    c.iterations += now.iterations - counted_.iterations;
    c.solves += now.iterations - counted_.iterations;
    counted_ = now;
  }

  DaeProblem& dae_;
  std::unique_ptr<Ida> ida_;
  std::unique_ptr<DaeLinearization> matrix_;  // with the equations that count
  Ida::Counts counted_;
  bool plans_ = false;  // IDA knows the step to be tried next: not behind a stop
  Vector F_;
};

std::unique_ptr<Integration> integrate_with_ida(ChartProblem& problem, const Method& method,
                                                State& state, double t_end,
                                                const DriverOptions& options,
                                                const Observer& observer) {
  return std::make_unique<IdaDriver>(static_cast<DaeProblem&>(problem), method, state, t_end,
                                     options, observer);
}

}  // namespace

Method ida() {
  return {.name = "ida",
          .summary = "backward differentiation of implicit equations, variable order",
          .source = "SUNDIALS IDA, Hindmarsh et al. 2005; DASSL, Petzold 1982",
          .order = 5,
          .error_order = 5,
          .error_weight = 50,
          .problem = ProblemKind::dae,
          .formulation = "ggl",
          .tests_algebraic_velocities = false,  // constraints make them noisy
          .integrate = integrate_with_ida};
}

}  // namespace kardan
