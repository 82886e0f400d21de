/// `kardan methods`: methods, formulations and their options, as a list or as a page.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/cli/command.h"
#include "kardan/formulation/catalog.h"
#include "kardan/integrate/method.h"
#include "kardan/io/driver_options.h"
#include "kardan/run/automatic.h"
#include "kardan/run/choice.h"

namespace kardan::cli {
namespace {

constexpr std::string_view automatic_summary =
    "chooses one of those below, with its formulation, from the model and a short probe that "
    "counts";

void print_options(const std::vector<OptionInfo>& options) {
  for (const OptionInfo& o : options)
    fmt::print("      {:<20}{:<14}{}{}\n", o.name, o.fallback, o.doc,
               o.choices.empty() ? "" : fmt::format(": {}", fmt::join(o.choices, ", ")));
}

void markdown_options(const std::vector<OptionInfo>& options) {
  if (options.empty()) return;
  fmt::print("| option | default | meaning |\n|---|---|---|\n");
  for (const OptionInfo& o : options)
    fmt::print("| `{}` | {} | {}{} |\n", o.name, o.fallback, o.doc,
               o.choices.empty() ? "" : fmt::format(": {}", fmt::join(o.choices, ", ")));
  fmt::print("\n");
}

int print_page() {
  fmt::print(
      "# Methods and options\n\nMade by the program: `kardan methods --markdown`. What the methods "
      "promise and where they end is in [Trust](../understand/trust.md).\n\n## Methods\n\n### "
      "auto\n\n{}\n\n",
      automatic_summary);
  for (const Method& m : methods()) {
    fmt::print("### {}\n\n{}. Source: {}.\n\n", m.name, m.summary, m.source);
    fmt::print(
        "Order {}, of the error estimate {}, of the dense output {}; {}; by default on `{}`{}."
        "\n\n",
        m.order, m.error_order, std::min(m.order, m.dense_order),
        m.is_explicit ? "explicit" : "implicit", m.formulation,
        m.needs_exact_jacobian ? "; needs exact derivatives" : "");
    markdown_options(m.options);
  }
  fmt::print("## Formulations\n\n`--method METHOD@FORMULATION`\n\n");
  for (const Formulation& f : formulations()) {
    fmt::print("### {}\n\n{}. Source: {}.\n\n", f.name, f.summary, f.source);
    markdown_options(f.options);
  }
  fmt::print(
      "## Options of every run\n\n`--option name=value`\n\n| option | default | unit | meaning |\n"
      "|---|---|---|---|\n");
  for (const FieldDoc& d : driver_option_docs())
    fmt::print("| `{}` | {} | {} | {}{} |\n", d.key, d.default_text, d.info.unit, d.info.doc,
               d.info.choices.empty() ? "" : fmt::format(": {}", fmt::join(d.info.choices, ", ")));
  return finished;
}

int print_list() {
  fmt::print("  {:<18}{}\n", automatic_method, automatic_summary);
  for (const Method& m : methods()) {
    fmt::print("  {:<18}order {:<8}dense output {:<4}{} ({})\n", m.name,
               fmt::format("{}({})", m.order, m.error_order), std::min(m.order, m.dense_order),
               m.summary, m.source);
    print_options(m.options);
  }
  fmt::print("\nformulations: --method METHOD@FORMULATION\n");
  for (const Formulation& f : formulations()) {
    fmt::print("  {:<22}{} ({})\n", f.name, f.summary, f.source);
    print_options(f.options);
  }
  fmt::print("\noptions of every run: --option name=value\n");
  for (const FieldDoc& d : driver_option_docs())
    fmt::print("  {:<18}{:<11}{}{}{}\n", d.key, d.default_text, d.info.doc,
               d.info.unit.empty() ? "" : " [" + d.info.unit + "]",
               d.info.choices.empty() ? "" : fmt::format(": {}", fmt::join(d.info.choices, ", ")));
  return finished;
}

}  // namespace

Verb methods_verb() {
  auto as_page = std::make_shared<bool>(false);
  return {"methods",
          "the integration methods",
          {{"--markdown", "print it as a page of the documentation", as_page.get()}},
          [as_page] { return *as_page ? print_page() : print_list(); }};
}

}  // namespace kardan::cli
