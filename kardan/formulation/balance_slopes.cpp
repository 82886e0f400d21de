#include "kardan/formulation/balance_slopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/balance.h"
#include "kardan/linalg/dense_lu.h"

namespace kardan {
namespace {

constexpr int max_newton = 60;
constexpr int max_relaxation = 400;
/// Share of the largest stiffness that the mass matrix adds: it decides how far directions without
/// stiffness move (round-off over this) and below which share of it a stiffness is not seen.
constexpr double neutral_stiffness = 1e-9;
/// A balance is reached when the scaled residual is below this; Newton goes on while it gains.
constexpr double balanced = 1e-10;
/// From here on steps go by the matrix of the iterate before, while the residual falls fast.
constexpr double near_balance = 1e-2;
/// Slopes by the parameters to be found are known from an earlier iterate while the residual falls
/// faster than this.
constexpr double worth_new_slopes = 0.1;

class Balancer {
 public:
  Balancer(const SystemFactory& factory, Diagnostics& diagnostics, const BalanceSlopes* begin)
      : factory_(factory), diagnostics_(diagnostics), first_slopes_(begin) {}

  BalanceSlopes slopes() && { return std::move(slopes_); }

  Equilibrium run() {
    Equilibrium out;
    out.system = factory_({});
    if (!out.system) {
      out.report.status = Eval::fatal;
      out.report.message = "the model does not compile";
      return out;
    }
    system_ = out.system.get();
    names_ = system_->blueprint().equilibrium.solve;
    if (!start(out.report)) return out;
    const Iterate first = at_;
    bool done = iterate(max_newton, neutral_stiffness, out.report);
    if (!done) {
      at_ = first;
      owned_.reset();
      system_ = out.system.get();
      out.report.relaxed = true;
      done = set_parameters(at_.theta) && relax(out.report);
    }
    if (owned_) out.system = std::move(owned_);
    system_ = out.system.get();
    finish(done, out);
    return out;
  }

 private:
  bool start(EquilibriumReport& report) {
    if (system_->sizes().multiplier_forces) {
      report.status = Eval::fatal;
      report.message = "no balance is looked for where forces depend on multipliers";
      report.advice = "start assembled";
      return false;
    }
    if (!system_->frictions().empty()) {
      report.status = Eval::fatal;
      report.message = "no balance is looked for where there is dry friction: there are many";
      report.advice = "start assembled, and let it come to rest";
      return false;
    }
    for (const std::string& name : names_)
      at_.theta.push_back(*system_->blueprint().parameters.find(name));
    bind(diagnostics_);
    if (diagnostics_.has_errors()) {
      report.status = Eval::fatal;
      report.message = "the wishes of the equilibrium name unknown quantities";
      return false;
    }
    State guess = system_->start();
    given_v_ = guess.v;
    if (!system_->blueprint().equilibrium.keep_velocities)
      std::fill(given_v_.begin(), given_v_.end(), 0.0);
    // The search begins where the wishes of the assembly put the model; the report says which of
    // them the balance has kept.
    held_ = bind_wishes(system_->blueprint().wishes, *system_, diagnostics_);
    const ConsistentStart assembled = assemble(*system_, guess, held_);
    if (assembled.report.status != Eval::ok && !assembled.report.conflicts.empty()) {
      report.status = Eval::fatal;
      report.message = "the start does not assemble: " + assembled.report.message;
      report.advice = assembled.report.advice;
      return false;
    }
    at_.state = assembled.state;
    at_.state.v = given_v_;
    at_.lambda = assembled.lambda;
    at_.lambda.resize(system_->sizes().constraints(), 0.0);
    balance_ = std::make_unique<Balance>(*system_);
    return true;
  }

  /// Wishes for parameters first, then those of place.
  static std::vector<BoundWish> bound(const System& system, Diagnostics& diagnostics) {
    const EquilibriumData& e = system.blueprint().equilibrium;
    std::vector<BoundWish> all = bind_wishes(e.wishes, system, diagnostics);
    for (BoundWish& w : bind_wishes(e.place, system, diagnostics)) all.push_back(std::move(w));
    return all;
  }
  void bind(Diagnostics& diagnostics) { wishes_ = bound(*system_, diagnostics); }

  /// The largest residual: forces by the weight they balance, positions by the length scale.
  double size_of(const Vector& r) const {
    const Scales& s = system_->scales();
    const int n = system_->sizes().v, m = system_->sizes().constraints();
    double largest = 0;
    for (int i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(r[i]) * column_scale(*system_, i) / s.length / force_);
    for (int i = 0; i < system_->sizes().lambda; ++i)
      largest = std::max(largest, std::abs(scaled_residual(*system_, i, 0, r[n + i])));
    for (std::size_t i = n + m; i < r.size(); ++i)
      largest = std::max(largest, std::abs(r[i]) / force_);
    return largest;
  }

