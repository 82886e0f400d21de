#include "kardan/run/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kardan/base/text.h"
#include "kardan/formulation/catalog.h"

namespace kardan {
namespace {

/// Operations of a dense factorization of size n, n^3/3, over those of an evaluation per body.
constexpr double evaluation_operations = 2000;

/// The nearest name of a catalog, or all of them.
template <class Entry>
std::string suggest(const std::string& name, const std::vector<Entry>& known) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const Entry& e : known) names.emplace_back(e.name);
  const std::string near = did_you_mean(name, names);
  return near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                      : fmt::format("did you mean '{}'?", near);
}

}  // namespace

Choice choose_method(const std::string& name, Diagnostics& diagnostics) {
  const std::size_t at = name.find('@');
  const std::string method_name = name.substr(0, at);
  Choice out{find_method(method_name), nullptr};
  if (method_name == automatic_method) {
    if (at != std::string::npos)
      diagnostics.error("method.formulation", "'auto' chooses the formulation itself", {},
                        "leave it out: 'auto'");
    return out;
  }
  if (!out.method) {
    diagnostics.error("method.unknown", fmt::format("there is no method '{}'", method_name), {},
                      suggest(method_name, methods()));
    return out;
  }
  const std::string formulation_name =
      at == std::string::npos ? std::string(out.method->formulation) : name.substr(at + 1);
  const Formulation* formulation = find_formulation(formulation_name);
  if (!formulation) {
    diagnostics.error("formulation.unknown",
                      fmt::format("there is no formulation '{}'", formulation_name), {},
                      suggest(formulation_name, formulations()));
  } else if (formulation->problem != out.method->problem) {
    diagnostics.error(
        "method.formulation",
        fmt::format("'{}' gives problems of kind '{}'; '{}' wants '{}'", formulation_name,
                    to_string(formulation->problem), method_name, to_string(out.method->problem)),
        {}, fmt::format("leave it out: '{}' then uses '{}'", method_name, out.method->formulation));
  } else if (out.method->needs_jacobian_anywhere && !formulation->jacobian_anywhere) {
    diagnostics.error(
        "method.formulation",
        fmt::format("'{}' differentiates at points of its own choice; '{}' can at the start of a "
                    "step only",
                    method_name, formulation_name),
        {}, fmt::format("leave it out: '{}' then uses '{}'", method_name, out.method->formulation));
  } else {
    out.formulation = formulation;
  }
  return out;
}

void check_options(const Choice& choice, const OptionValues& given, Diagnostics& diagnostics) {
  std::vector<OptionInfo> declared = choice.method->options;
  declared.insert(declared.end(), choice.formulation->options.begin(),
                  choice.formulation->options.end());
  for (const auto& [name, value] : given) {
    const auto info = std::find_if(declared.begin(), declared.end(),
                                   [&name = name](const OptionInfo& o) { return o.name == name; });
    if (info != declared.end())
      check_option(*info, value, diagnostics);
    else
      diagnostics.error("option.unknown", fmt::format("there is no option '{}'", name), {},
                        suggest(name, declared));
  }
}

double counted_work(const Choice& choice, int variables, const Counters& c) {
  const Work& one = choice.formulation->work;
  const double n = variables;
  const double factor = n * n * n / 3 / (evaluation_operations * std::max(1.0, n));
  return one.evaluation * static_cast<double>(c.evaluations) +
         one.step * static_cast<double>(c.steps) + one.jacobian * static_cast<double>(c.jacobians) +
         factor * static_cast<double>(c.factorizations);
}

}  // namespace kardan
