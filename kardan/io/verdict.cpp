#include "kardan/io/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/base/parse_number.h"
#include "kardan/base/text.h"

namespace kardan {
namespace {

double number(const Json& in, const char* key) {
  const auto found = in.find(key);
  return found != in.end() && found->is_number() ? found->get<double>() : std::nan("");
}

std::string text(const Json& in, const char* key) {
  const auto found = in.find(key);
  return found != in.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// 1e-06 as people write it: 1e-6.
std::string short_number(double x, int digits) {
  std::string s = fmt::format("{:.{}g}", x, digits);
  for (const char* zero : {"e-0", "e+0"})
    if (const auto at = s.find(zero); at != std::string::npos) s.erase(at + 2, 1);
  if (const auto at = s.find("e+"); at != std::string::npos) s.erase(at + 1, 1);
  return s;
}

/// 0.001 as a tolerance: 1e-3.
std::string tolerance_text(double x) {
  if (x >= 1) return short_number(x, 6);
  for (int digits = 0; digits < 17; ++digits) {
    std::string s = fmt::format("{:.{}e}", x, digits);
    if (parse_number(s) != x) continue;
    if (const auto at = s.find("e-0"); at != std::string::npos) s.erase(at + 2, 1);
    return s;
  }
  return short_number(x, 17);
}

/// "1e-6"; "1e-3 relative, 1e-6 absolute" where they differ, and variables of their own.
std::string asked_tolerance(const Json& asked, double tolerance) {
  const double relative = number(asked, "relative"), absolute = number(asked, "absolute");
  std::string out = tolerance_text(tolerance);
  if (relative > 0 || absolute > 0)
    out =
        fmt::format("{} relative, {} absolute", tolerance_text(relative > 0 ? relative : tolerance),
                    tolerance_text(absolute > 0 ? absolute : tolerance));
  if (asked.contains("tolerance_of")) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : asked.at("tolerance_of").items())
      if (value.is_number())
        parts.push_back(fmt::format("{} of {}", tolerance_text(value.get<double>()), name));
    out += fmt::format(" ({})", fmt::join(parts, ", "));
  }
  return out;
}

std::string asked_sentence(const Json& c) {
  const Json& asked = c.contains("asked") ? c.at("asked") : c;
  const double step = number(asked, "step");
  if (step > 0)
    return fmt::format("Fixed steps of {} s, as asked: no error was controlled.",
                       short_number(step, 6));
  return fmt::format("Asked for {}: no step was accepted whose estimated error was larger.",
                     asked_tolerance(asked, number(c, "tolerance")));
}

std::string end_sentence(const Json& c, bool ok) {
  const std::string message = text(c, "message");
  const double t = number(c, "t_reached");
  if (text(c, "reason") == "finished") return fmt::format("Reached t = {:.9g} s.", t);
  if (ok) return fmt::format("Stopped at t = {:.9g} s: {}.", t, message);
  return fmt::format("Ended at t = {:.9g} s: {} {}", t, message, text(c, "advice"));
}

std::string residual_sentence(const Json& c) {
  const Json& r = c.at("residuals");
  const double p = number(r, "position"), v = number(r, "velocity"), a = number(r, "acceleration");
  if (p == 0 && v == 0 && a == 0) return "There are no constraints to hold.";
  return fmt::format(
      "Constraints held to {} in positions, {} in velocities, {} in accelerations, in the model's "
      "own scales.",
      short_number(p, 2), short_number(v, 2), short_number(a, 2));
}

std::string energy_sentence(const Json& c) {
  const Json& e = c.at("energy");
  const double error = number(e, "balance_error"), exchanged = number(e, "exchanged");
  const double allowed = number(e, "allowed");
  const std::string judged =
      allowed >= 0
          ? fmt::format(" (steps within the tolerance may leave {} J)", short_number(allowed, 2))
          : std::string();
  if (std::isnan(error)) return "The equations give no energy, so that none was balanced.";
  const double initial = number(e, "initial"), final = number(e, "final");
  // Nothing but rounding was exchanged.
  if (exchanged <= 1e-9 * std::max(std::abs(initial), std::abs(final)))
    return fmt::format("Energy was kept at {} J to within {} J{}.", short_number(initial, 6),
                       short_number(error, 2), judged);
  return fmt::format(
      "Energy went from {} J to {} J, by the work of forces and drivers ({} J "
      "exchanged) but for {} J{}.",
      short_number(initial, 6), short_number(final, 6), short_number(exchanged, 3),
      short_number(error, 2), judged);
}

/// As a sentence of its own.
std::string sentence(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] += 'A' - 'a';
  return words + (words.ends_with('.') ? "" : ".");
}

