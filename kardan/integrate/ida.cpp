#include "kardan/integrate/ida.h"

#include <fmt/format.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/integrate/dae_problem.h"
#include "kardan/integrate/driver.h"
#include "kardan/integrate/events.h"

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
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
    memory_ = IDACreate(context_);
    IDASetErrHandlerFn(
        memory_, [](int, const char*, const char*, char*, void*) {}, nullptr);
    IDASetUserData(memory_, this);
    IDAInit(memory_, residual, 0, y_, dy_);
    IDAWFtolerances(memory_, weights);
    for (int i = 0; i < differential; ++i) N_VGetArrayPointer(scratch_)[i] = 1;
    IDASetId(memory_, scratch_);
    IDASetSuppressAlg(memory_, SUNTRUE);
    IDASetLinearSolver(memory_, solver_, matrix_);
    IDASetJacFn(memory_, jacobian);
  }
  ~Ida() {
    IDAFree(&memory_);
    SUNLinSolFree(solver_);
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
  int step(double stop, double& t) {
    IDASetStopTime(memory_, stop);
    return IDASolve(memory_, stop, &t, y_, dy_, IDA_ONE_STEP);
  }
  /// y() at a time inside the last step.
  int inside(double t) { return IDAGetDky(memory_, t, 0, y_); }
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
    for (int j = 0; j < me.J_.cols(); ++j) {
      realtype* column = SUNDenseMatrix_Column(J, j);
      for (int i = 0; i < me.J_.rows(); ++i) column[i] = me.J_(i, j);
    }
    return 0;
  }

  IdaClient& client_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, dy_ = nullptr, scratch_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  Matrix J_;
};

/// The driver around IDA: see integrate() of driver.h for what it promises.
class IdaDriver final : public IdaClient {
 public:
  IdaDriver(DaeProblem& problem, const Method& method, State& state, double t_end,
            const DriverOptions& options, const Observer& observer)
      : problem_(problem),
        method_(method),
        state_(state),
        t_end_(t_end),
        options_(options),
        observer_(observer),
        scale_(options.scale ? *options.scale : problem.default_scale(options.tolerance)),
        stop_times_(options.stop_times),
        events_(problem, options) {
    stop_times_.push_back(t_end);
    std::ranges::sort(stop_times_);
  }

  DriverReport run() {
    report_.smallest_step = std::numeric_limits<double>::infinity();
    const DriverOptions usual;
    if (options_.fixed_step > 0 || options_.control != usual.control ||
        options_.safety != usual.safety || options_.growth != usual.growth ||
        options_.shrink != usual.shrink || options_.keep_below != usual.keep_below ||
        options_.estimate != usual.estimate) {
      report_.diagnosis = Diagnosis::options_wrong;
      stop(Reason::refused, fmt::format("'{}' has its own step control", method_.name),
           "leave out the fixed step, control, safety, growth, shrink, keep_below and estimate");
      return finish();
    }
    const double slack = rounding();
    bool going = restart(options_.first_step);
    while (going && state_.t < t_end_ - slack) {
      if (report_.counters.steps >= options_.max_steps) {
        report_.diagnosis = Diagnosis::too_many_steps;
        stop(Reason::too_many_steps,
             fmt::format("t = {:.9g}: {} steps were taken", state_.t, options_.max_steps),
             "raise max_steps, or ask for less accuracy");
        break;
      }
      going = step();
    }
    return finish();
  }