  /// Typical force: the largest that acts, at least the mean weight.
  void measure_force() {
    const Scales& s = system_->scales();
    force_ = s.mass * s.acceleration;
    for (double f : balance_->workspace().f) force_ = std::max(force_, std::abs(f));
  }

  double evaluate(const Iterate& at, Vector& misses) {
    if (balance_->evaluate(at) != Eval::ok) return std::numeric_limits<double>::infinity();
    if (force_ == 0) measure_force();
    double size = size_of(balance_->residual());
    misses.resize(wishes_.size());
    for (std::size_t i = 0; i < wishes_.size(); ++i) {
      misses[i] = wish_residual(wishes_[i], *system_, at.state, {}, balance_->workspace());
      size = std::max(size, std::abs(misses[i]) /
                                (system_->scales().length + std::abs(wishes_[i].data->equals)));
    }
    return std::isfinite(size) ? size : std::numeric_limits<double>::infinity();
  }

  /// Newton with a line search until nothing is gained.
  bool iterate(int limit, double sigma, EquilibriumReport& report) {
    Vector misses;
    system_->choose_modes(at_.state, balance_->workspace());
    double size = evaluate(at_, misses);
    bool fresh = !begin_with_slopes();
    factored_ = false;
    for (int k = 0; k < limit; ++k, ++report.iterations) {
      // Multipliers begin far from their values, and so does the best order of pivots.
      if (k == 1 && !names_.empty()) balance_->forget_pivots();
      if (!step(sigma, misses)) return false;
      // A step against the forces leads to a balance that would fall over; relaxation does not.
      if (names_.empty() && size > balanced && pushes_along_step() < 0) return false;
      Iterate next;
      double factor = 1, new_size = 0;
      bool gained = false;
      for (int halvings = 0; halvings < 8 && !gained; ++halvings, factor *= 0.5) {
        Iterate trial = move(factor);
        if (!set_parameters(trial.theta)) continue;
        system_->choose_modes(trial.state, balance_->workspace());
        new_size = evaluate(trial, misses);
        gained = new_size < size || (halvings == 0 && new_size < 2 * size && k < 3);
        if (gained) next = std::move(trial);
      }
      if (!gained) {
        if (!set_parameters(at_.theta)) return false;
        system_->choose_modes(at_.state, balance_->workspace());
        size = evaluate(at_, misses);
        if (size < balanced || fresh) return size < balanced;
        slopes_.residual.clear();
        factored_ = false;
        fresh = true;
        continue;
      }
      const bool slow = new_size > 0.3 * size;
      fresh = new_size > worth_new_slopes * size && new_size > balanced;
      if (fresh) slopes_.residual.clear();
      // Near the balance the matrix hardly changes any more.
      factored_ = size < near_balance && !fresh && !names_.empty();
      fresh = fresh || names_.empty();
      at_ = std::move(next);
      size = new_size;
      if (size < balanced && slow) return true;
    }
    return size < balanced;
  }

  /// Whether there are slopes to begin with: they hardly change on the way.
  bool begin_with_slopes() {
    slopes_ = {};
    if (names_.empty() || !first_slopes_ || first_slopes_->residual.size() != names_.size())
      return false;
    const auto fits = [](const std::vector<Vector>& all, std::size_t size) {
      return std::ranges::all_of(all, [&](const Vector& x) { return x.size() == size; });
    };
    if (!fits(first_slopes_->residual, static_cast<std::size_t>(balance_->size())) ||
        !fits(first_slopes_->wish, wishes_.size()))
      return false;
    slopes_ = *first_slopes_;
    return true;
  }

  /// Pseudo-transient continuation: sigma falls with the residual (switched evolution relaxation).
  bool relax(EquilibriumReport& report) {
    Vector misses;
    double first = 0, sigma = 1;
    for (int k = 0; k < max_relaxation; ++k, ++report.iterations) {
      system_->choose_modes(at_.state, balance_->workspace());
      const double size = evaluate(at_, misses);
      if (!std::isfinite(size)) return false;
      if (k == 0) first = std::max(size, balanced);
      sigma = std::max(neutral_stiffness, std::min(sigma, size / first));
      if (size < 1e-6 && iterate(max_newton, neutral_stiffness, report)) return true;
      slopes_.residual.clear();
      factored_ = false;
      if (!step(sigma, misses)) return false;
      at_ = move(1);
      if (!set_parameters(at_.theta)) return false;
    }
    return false;
  }

  /// Work of the forces that do not balance along the step.
  double pushes_along_step() const {
    const auto n = static_cast<std::size_t>(system_->sizes().v);
    return dot({balance_->residual().data(), n}, {step_.data(), n});
  }

