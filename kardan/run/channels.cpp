#include "kardan/run/channels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kardan/base/text.h"
#include "kardan/formulation/residuals.h"
#include "kardan/integrate/state_matrix.h"
#include "kardan/model/observation.h"
#include "kardan/run/result.h"

namespace kardan {
namespace {

std::string unit_of(const FieldMap& functions, const std::string& name) {
  for (const auto& [key, value] : functions) {
    const auto* map = key == name ? std::get_if<FieldMap>(&value.data) : nullptr;
    if (!map) continue;
    for (const auto& [field, given] : *map)
      if (field == "unit")
        if (const auto* text = std::get_if<std::string>(&given.data)) return *text;
  }
  return "1";
}

/// Gives an input another course for as long as it lives.
class OtherCourse {
 public:
  OtherCourse(SignalCourse& course, double t, double value, double slope)
      : course_(course), before_(course) {
    course_ = {t, {value, slope, 0, 0}};
  }
  OtherCourse(const OtherCourse&) = delete;
  OtherCourse& operator=(const OtherCourse&) = delete;
  ~OtherCourse() { course_ = before_; }

 private:
  SignalCourse& course_;
  SignalCourse before_;
};

/// The slope of a function that shall be affine; nothing where it is not.
std::optional<double> slope_of(const std::function<double(double)>& f, double at, double size) {
  const double middle = f(at), up = f(at + size), down = f(at - size), far = f(at + 2 * size);
  const double slope = (up - down) / (2 * size);
  const double scale = std::max({std::abs(up), std::abs(down), std::abs(middle), std::abs(far)});
  constexpr double rounding = 1e-12;
  const bool affine = std::abs(up - 2 * middle + down) <= rounding * scale &&
                      std::abs(far - 2 * up + middle) <= rounding * scale;
  if (!affine) return std::nullopt;
  return std::abs(slope) * size <= rounding * scale ? 0.0 : slope;
}

class ChannelFinder {
 public:
  ChannelFinder(const Prepared& prepared, const FieldMap& functions, const Modes& modes)
      : system_(*prepared.system),
        state_(prepared.start.state),
        inputs_(model_inputs(system_, functions)),
        problem_(system_),
        ws_(system_.make_workspace()),
        modes_(modes),
        channels_(out_.channels) {}

  FoundChannels run() && {
    find();
    return std::move(out_);
  }

 private:
  void find() {
    outputs();
    if (inputs_.empty() && quantities_.empty()) return;
    const bool whole = static_cast<int>(modes_.kept.size()) ==
                       static_cast<int>(2 * modes_.independent.size() + modes_.drift.size() +
                                        system_.states().size());
    if (!whole)
      return refuse("B, C and D of a motion along symmetries are not known",
                    "linearize a balance, or the equations at this instant (`--frozen`)");
    if (problem_.rebase(state_) != Eval::ok || problem_.jacobian(local_) != Eval::ok)
      return refuse("the equations could not be linearized again", "report this");
    if (!find_B()) return;
    find_C_and_D();
  }

  void refuse(const std::string& message, const std::string& advice) {
    channels_ = {};
    out_.status = Eval::recoverable;
    out_.message = message;
    out_.advice = advice;
  }

  int rows() const { return modes_.A.rows(); }

  /// Those of the model's outputs that are quantities of the motion.
  void outputs() {
    const std::vector<OutputData>& wanted = system_.blueprint().outputs;
    if (wanted.empty()) return;
    const ResultColumns columns(system_);
    for (std::size_t i = 0; i < columns.names().size(); ++i) {
      const std::string& name = columns.names()[i];
      const bool chosen = std::any_of(wanted.begin(), wanted.end(), [&](const OutputData& o) {
        return matches(o.pattern, name);
      });
      if (!chosen || name == "time") continue;
      const auto quantity = system_.find_quantity(name);
      const bool smooth = quantity && quantity->kind != Quantity::Kind::auxiliary &&
                          quantity->kind != Quantity::Kind::contact;
      if (!smooth) {
        out_.remarks.push_back(
            fmt::format("output '{}' is no function of positions and velocities: it has no row in "
                        "C and D",
                        name));
        continue;
      }
      quantities_.push_back(*quantity);
      channels_.outputs.push_back(name);
      channels_.output_units.push_back(system_.quantity_unit(*quantity));
    }
  }