  Eval residual(double t, const double* y, const double* dy, double* F) override {
    ++report_.counters.evaluations;
    const auto n = static_cast<std::size_t>(problem_.unknowns());
    if (Eval e = problem_.residual(t, {y, n}, {dy, n}, F_); e != Eval::ok) return e;
    matrix_->square(F_, {y, n}, {F, n});
    return Eval::ok;
  }
  Eval jacobian(double t, double c, const double* y, Matrix& J) override {
    ++report_.counters.jacobians;
    const auto n = static_cast<std::size_t>(problem_.unknowns());
    if (Eval e = problem_.linearize(t, {y, n}, *matrix_); e != Eval::ok) return e;
    return matrix_->matrix(c, J) ? Eval::ok : Eval::fatal;
  }
  /// The mean square of N errors is small when one of them alone is large by sqrt(N).
  void weights(double* w) override {
    problem_.error_weights(state_, scale_, weights_);
    const int n = problem_.unknowns(), own = differential();
    std::fill(w, w + n, no_weight);
    double* to = w;
    for (const Vector* part : {&weights_.x, &weights_.u, &weights_.z})
      to = std::ranges::copy(*part, to).out;
    const double factor = std::sqrt(static_cast<double>(n)) * method_.error_weight;
    const double higher = problem_.velocity_index() > 1 ? no_weight : 1;
    for (int i = 0; i < own; ++i) w[i] *= factor;
    for (int i = problem_.second(); i < 2 * problem_.second(); ++i)
      w[i] = std::max(w[i] * higher, no_weight);
  }

 private:
  int differential() const { return 2 * problem_.second() + problem_.first(); }
  double rounding() const {
    return 4 * std::numeric_limits<double>::epsilon() *
           std::max(std::abs(t_end_), std::abs(state_.t));
  }
  double next_stop() const {
    for (double t : stop_times_)
      if (t > state_.t + rounding()) return std::min(t, t_end_);
    return t_end_;
  }
  void unpack(const double* from) {
    y_.resize(problem_.second(), problem_.first());
    for (Vector* part : {&y_.x, &y_.u, &y_.z}) {
      std::copy_n(from, part->size(), part->begin());
      from += part->size();
    }
  }
  DriverReport finish() {
    if (report_.reason != Reason::refused && problem_at_ != state_.t) (void)problem_.rebase(state_);
    report_.t = state_.t;
    if (report_.counters.steps == 0) report_.smallest_step = 0;
    return std::move(report_);
  }
  void stop(Reason reason, std::string message, std::string advice) {
    report_.reason = reason;
    report_.message = std::move(message);
    report_.advice = std::move(advice);
  }

  /// Moves the base to the state, chooses the equations there and begins.
  bool restart(double first) {
    Matrix unused;
    matrix_ = problem_.make_linearization();
    Eval e = problem_.rebase(state_);
    if (e == Eval::ok) e = problem_.linearize(state_.t, problem_.base_values(), *matrix_);
    if (e != Eval::ok) {
      report_.diagnosis = problem_.diagnosis();
      stop(Reason::evaluation_failed,
           fmt::format("t = {:.9g}: the equations could not be evaluated: {}", state_.t,
                       problem_.culprit()),
           "check the model at this state (`kardan check`), or choose another formulation");
      return false;
    }
    if (!matrix_->matrix(1, unused)) {
      report_.diagnosis = Diagnosis::options_wrong;
      stop(Reason::refused,
           fmt::format("'{}' wants as many equations as unknowns, the same at every time",
                       method_.name),
           "use it on 'ggl', 'index_1', 'index_2' or 'index_3'");
      return false;
    }
    matrix_->freeze();
    ++report_.counters.evaluations;
    F_.resize(problem_.equations());
    problem_at_ = state_.t;
    problem_.base_point(dense_.to);
    if (!ida_) ida_ = std::make_unique<Ida>(problem_.unknowns(), differential(), *this);
    std::ranges::copy(problem_.base_values(), ida_->y());
    std::ranges::copy(problem_.base_rates(), ida_->dy());
    ida_->start(state_.t, first, options_.largest_step);
    counted_ = {};
    return true;
  }

