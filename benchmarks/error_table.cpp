/// The error that runs estimate of themselves beside the one they have: for tools/error_table, which
/// makes tables of it.
///
///   error_table MODEL T_END REFERENCE TOLERANCE METHODS TOLERANCES [ENDS]
///
/// prints a line for each run: method, tolerance, steps, estimate and error of positions and of
/// velocities, what the reference is good for, and what the run says of its estimate. The error is
/// looked at in at most ENDS ends of steps and where the estimate is largest. The reference ends in
/// all of them: nothing is interpolated.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>

#include "kardan/io/model_reader.h"
#include "kardan/run/simulate.h"

namespace kardan {
namespace {

struct Off {
  double position = 0, velocity = 0;
};

struct Run {
  std::string method;
  double tolerance = 0;
  RunReport report;
  std::vector<State> ends;
};

double apart(const Vector& value, const Vector& truth, double sign, std::size_t from,
             std::size_t to) {
  double worst = 0;
  for (std::size_t i = from; i < to; ++i)
    worst = std::max(worst, std::abs(value[i] - sign * truth[i]) / (1 + std::abs(truth[i])));
  return worst;
}

/// A quaternion and its negative stand for one orientation.
Off between(const System& system, const State& run, const State& truth) {
  Off out{apart(run.r, truth.r, 1, 0, run.r.size()), apart(run.v, truth.v, 1, 0, run.v.size())};
  std::vector<char> turns(run.p.size(), 0);
  if (system.dimension() == 3)
    for (const auto& body : system.bodies()) {
      const auto first = static_cast<std::size_t>(body.p) + 3;
      if (first + 4 > run.p.size()) continue;
      std::fill_n(turns.begin() + static_cast<std::ptrdiff_t>(first), 4, char{1});
      out.position = std::max(out.position, std::min(apart(run.p, truth.p, 1, first, first + 4),
                                                     apart(run.p, truth.p, -1, first, first + 4)));
    }
  for (std::size_t i = 0; i < run.p.size(); ++i)
    if (!turns[i]) out.position = std::max(out.position, apart(run.p, truth.p, 1, i, i + 1));
  return out;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');) out.push_back(item);
  return out;
}

Prepared prepared(const Model& file) {
  Diagnostics diagnostics;
  Prepared out = prepare(file, {}, diagnostics);
  if (!out.system || diagnostics.has_errors()) throw std::runtime_error(format(diagnostics));
  return out;
}

Run measured(const Model& file, const std::string& method, double tolerance, double t_end,
             std::size_t most) {
  Run out{method, tolerance, {}, {}};
  Prepared model = prepared(file);
  SimulateOptions options;
  options.method = method;
  options.t_end = t_end;
  options.driver.tolerance = tolerance;
  options.driver.max_steps = 200'000;
  options.error_estimate = 1;
  Diagnostics diagnostics;
  std::vector<State> all;
  out.report = simulate(
      model, options, {},
      [&](const StepView& step) {
        all.push_back(*step.state);
        return std::string();
      },
      diagnostics);
  const EstimatedError& e = out.report.error_estimate;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool sampled = i * most / all.size() != (i + 1) * most / all.size();
    if (all[i].t > e.until) break;
    // Beside an event the motion may be on its other side.
    const auto beside = [&](const EventRecord& event) {
      return std::abs(event.t - all[i].t) < 1e-4 * t_end;
    };
    if (std::ranges::any_of(out.report.driver.events, beside)) continue;
    if (sampled || i + 1 == all.size() || all[i].t == e.position.t || all[i].t == e.velocity.t)
      out.ends.push_back(all[i]);
  }
  return out;
}

/// The motion at some times.
std::map<double, State> reference(const Model& file, const std::string& method,
                                  double tolerance, const std::vector<double>& times) {
  Prepared model = prepared(file);
  SimulateOptions options;
  options.method = method;
  options.driver.tolerance = tolerance;
  std::map<double, State> out;
  for (const double t : times) {
    options.t_end = t;
    Diagnostics diagnostics;
    const RunReport report = simulate(model, options, {}, diagnostics);
    if (report.driver.reason != Reason::finished)
      throw std::runtime_error("the reference ends early: " + report.driver.message);
    out[t] = model.start.state;
  }
  return out;
}

void print(const System& system, const Run& run, const std::map<double, State>& truth,
           const Off& good) {
  Off error;
  double void_error = 0;  // where the estimate is declared void
  const EstimatedError& e = run.report.error_estimate;
  for (const State& end : run.ends) {
    const auto motion = truth.find(end.t);
    if (motion == truth.end()) continue;
    const Off off = between(system, end, motion->second);
    error.position = std::max(error.position, off.position);
    error.velocity = std::max(error.velocity, off.velocity);
    if (end.t <= e.void_from) void_error = std::max({void_error, off.position, off.velocity});
  }
  fmt::print("{} {:g} {} {:.6e} {:.6e} {:.6e} {:.6e} {:.1e} {:.1e} {} {:.3e} {:.6g} {}\n",
             run.method, run.tolerance, run.report.driver.counters.steps, e.position.reached,
             e.velocity.reached, error.position, error.velocity, good.position, good.velocity,
             std::isfinite(e.void_from) ? "void" : "whole", void_error, e.until,
             run.report.driver.reason != Reason::finished ? "the run ends early"
             : e.missing.empty()                          ? "complete"
                                                          : e.missing);
  std::fflush(stdout);
}

int table(const std::vector<std::string>& arguments) {
  Diagnostics diagnostics;
  const auto file = read_model_file(arguments[0], {}, diagnostics);
  if (!file) throw std::runtime_error(format(diagnostics));
  const double t_end = std::stod(arguments[1]), tight = std::stod(arguments[3]);
  const std::size_t most = arguments.size() > 6 ? std::stoul(arguments[6]) : 100;
  std::vector<Run> runs;
  std::vector<double> times;
  for (const std::string& method : listed(arguments[4]))
    for (const std::string& tolerance : listed(arguments[5])) {
      runs.push_back(measured(*file, method, std::stod(tolerance), t_end, most));
      for (const State& end : runs.back().ends) times.push_back(end.t);
    }
  std::ranges::sort(times);
  // A reference cannot make steps that are much shorter than the motion is long.
  const auto close = [&](double a, double b) { return b - a < 1e-8 * t_end && b != times.back(); };
  const auto same = std::ranges::unique(times, close);
  times.erase(same.begin(), same.end());
  const auto truth = reference(*file, arguments[2], tight, times);
  std::vector<double> few;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (i % 20 == 0 || i + 1 == times.size()) few.push_back(times[i]);
  const Prepared model = prepared(*file);
  Off good;
  for (const auto& [t, state] : reference(*file, arguments[2], 10 * tight, few)) {
    const Off off = between(*model.system, state, truth.at(t));
    good.position = std::max(good.position, off.position);
    good.velocity = std::max(good.velocity, off.velocity);
  }
  for (const Run& run : runs) print(*model.system, run, truth, good);
  return 0;
}

}  // namespace
}  // namespace kardan

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  if (arguments.size() < 6) {
    std::fputs("error_table MODEL T_END REFERENCE TOLERANCE METHODS TOLERANCES [ENDS]\n", stderr);
    return 2;
  }
  try {
    return kardan::table(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error_table: %s\n", error.what());
    return 1;
  }
}