  /// Computes the Newton step into step_ (limited in length).
  bool step(double sigma, const Vector& misses) {
    if (!factored_ && balance_->factor(at_, sigma) != Eval::ok) return false;
    const int n = system_->sizes().v;
    step_ = balance_->residual();
    balance_->solve(step_);
    theta_step_.assign(names_.size(), 0.0);
    if (!wishes_.empty() && !bordered(misses)) return false;
    if (!all_finite(step_)) return false;
    limit_ = 1;
    for (int i = 0; i < n; ++i)
      limit_ =
          std::min(limit_, 0.2 / std::max(0.2, std::abs(step_[i]) / column_scale(*system_, i)));
    return true;
  }

  /// Parameters theta and pushes nu along the place wishes:
  ///   (C A^-1 [R_theta, C'] + [c_theta, 0]) (dtheta, nu) = -(c + C A^-1 R).
  /// A push moves what nothing holds and, A being stiff elsewhere, nothing else.
  bool bordered(const Vector& misses) {
    const int n = system_->sizes().v;
    const auto count = static_cast<int>(wishes_.size());
    const auto parameters = static_cast<int>(names_.size());
    Matrix rows(count, n);
    for (int i = 0; i < count; ++i)
      wish_residual(wishes_[i], *system_, at_.state,
                    std::span<double>(rows.row(i), static_cast<std::size_t>(n)),
                    balance_->workspace());
    if (static_cast<int>(slopes_.residual.size()) != parameters) {
      slopes_.residual.assign(parameters, {});
      slopes_.wish.assign(parameters, {});
      for (int j = 0; j < parameters; ++j)
        if (!parameter_slope(j, slopes_.residual[j], slopes_.wish[j])) return false;
    }
    std::vector<Vector> columns;
    for (int j = 0; j < count; ++j) {
      Vector column(balance_->size(), 0.0);
      if (j < parameters)
        column = slopes_.residual[j];
      else
        std::copy_n(rows.row(j), n, column.begin());
      balance_->solve(column);
      columns.push_back(std::move(column));
    }
    Matrix small(count, count);
    Vector unknowns(count);
    for (int i = 0; i < count; ++i) {
      const std::span<const double> row(rows.row(i), static_cast<std::size_t>(n));
      unknowns[i] = -misses[i] - dot(row, {step_.data(), row.size()});
      for (int j = 0; j < count; ++j)
        small(i, j) =
            dot(row, {columns[j].data(), row.size()}) + (j < parameters ? slopes_.wish[j][i] : 0.0);
    }
    DenseLu lu;
    if (lu.factor(small) != Eval::ok) return false;
    lu.solve(unknowns);
    theta_step_.assign(unknowns.begin(), unknowns.begin() + parameters);
    for (int j = 0; j < count; ++j) add_scaled(unknowns[j], columns[j], step_);
    return true;
  }

  /// d(residual)/d(theta_j) and d(wishes)/d(theta_j) by central differences over compiled models.
  bool parameter_slope(int j, Vector& slope, Vector& miss) {
    const double h = 1e-6 * std::max(std::abs(at_.theta[j]), 1e-3);
    Vector sides[2], misses[2];
    for (int side = 0; side < 2; ++side) {
      Vector theta = at_.theta;
      theta[j] += side == 0 ? h : -h;
      const auto other = factory_(values(theta));
      if (!other) return false;
      if (balance_->evaluate_on(*other, at_, sides[side]) != Eval::ok) return false;
      Diagnostics discarded;
      for (const BoundWish& w : bound(*other, discarded))
        misses[side].push_back(wish_residual(w, *other, at_.state, {}, balance_->workspace()));
    }
    slope = sides[0];
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (sides[0][i] - sides[1][i]) / (2 * h);
    miss = misses[0];
    for (std::size_t i = 0; i < miss.size(); ++i) miss[i] = (misses[0][i] - misses[1][i]) / (2 * h);
    return true;
  }

  Iterate move(double factor) {
    factor *= limit_;
    const Sizes& s = system_->sizes();
    Iterate next = at_;
    Vector delta(step_.begin(), step_.begin() + s.v);
    for (double& d : delta) d *= factor;
    system_->retract(at_.state.p, delta, next.state.p);
    system_->follow_turns(at_.state, delta, next.state, balance_->workspace());
    for (int i = 0; i < s.constraints(); ++i) next.lambda[i] += factor * step_[s.v + i];
    const double* aux = step_.data() + s.v + s.constraints();
    for (int i = 0; i < s.r; ++i) next.state.r[i] += factor * aux[i];
    for (int i = 0; i < s.w; ++i) next.state.w[i] += factor * aux[s.r + i];
    for (std::size_t j = 0; j < next.theta.size(); ++j) next.theta[j] += factor * theta_step_[j];
    return next;
  }

