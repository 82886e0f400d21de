#include "kardan/integrate/cvode.h"

#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/integrate/driver.h"
#include "kardan/integrate/events.h"
#include "kardan/integrate/state_matrix.h"

namespace kardan {
namespace {

/// What CVODE asks back for.
class CvodeClient {
 public:
  virtual ~CvodeClient() = default;
  virtual Eval derivative(double t, const double* y, double* dy) = 0;
  virtual Eval jacobian(double t, const double* y, Matrix& J) = 0;
  virtual void weights(double* w) = 0;
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
      solver_ = SUNLinSol_Dense(y_, matrix_, context_);
      CVodeSetLinearSolver(memory_, solver_, matrix_);
      CVodeSetJacFn(memory_, jacobian);
    }
  }
  ~Cvode() {
    CVodeFree(&memory_);
    if (iteration_) SUNNonlinSolFree(iteration_);
    if (solver_) SUNLinSolFree(solver_);
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
  /// One step, not beyond `stop`; y() and t are its end.
  int step(double stop, double& t) {
    CVodeSetStopTime(memory_, stop);
    return CVode(memory_, stop, y_, &t, CV_ONE_STEP);
  }
  /// y() at a time inside the last step.
  int inside(double t) { return CVodeGetDky(memory_, t, 0, y_); }
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
    SUNMatZero(J);
    for (int j = 0; j < me.J_.cols(); ++j) {
      realtype* column = SUNDenseMatrix_Column(J, j);
      for (int i = 0; i < me.J_.rows(); ++i) column[i] = me.J_(i, j);
    }
    return 0;
  }

  CvodeClient& client_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, scratch_ = nullptr;
  void* memory_ = nullptr;
  SUNNonlinearSolver iteration_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  Matrix J_;
};

void pack(const Local& from, double* to) {
  for (const Vector* part : {&from.x, &from.u, &from.z}) to = std::ranges::copy(*part, to).out;
}
void unpack(const double* from, Local& to) {
  for (Vector* part : {&to.x, &to.u, &to.z}) {
    std::copy_n(from, part->size(), part->begin());
    from += part->size();
  }
}

