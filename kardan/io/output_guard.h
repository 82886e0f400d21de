#pragma once
/// What a command writes does no harm: not to what it reads, not to files that are not Kardan's,
/// not to what another run is writing just now.

#include <string>
#include <vector>

#include "kardan/base/diagnostics.h"

namespace kardan {

/// What a file is to hold. Its own files Kardan knows by their content.
enum class OutputKind {
  result,      ///< .csv, .json, .h5, .html
  log,         ///< of steps
  checkpoint,  ///< with its rows beside it
  picture,     ///< .svg
  page,        ///< .html
  model,       ///< .yaml, .json
  fmu          ///< .fmu
};

struct Output {
  std::string flag;  ///< as it was asked for: "--out"
  std::string path;
  OutputKind kind = OutputKind::result;
  /// Of a CSV file: the line of names it will have. One with the same is an earlier result.
  std::string header = {};
};

enum class Overwrite { own_files, anything };

/// The first line of a log of steps.
inline constexpr std::string_view log_header = "t,h,error,rejected,failed,evaluations,iterations\n";
/// The first line of a model file that was written, not by hand.
inline constexpr std::string_view model_header = "# Written by Kardan.\n";

/// The first entry of an FMU that was written.
inline constexpr std::string_view fmu_entry = "resources/model.kardan";

/// While it lives, nobody else may claim the same files; a killed program claims nothing.
class OutputGuard {
 public:
  /// Reports outputs that are an input, one file twice, files of others (unless `anything` may be
  /// overwritten), and files that are being written. Devices and pipes may be written at any time.
  OutputGuard(const std::vector<std::string>& inputs, const std::vector<Output>& outputs,
              Overwrite overwrite, Diagnostics& diagnostics);
  ~OutputGuard();
  OutputGuard(const OutputGuard&) = delete;
  OutputGuard& operator=(const OutputGuard&) = delete;

 private:
  struct Claim {
    int file;
    std::string path;
    bool made;  // it was not there before
  };
  void claim(const Output& output, const std::string& path, Diagnostics& diagnostics);

  std::vector<Claim> claims_;
};

}  // namespace kardan