/// What certifying has found.
std::string accuracy_sentence(const Json& a) {
  return fmt::format("Accuracy {} {}; measured errors are {} in positions and {} in velocities.",
                     tolerance_text(number(a, "asked")), text(a, "message"),
                     short_number(number(a, "position"), 2),
                     short_number(number(a, "velocity"), 2));
}

}  // namespace

std::string used_method(const Json& c) {
  const Json& asked = c.contains("asked") ? c.at("asked") : c;
  return fmt::format("{} on {}, tolerance {}", text(c, "method"), text(c, "formulation"),
                     asked_tolerance(asked, number(c, "tolerance")));
}

Verdict make_verdict(const Json& c) {
  Verdict v;
  v.reason = text(c, "reason");
  v.ok = v.reason == "finished" || v.reason == "stopped";
  v.sentences.push_back(end_sentence(c, v.ok));
  if (const auto found = c.find("warnings"); found != c.end())
    for (const Json& warning : *found)
      if (warning.is_string()) v.warnings.push_back("Warning: " + warning.get<std::string>() + ".");
  v.sentences.insert(v.sentences.end(), v.warnings.begin(), v.warnings.end());
  v.sentences.push_back(asked_sentence(c));
  if (c.contains("automatic"))
    v.sentences.push_back(
        fmt::format("The method was chosen by 'auto': {}.", text(c.at("automatic"), "why")));
  if (c.contains("error_estimate")) {
    const Json& e = c.at("error_estimate");
    v.sentences.push_back(fmt::format("Estimated errors: {}.", text(e, "in_words")));
    // One that is too low stands among the remarks.
    if (e.contains("checked") && !e.at("checked").value("low", false))
      v.sentences.push_back(sentence(text(e.at("checked"), "in_words")));
  }
  if (c.contains("accuracy")) {
    v.sentences.push_back(accuracy_sentence(c.at("accuracy")));
    if (v.ok && text(c.at("accuracy"), "verdict") != "reached") {
      v.ok = false;
      v.reason = "accuracy_not_reached";
    }
  }
  for (const Json& fault : c.value("against", Json::array())) {
    if (v.ok) v.reason = "refuted";
    v.ok = false;
    v.sentences.push_back(sentence(fault.get<std::string>()));
  }
  if (c.contains("residuals")) v.sentences.push_back(residual_sentence(c));
  if (c.contains("energy")) v.sentences.push_back(energy_sentence(c));
  v.sentences.push_back(fmt::format("{} steps, {} rejected; {} s of CPU time.", number(c, "steps"),
                                    number(c, "rejected"),
                                    short_number(number(c, "cpu_seconds"), 3)));
  if (c.contains("derivatives") && !c.at("derivatives").value("exact", true))
    v.sentences.emplace_back("Differences stood in for derivatives that were not given.");
  const Json remarks = c.value("remarks", Json::array());
  for (const Json& remark : remarks) v.sentences.push_back(sentence(remark.get<std::string>()));
  const bool unconfirmed = c.contains("accuracy") && text(c.at("accuracy"), "confirmed_by").empty();
  v.colour = !v.ok                                                    ? "red"
             : !remarks.empty() || !v.warnings.empty() || unconfirmed ? "amber"
                                                                      : "green";
  return v;
}

}  // namespace kardan
