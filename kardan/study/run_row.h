#pragma once
/// One run of a study, as the numbers that are stored of it: the parameters, the kept values, and
/// what the certificate says, in columns of fixed places.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kardan/run/prepare.h"
#include "kardan/run/report.h"
#include "kardan/run/watchers.h"
#include "kardan/study/plan.h"

namespace kardan {

/// How a run ended: the reasons of the driver, those for which it never began, and `broken`: the
/// program gave it up, for want of memory or by a fault of its own.
inline constexpr int bad_model = 100, bad_start = 101, broken = 102;
[[nodiscard]] std::string reason_name(int reason);

/// The verdict of a certificate (io/verdict.h) without its words.
enum class Colour { red, amber, green };
[[nodiscard]] Colour colour_of(const RunReport& report);

/// Places in a row.
class RowShape {
 public:
  RowShape(std::vector<std::string> parameters, std::vector<std::string> kept);
  explicit RowShape(const StudyPlan& plan);

  const std::vector<std::string>& parameters() const { return parameters_; }
  const std::vector<std::string>& kept() const { return kept_; }
  /// All columns, in order.
  [[nodiscard]] std::vector<std::string> names() const;
  std::size_t width() const { return values() + certificate_size; }
  /// Parameters and kept values: what statistics are made of.
  std::size_t values() const { return parameters_.size() + kept_.size(); }

  /// 1: all that is required holds; 0: not, or the run failed.
  std::size_t met() const { return values(); }
  /// A Colour, as its number.
  std::size_t verdict() const { return values() + 1; }
  std::size_t reason() const { return values() + 2; }
  std::size_t residuals() const {
    return values() + 3;
  }                                                     ///< of positions, velocities, accelerations
  std::size_t balance() const { return values() + 6; }  ///< [J]
  std::size_t steps() const { return values() + 7; }
  std::size_t time() const { return values() + 8; }  ///< [s] reached
  /// Of positions and of velocities, reached, and the time up to which they hold [s]: measured where
  /// runs are certified, estimated where that is asked for, else not a number.
  std::size_t errors() const { return values() + 9; }

  bool failed(std::span<const double> row) const { return row[verdict()] == 0; }

 private:
  static constexpr std::size_t certificate_size = 12;
  std::vector<std::string> parameters_, kept_;
};

/// Everything one run leaves, for those who want more than its row.
struct WholeRun {
  Prepared prepared;  ///< at the end
  RunReport report;
  Diagnostics faults;   ///< of the model for these parameters
  std::string message;  ///< why the run failed
};

/// The parameters of a run over those that all runs share.
[[nodiscard]] ParameterValues parameters_of(const StudyPlan& plan, std::uint64_t run);

/// Does run `run` of the plan and fills its row; the row depends on nothing else. `also`: who else
/// watches it.
void do_run(const StudyPlan& plan, const RowShape& shape, std::uint64_t run, std::span<double> row,
            WholeRun& whole, const Watchers& also = {});

}  // namespace kardan
