#include "apps/reproduce/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kardan::reproduce {
namespace {

constexpr std::string_view head = "verdict: ";

std::string_view to_string(Rule rule) {
  switch (rule) {
    case Rule::equal:
      return "equal";
    case Rule::at_most:
      return "at most";
    case Rule::at_least:
      return "at least";
    case Rule::smaller:
      return "smaller";
    case Rule::larger:
      break;
  }
  return "larger";
}

/// Of a number that should be small.
Judgement judge_small(double ours, double printed, double margin) {
  if (!(ours <= printed * (1 + margin))) return Judgement::differs;
  return ours < printed / (1 + margin) ? Judgement::better : Judgement::reproduced;
}

Judgement holds(bool condition) {
  return condition ? Judgement::reproduced : Judgement::differs;
}

}  // namespace

std::string_view to_string(Judgement judgement) {
  switch (judgement) {
    case Judgement::reproduced:
      return "reproduced";
    case Judgement::better:
      return "better";
    case Judgement::differs:
      return "differs";
    case Judgement::not_compared:
      break;
  }
  return "not compared";
}

Judgement judge(const Check& c) {
  if (!std::isfinite(c.ours) || !std::isfinite(c.printed)) return Judgement::differs;
  switch (c.rule) {
    case Rule::equal:
      return holds(std::abs(c.ours - c.printed) <= c.margin * std::abs(c.printed));
    case Rule::at_most:
      return holds(c.ours <= c.printed);
    case Rule::at_least:
      return holds(c.ours >= c.printed);
    case Rule::smaller:
      return judge_small(c.ours, c.printed, c.margin);
    case Rule::larger:
      break;
  }
  return judge_small(c.printed, c.ours, c.margin);
}

Judgement judge(const std::vector<Check>& checks) {
  if (checks.empty()) return Judgement::not_compared;
  const auto any = [&](Judgement wanted) {
    return std::any_of(checks.begin(), checks.end(),
                       [&](const Check& c) { return judge(c) == wanted; });
  };
  if (any(Judgement::differs)) return Judgement::differs;
  return any(Judgement::better) ? Judgement::better : Judgement::reproduced;
}

std::string verdict_text(const std::vector<Check>& checks) {
  std::string counts;
  for (Judgement j : {Judgement::differs, Judgement::better, Judgement::reproduced}) {
    const auto n =
        std::count_if(checks.begin(), checks.end(), [&](const Check& c) { return judge(c) == j; });
    if (n > 0) counts += fmt::format("{}{} {}", counts.empty() ? " (" : ", ", n, to_string(j));
  }
  if (!counts.empty()) counts += ")";
  std::string out = fmt::format("\n{}{}{}\n", head, to_string(judge(checks)), counts);
  for (const Check& c : checks) {
    const std::string margin =
        c.rule == Rule::equal ? fmt::format(" within {:.3g} %", 100 * c.margin) : std::string();
    out += fmt::format("  {:<11}{}: {:.4g}, {}{} {:.4g}\n", to_string(judge(c)), c.what, c.ours,
                       to_string(c.rule), margin, c.printed);
  }
  return out;
}

std::string_view verdict_in(std::string_view text) {
  const std::size_t begin = text.rfind(head);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = text.substr(begin + head.size());
  return rest.substr(0, rest.find('\n'));
}

}  // namespace kardan::reproduce