  /// With a slope of one the motion has the partial time derivative A_t + (M B) of the input.
  bool find_B() {
    channels_.B.resize(rows(), static_cast<int>(inputs_.size()));
    channels_.B.set_zero();
    const Residuals still = constraint_residuals(system_, state_, {}, *ws_);
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      const ModelInput& input = inputs_[k];
      const double value = input.course->at(state_.t).value;
      channels_.inputs.push_back(input.info.name);
      channels_.input_units.push_back(input.info.unit);
      channels_.input_values.push_back(value);
      const OtherCourse course(*input.course, state_.t, value, 1);
      const Residuals moved = constraint_residuals(system_, state_, {}, *ws_);
      if (std::abs(moved.velocity - still.velocity) > 1e-12) {
        refuse(fmt::format("the input '{}' prescribes a motion: its rate and its acceleration are "
                           "inputs too",
                           input.info.name),
               "let it be the target of a motor with gains, or a force");
        return false;
      }
      StateSpace problem(system_);
      LocalJacobian local;
      if (problem.rebase(state_) != Eval::ok || problem.jacobian(local) != Eval::ok) {
        refuse("the equations could not be linearized with a moving input", "report this");
        return false;
      }
      Vector column;
      if (input_column(local_, local, column) != Eval::ok) {
        refuse("the mass matrix is singular", "check the model at its start (`kardan check`)");
        return false;
      }
      for (std::size_t i = 0; i < column.size(); ++i)
        channels_.B(static_cast<int>(i), static_cast<int>(k)) = column[i];
    }
    return true;
  }

  double value(const Quantity& q, const State& state) {
    return system_.quantity(q, state, 0, {}, {}, *ws_);
  }

  void find_C_and_D() {
    const int n = problem_.second_order(), drift = problem_.parametrization().drift();
    const int count = static_cast<int>(quantities_.size());
    channels_.C.resize(count, rows());
    channels_.D.resize(count, static_cast<int>(inputs_.size()));
    channels_.C.set_zero();
    channels_.D.set_zero();
    const Matrix &B = problem_.directions(), &U = problem_.velocity_directions(),
                 &V = problem_.velocity_changes();
    Vector by_p, by_v;
    for (int i = 0; i < count; ++i) {
      const Quantity& q = quantities_[static_cast<std::size_t>(i)];
      by_p.assign(static_cast<std::size_t>(system_.sizes().v), 0.0);
      by_v = by_p;
      channels_.output_values.push_back(system_.quantity(q, state_, 1, by_p, by_v, *ws_));
      const auto along = [](const Vector& gradient, const Matrix& way, int column) {
        double sum = 0;
        for (int r = 0; r < way.rows(); ++r)
          sum += gradient[static_cast<std::size_t>(r)] * way(r, column);
        return sum;
      };
      for (int k = 0; k < n + drift; ++k)
        channels_.C(i, k < n ? k : n + k) = along(by_p, B, k) + along(by_v, V, k);
      for (int k = 0; k < n; ++k) channels_.C(i, n + k) = along(by_v, U, k);
      if (!by_states(q, i, 2 * n + drift) || !by_inputs(q, i)) return;
    }
  }

  bool not_affine(int output, const std::string& of) {
    refuse(fmt::format("output '{}' depends on '{}', and not linearly",
                       channels_.outputs[static_cast<std::size_t>(output)], of),
           "leave it out of the outputs, or give what is linear in it");
    return false;
  }

  /// Dynamic variables of elements.
  bool by_states(const Quantity& q, int output, int first) {
    for (std::size_t r = 0; r < system_.states().size(); ++r) {
      State moved = state_;
      const auto at = [&](double value_of_r) {
        moved.r[r] = value_of_r;
        return value(q, moved);
      };
      const double r0 = state_.r[r];
      const auto slope = slope_of(at, r0, std::max(1.0, std::abs(r0)));
      if (!slope) return not_affine(output, system_.states()[r].name);
      channels_.C(output, first + static_cast<int>(r)) = *slope;
    }
    return true;
  }

