#include "conformance/pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "kardan/formulation/catalog.h"
#include "kardan/run/choice.h"

namespace kardan::test {

std::vector<std::string> pairs_of(const Method& method) {
  std::vector<std::string> out;
  for (const Formulation& formulation : formulations()) {
    const std::string pair = fmt::format("{}@{}", method.name, formulation.name);
    Diagnostics unused;
    if (choose_method(pair, unused).formulation) out.push_back(pair);
  }
  return out;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.emplace_back(method.name);
  return names;
}

std::vector<std::string> pairs() {
  std::vector<std::string> out;
  for (const Method& method : methods())
    for (std::string& pair : pairs_of(method)) out.push_back(std::move(pair));
  return out;
}

std::string test_name(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

double Outcome::value(std::string_view name) const {
  const auto quantity = end.system->find_quantity(name);
  if (!quantity) return std::nan("");
  const auto ws = end.system->make_workspace();
  return end.system->quantity(*quantity, end.start.state, 0, {}, {}, *ws);
}

Outcome run_with(const std::string& method, const Model& model, SimulateOptions options,
                 const GridSink& rows) {
  Outcome out;
  Diagnostics diagnostics;
  out.end = prepare(model, {}, diagnostics);
  options.method = method;
  if (out.end.system && out.end.start.report.status == Eval::ok)
    out.report = simulate(out.end, options, rows, {}, diagnostics);
  else if (!diagnostics.has_errors())
    out.words = out.end.start.report.message;
  if (diagnostics.has_errors()) out.words = format(diagnostics);
  if (out.words.empty() && out.report.driver.reason != Reason::finished)
    out.words = out.report.driver.message;
  out.finished = out.words.empty();
  return out;
}

double allowed(const std::string& method, double tolerance, double tolerances) {
  const Method* found = find_method(std::string_view(method).substr(0, method.find('@')));
  const double stated = found && found->order == 1 ? std::sqrt(tolerance) : tolerance;
  // Velocities of the index-3 form lose up to two orders (Hairer & Wanner II, VII.4).
  const double lost = method.ends_with("@index_3") ? 10 : 1;
  return lost * tolerances * stated;
}

}  // namespace kardan::test