  bool step() {
    const bool fresh = problem_at_ == state_.t;
    std::swap(dense_.from, dense_.to);
    double t = state_.t;
    const int flag = ida_->step(next_stop(), t);
    count();
    Eval e = flag < 0 ? Eval::recoverable : Eval::ok;
    if (e == Eval::ok) {
      unpack(ida_->y());
      e = problem_.finish(t, y_, next_, dense_.to);
      ++report_.counters.evaluations;
    }
    if (e != Eval::ok) return !fresh && flag != IDA_RES_FAIL ? restart(0) : failed(flag);
    return conclude(t - state_.t);
  }

  bool conclude(double h) {
    unpack(ida_->errors());
    const double error = method_.error_weight * problem_.error_norm(y_, next_, scale_);
    bool event = false;
    if (problem_.events() > 0) {
      const double whole = h;
      const EventSearch::Ending ending =
          events_.end_step(dense_, state_, next_, h, [&](double trial) {
            h = std::min(trial, whole);
            if (ida_->inside(state_.t + h) != IDA_SUCCESS) return Eval::recoverable;
            unpack(ida_->y());
            return problem_.finish(state_.t + h, y_, next_, dense_.to);
          });
      event = ending.event;
      if (ending.eval != Eval::ok) return failed(0);
    }
    ++report_.counters.steps;
    report_.smallest_step = std::min(report_.smallest_step, h);
    report_.largest_step = std::max(report_.largest_step, h);
    const StepView view{state_.t + h, h, error, &next_, &dense_, &problem_, &report_.counters};
    const std::string wish = observer_ ? observer_(view) : std::string();
    if (event) events_.pass(dense_, next_, report_);
    state_ = next_;
    if (report_.reason != Reason::finished) return false;
    if (!wish.empty()) {
      report_.diagnosis = Diagnosis::stopped;
      stop(Reason::stopped, wish, "");
      return false;
    }
    const bool chart_holds = problem_.advance(dense_.to);
    return (event || !chart_holds) && state_.t < t_end_ - rounding() ? restart(0) : true;
  }

  bool failed(int flag) {
    const std::string culprit = problem_.culprit();
    report_.diagnosis = flag == IDA_CONV_FAIL  ? Diagnosis::newton_slow
                        : flag == IDA_ERR_FAIL ? Diagnosis::error_test
                                               : problem_.diagnosis();
    stop(
        flag == IDA_RES_FAIL ? Reason::evaluation_failed : Reason::step_too_small,
        fmt::format("t = {:.9g}: {} found no step that is small enough{}", state_.t, method_.name,
                    culprit.empty() ? "" : "; trouble with " + culprit),
        "the motion may end here (a singular position, a contradiction of drivers, a force that is "
        "not finite): look at the last states, or loosen the tolerance");
    return false;
  }

  void count() {
    const Ida::Counts now = ida_->counts();
    Counters& c = report_.counters;
    c.rejected += now.rejected - counted_.rejected;
    c.failed += now.failed - counted_.failed;
    c.factorizations += now.factorizations - counted_.factorizations;
    c.iterations += now.iterations - counted_.iterations;
    c.solves += now.iterations - counted_.iterations;
    counted_ = now;
  }

  DaeProblem& problem_;
  const Method& method_;
  State& state_;
  double t_end_;
  const DriverOptions& options_;
  const Observer& observer_;
  ErrorScale scale_;
  std::vector<double> stop_times_;  // sorted, with the end
  EventSearch events_;
  std::unique_ptr<Ida> ida_;
  std::unique_ptr<DaeLinearization> matrix_;  // with the equations that count
  Ida::Counts counted_;
  double problem_at_ = std::numeric_limits<double>::quiet_NaN();  // time of the base
  Local y_, weights_;
  Vector F_;
  DenseStep dense_;
  State next_;
  DriverReport report_;
};

DriverReport integrate_with(ChartProblem& problem, const Method& method, State& state, double t_end,
                            const DriverOptions& options, const Observer& observer) {
  return IdaDriver(static_cast<DaeProblem&>(problem), method, state, t_end, options, observer)
      .run();
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
          .integrate = integrate_with};
}

}  // namespace kardan