  bool by_inputs(const Quantity& q, int output) {
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      SignalCourse& course = *inputs_[k].course;
      const double u0 = channels_.input_values[k];
      const auto at = [&](double u) {
        const OtherCourse other(course, state_.t, u, 0);
        return value(q, state_);
      };
      const auto slope = slope_of(at, u0, std::max(1.0, std::abs(u0)));
      if (!slope) return not_affine(output, inputs_[k].info.name);
      channels_.D(output, static_cast<int>(k)) = *slope;
    }
    return true;
  }

  const System& system_;
  const State& state_;
  std::vector<ModelInput> inputs_;
  StateSpace problem_;
  std::unique_ptr<Workspace> ws_;
  const Modes& modes_;
  FoundChannels out_;
  Channels& channels_;
  std::vector<Quantity> quantities_;
  LocalJacobian local_;
};

/// Derivatives very near to the state, on two opposite sides of it, for two ways through it.
bool differs_to_both_sides(const System& system, const State& state) {
  // Far below what smooth laws change over, far above rounding.
  constexpr double near = 1e-9, kink = 1e-5;
  StateSpace problem(system);
  if (problem.rebase(state) != Eval::ok) return false;
  const Matrix B = problem.directions(), U = problem.velocity_directions();
  for (const bool alternate : {false, true}) {
    LocalJacobian sides[2];
    for (const int side : {0, 1}) {
      const double size = side == 0 ? near : -near;
      const auto along = [&](const Matrix& ways) {
        Vector out(static_cast<std::size_t>(ways.rows()), 0.0);
        for (int i = 0; i < ways.rows(); ++i)
          for (int k = 0; k < ways.cols(); ++k)
            out[static_cast<std::size_t>(i)] +=
                (alternate && k % 2 == 1 ? -size : size) * ways(i, k);
        return out;
      };
      State moved = state;
      system.retract(state.p, along(B), moved.p);
      const Vector faster = along(U);
      for (std::size_t i = 0; i < faster.size(); ++i) moved.v[i] += faster[i];
      StateSpace there(system);
      if (there.rebase(moved) != Eval::ok || there.jacobian(sides[side]) != Eval::ok) return false;
    }
    for (const auto& [a, b] :
         {std::pair(&sides[0].A_x, &sides[1].A_x), std::pair(&sides[0].A_u, &sides[1].A_u)}) {
      if (a->rows() != b->rows() || a->cols() != b->cols()) return false;
      double largest = 0, apart = 0;
      for (std::size_t i = 0; i < a->size(); ++i) {
        largest = std::max(largest, std::abs(a->data()[i]));
        apart = std::max(apart, std::abs(a->data()[i] - b->data()[i]));
      }
      if (apart > kink * largest) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<ModelInput> model_inputs(const System& system, const FieldMap& functions) {
  std::vector<ModelInput> out;
  for (const auto& [name, value] : functions) {
    const auto function = system.blueprint().parameters.function(name);
    const auto* signal = dynamic_cast<const SignalFunction*>(function.get());
    if (signal)
      out.push_back(
          {{name, unit_of(functions, name), signal->start(), signal->mode()}, signal->course()});
  }
  return out;
}

FoundChannels find_channels(const Prepared& prepared, const FieldMap& functions,
                            const Modes& modes) {
  return ChannelFinder(prepared, functions, modes).run();
}

std::vector<std::string> kinks_at(const System& system, const State& state) {
  // What rounding leaves of a function that is zero where the model stands by its data.
  constexpr double rounding = 1e-12;
  std::vector<std::string> out;
  const std::vector<std::string>& names = system.event_names();
  std::vector<double> z(names.size());
  const auto ws = system.make_workspace();
  system.events(state, z, *ws);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool watched = std::ranges::any_of(
        system.blueprint().events, [&](const EventData& e) { return e.name == names[i]; });
    if (!watched && std::abs(z[i]) <= rounding)
      out.push_back(fmt::format(
          "stands on a kink: '{}' is at its switch, and the equations of one side are linearized",
          names[i]));
  }
  if (out.empty() && differs_to_both_sides(system, state))
    out.emplace_back(
        "stands on a kink: a force has other slopes on one side of this state than on the other, "
        "and "
        "those of one side are linearized");
  return out;
}

}  // namespace kardan