/// The driver around CVODE: see integrate() of driver.h for what it promises.
class MultistepDriver final : public CvodeClient {
 public:
  MultistepDriver(int family, ChartProblem& problem, const Method& method, State& state,
                  double t_end, const DriverOptions& options, const Observer& observer)
      : family_(family),
        problem_(problem),
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
    if (!refusal().empty()) {
      stop(Reason::refused, fmt::format("'{}' has its own step control", method_.name),
           fmt::format("leave out {}", refusal()));
      return finish();
    }
    const double slack =
        4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t_end_), std::abs(state_.t));
    bool going = restart(options_.first_step);
    while (going && state_.t < t_end_ - slack) {
      if (report_.counters.steps >= options_.max_steps) {
        stop(Reason::too_many_steps,
             fmt::format("t = {:.9g}: {} steps were taken", state_.t, options_.max_steps),
             "raise max_steps, or ask for less accuracy");
        break;
      }
      going = step();
    }
    return finish();
  }

  Eval derivative(double t, const double* y, double* dy) override {
    unpack(y, y_);
    ++report_.counters.evaluations;
    if (Eval e = problem_.rate(t, y_, rate_); e != Eval::ok) return e;
    dy = std::ranges::copy(y_.u, dy).out;
    dy = std::ranges::copy(rate_.a, dy).out;
    std::ranges::copy(rate_.b, dy);
    return all_finite(rate_.a) && all_finite(rate_.b) ? Eval::ok : Eval::recoverable;
  }

  Eval jacobian(double t, const double* y, Matrix& J) override {
    unpack(y, y_);
    ++report_.counters.jacobians;
    Eval e = problem_.jacobian_at(t, y_, Derivatives::exact, local_);
    // Where the problem knows it at the base only: that is good enough to iterate with.
    if (e == Eval::fatal) e = problem_.jacobian(local_);
    if (e != Eval::ok) return e;
    return state_matrix(local_, J);
  }

  /// The mean square of N errors is small when one of them alone is large by sqrt(N).
  void weights(double* w) override {
    problem_.error_weights(state_, scale_, weights_);
    pack(weights_, w);
    const double factor = std::sqrt(static_cast<double>(size())) * method_.error_weight;
    for (int i = 0; i < size(); ++i) w[i] *= factor;
  }

 private:
  /// The option it would have to ignore, if any.
  std::string refusal() const {
    const DriverOptions usual;
    if (options_.fixed_step > 0) return "the fixed step, or bound it by the largest step";
    if (options_.safety != usual.safety) return "safety";
    if (options_.growth != usual.growth) return "growth";
    if (options_.shrink != usual.shrink) return "shrink";
    if (options_.keep_below != usual.keep_below) return "keep_below";
    if (options_.control != usual.control) return "control";
    if (options_.estimate != usual.estimate) return "estimate";
    return "";
  }

  /// The next time at which a step shall end.
  double next_stop() const {
    const double past =
        4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t_end_), std::abs(state_.t));
    for (double t : stop_times_)
      if (t > state_.t + past) return std::min(t, t_end_);
    return t_end_;
  }

  int size() const { return 2 * problem_.second() + problem_.first(); }

  DriverReport finish() {
    // Whoever looks at the problem after the run finds it at the end.
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

  /// Moves the base to the state and begins there.
  bool restart(double first) {
    if (problem_.rebase(state_) != Eval::ok) {
      stop(Reason::evaluation_failed,
           fmt::format("t = {:.9g}: the equations could not be evaluated: {}", state_.t,
                       problem_.culprit()),
           "check the model at this state (`kardan check`), or choose another formulation");
      return false;
    }
    ++report_.counters.evaluations;
    problem_at_ = state_.t;
    problem_.base_point(dense_.to);
    y_ = problem_.base();
    // A problem without degrees of freedom still has a time: one variable that rests.
    const int n = std::max(size(), 1);
    if (!cvode_ || cvode_->size() != n) cvode_ = std::make_unique<Cvode>(family_, n, *this);
    pack(y_, cvode_->y());
    // Below this a step is lost in the rounding of t.
    const double floor = 16 * std::numeric_limits<double>::epsilon() *
                         std::max(std::abs(state_.t), std::abs(t_end_));
    cvode_->start(state_.t, first, std::max(options_.smallest_step, floor), options_.largest_step);
    counted_ = {};
    return true;
  }

  bool step() {
    const bool fresh = problem_at_ == state_.t;
    std::swap(dense_.from, dense_.to);
    double t = state_.t;
    const int flag = cvode_->step(next_stop(), t);
    count();
    Eval e = flag < 0 ? Eval::recoverable : Eval::ok;
    if (e == Eval::ok) {
      unpack(cvode_->y(), y_);
      e = end_at(t);
    }
    if (e != Eval::ok) {
      // Away from the base the chart may be at fault: once more from a new one.
      if (!fresh && flag != CV_RHSFUNC_FAIL) return restart(0);
      return failed(flag);
    }
    return conclude(t - state_.t, problem_.advance(dense_.to));
  }

  Eval end_at(double t) {
    ++report_.counters.evaluations;
    return problem_.finish(t, y_, next_, dense_.to);
  }

  bool conclude(double h, bool chart_holds) {
    unpack(cvode_->errors(), y_);
    const double error = method_.error_weight * problem_.error_norm(y_, next_, scale_);
    bool event = false;
    if (problem_.events() > 0) {
      const double whole = h;
      const EventSearch::Ending ending =
          events_.end_step(dense_, state_, next_, h, [&](double trial) {
            h = std::min(trial, whole);
            if (cvode_->inside(state_.t + h) != CV_SUCCESS) return Eval::recoverable;
            unpack(cvode_->y(), y_);
            return end_at(state_.t + h);
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
      stop(Reason::stopped, wish, "");
      return false;
    }
    return (event || !chart_holds) && state_.t < t_end_ ? restart(0) : true;
  }

  bool failed(int flag) {
    const std::string culprit = problem_.culprit();
    if (flag == CV_RHSFUNC_FAIL) {
      stop(Reason::evaluation_failed, fmt::format("t = {:.9g}: {}", state_.t, culprit), "");
    } else if (flag == CV_TOO_MUCH_ACC) {
      stop(Reason::step_too_small,
           fmt::format("t = {:.9g}: the tolerance {:.2g} is below what rounding allows", state_.t,
                       options_.tolerance),
           "loosen the tolerance");
    } else {
      stop(Reason::step_too_small,
           fmt::format("t = {:.9g}: {} found no step that is small enough{}", state_.t,
                       method_.name, culprit.empty() ? "" : "; trouble with " + culprit),
           "the motion may end here (a singular position, a contradiction of drivers, a force that "
           "is not finite): look at the last states, or loosen the tolerance");
    }
    return false;
  }

  void count() {
    const Cvode::Counts now = cvode_->counts();
    report_.counters.rejected += now.rejected - counted_.rejected;
    report_.counters.failed += now.failed - counted_.failed;
    report_.counters.factorizations += now.factorizations - counted_.factorizations;
    counted_ = now;
  }

  int family_;
  ChartProblem& problem_;
  const Method& method_;
  State& state_;
  double t_end_;
  const DriverOptions& options_;
  const Observer& observer_;
  ErrorScale scale_;
  std::vector<double> stop_times_;  // sorted, with the end
  EventSearch events_;
  std::unique_ptr<Cvode> cvode_;
  Cvode::Counts counted_;
  double problem_at_ = std::numeric_limits<double>::quiet_NaN();  // time of the base
  Local y_, weights_;
  LocalRate rate_;
  LocalJacobian local_;
  DenseStep dense_;
  State next_;
  DriverReport report_;
};

template <int family>
DriverReport integrate_with(ChartProblem& problem, const Method& method, State& state, double t_end,
                            const DriverOptions& options, const Observer& observer) {
  return MultistepDriver(family, problem, method, state, t_end, options, observer).run();
}

}  // namespace

Method adams() {
  return {.name = "adams",
          .summary = "Adams-Moulton, variable order, functional iteration",
          .source = "SUNDIALS CVODE, Hindmarsh et al. 2005",
          .order = 12,
          .error_order = 12,
          .is_explicit = true,
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
          .integrate = integrate_with<CV_BDF>};
}

}  // namespace kardan
