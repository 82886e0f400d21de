#pragma once
/// A verdict is computed, not written: every table and figure hands in numbers, each with what it
/// is held against and the rule between them, and the verdict follows.

#include <string>
#include <string_view>
#include <vector>

namespace kardan::reproduce {

enum class Judgement { reproduced, better, differs, not_compared };
[[nodiscard]] std::string_view to_string(Judgement judgement);

/// How a number is held against another, `printed`.
enum class Rule {
  equal,     ///< |ours - printed| <= margin |printed|
  at_most,   ///< a printed statement: ours <= printed
  at_least,  ///< a printed statement: ours >= printed
  smaller,  ///< an error or a cost: better below printed / (1 + margin), differs above printed (1 +
            ///< margin)
  larger,   ///< a gain: the other way round
};

struct Check {
  std::string what;
  double ours = 0, printed = 0;
  Rule rule = Rule::equal;
  double margin = 0;
};

/// A number that is not finite differs.
[[nodiscard]] Judgement judge(const Check& check);
/// Differs where one does; else better where one is; not compared without numbers.
[[nodiscard]] Judgement judge(const std::vector<Check>& checks);

/// The numbers of one table or figure.
class Checks {
 public:
  void equal(std::string what, double ours, double printed, double margin) {
    all_.push_back({std::move(what), ours, printed, Rule::equal, margin});
  }
  void at_most(std::string what, double ours, double bound) {
    all_.push_back({std::move(what), ours, bound, Rule::at_most, 0});
  }
  void at_least(std::string what, double ours, double bound) {
    all_.push_back({std::move(what), ours, bound, Rule::at_least, 0});
  }
  void smaller(std::string what, double ours, double printed) {
    all_.push_back({std::move(what), ours, printed, Rule::smaller, as_good});
  }
  void larger(std::string what, double ours, double printed) {
    all_.push_back({std::move(what), ours, printed, Rule::larger, as_good});
  }
  [[nodiscard]] const std::vector<Check>& all() const { return all_; }

 private:
  static constexpr double as_good = 0.1;  // errors and gains this close are alike
  std::vector<Check> all_;
};

/// "verdict: better (5 better, 3 reproduced)", then a line a number.
[[nodiscard]] std::string verdict_text(const std::vector<Check>& checks);
/// What follows "verdict: " in a text, with its counts; empty where there is none.
[[nodiscard]] std::string_view verdict_in(std::string_view text);

}  // namespace kardan::reproduce