  ParameterValues values(const Vector& theta) const {
    ParameterValues out;
    for (std::size_t j = 0; j < names_.size(); ++j) out.emplace_back(names_[j], theta[j]);
    return out;
  }

  /// Makes `theta` the parameters of the current system.
  bool set_parameters(const Vector& theta) {
    if (names_.empty()) return true;
    auto made = factory_(values(theta));
    if (!made) return false;
    const std::unique_ptr<System> last = std::exchange(owned_, std::move(made));
    const System* before = std::exchange(system_, owned_.get());
    bind(diagnostics_);
    if (balance_ && same_layout(*before, *system_))
      balance_->follow(*system_);
    else
      balance_ = std::make_unique<Balance>(*system_);
    return true;
  }

  void finish(bool done, Equilibrium& out) {
    Workspace& ws = balance_->workspace();
    out.parameters = values(at_.theta);
    out.start.state = at_.state;
    // Velocities are set last: given ones, made consistent, or rest.
    out.start.state.v = given_v_;
    report_wishes(wishes_, out);
    report_wishes(bind_wishes(system_->blueprint().wishes, *system_, diagnostics_), out);
    const Eval solved =
        solve_accelerations(*system_, out.start.state, out.start.a, out.start.lambda, ws);
    const Residuals reached = constraint_residuals(*system_, out.start.state, out.start.a, ws);
    out.start.report.reached = reached;
    out.report.largest_acceleration = norm_max(out.start.a);
    const bool fits = reached.velocity < 1e-9;
    if (done && solved == Eval::ok && fits) return;
    out.report.status = Eval::fatal;
    if (done && !fits)
      out.report.message =
          "the given velocities contradict the constraints in the balanced position";
    else
      out.report.message = "no balance was found";
    list_imbalance(out);
  }

  void report_wishes(const std::vector<BoundWish>& wishes, Equilibrium& out) {
    for (const BoundWish& w : wishes) {
      const double miss = wish_residual(w, *system_, out.start.state, {}, balance_->workspace());
      out.report.wishes.push_back(
          {w.data->text, w.data->priority, w.data->equals, w.data->equals + miss,
           std::abs(miss) <= 1e-9 * std::max(1.0, std::abs(w.data->equals))});
    }
  }

  void list_imbalance(Equilibrium& out) const {
    const auto ws = system_->make_workspace();
    Vector force(system_->sizes().v, 0.0);
    if (static_cast<int>(out.start.a.size()) == system_->sizes().v)
      ws->M.multiply_add(1, out.start.a, force);
    const int D = system_->dimension();
    for (std::size_t b = 1; b < system_->bodies().size(); ++b) {
      const BodyLayout& body = system_->bodies()[b];
      ForceImbalance item{system_->blueprint().bodies[b].name, 0, 0};
      for (int k = 0; k < body.v_count; ++k) {
        double& sum = k < D ? item.force : item.torque;
        sum = std::hypot(sum, force[body.v + k]);
      }
      out.report.imbalance.push_back(std::move(item));
    }
    std::sort(out.report.imbalance.begin(), out.report.imbalance.end(),
              [](const auto& a, const auto& b) { return a.force + a.torque > b.force + b.torque; });
    if (out.report.imbalance.size() > 5) out.report.imbalance.resize(5);
    if (!out.report.imbalance.empty())
      out.report.advice = fmt::format(
          "on '{}' a force of {:.3g} N and a torque of {:.3g} N m remain: hold it, support it, or "
          "start nearer to the balance",
          out.report.imbalance[0].body, out.report.imbalance[0].force,
          out.report.imbalance[0].torque);
  }

  const SystemFactory& factory_;
  Diagnostics& diagnostics_;
  const System* system_ = nullptr;
  std::unique_ptr<System> owned_;  // for parameters other than the model's own
  std::vector<std::string> names_;
  std::vector<BoundWish> wishes_, held_;
  std::unique_ptr<Balance> balance_;
  Iterate at_;
  Vector given_v_, step_, theta_step_;
  double limit_ = 1, force_ = 0;
  const BalanceSlopes* first_slopes_;
  BalanceSlopes slopes_;   // empty: to be found
  bool factored_ = false;  // the matrix of an iterate before will do
};

}  // namespace

Equilibrium find_equilibrium(const SystemFactory& factory, Diagnostics& diagnostics) {
  return find_equilibrium(factory, diagnostics, nullptr);
}

Equilibrium find_equilibrium(const SystemFactory& factory, Diagnostics& diagnostics,
                             const BalanceSlopes* begin, BalanceSlopes* found) {
  Balancer balancer(factory, diagnostics, begin);
  Equilibrium out = balancer.run();
  if (found) *found = std::move(balancer).slopes();
  return out;
}

}  // namespace kardan
