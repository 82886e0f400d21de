#pragma once
/// An FMU of any program, stepped by its own method (co-simulation, FMI 2.0 and 3.0). Its library
/// runs with the rights of this program: it is loaded only when a user names it.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kardan/fmi/import/imported_description.h"
#include "kardan/fmi/import/interfaces.h"

namespace kardan {

class ImportedFmu {
 public:
  /// Unpacked to a folder of its own, described and loaded; null after reporting what is wrong.
  /// Where it is of both kinds, `wanted` decides.
  static std::unique_ptr<ImportedFmu> open(const std::string& path, FmuKind wanted,
                                           Diagnostics& diagnostics);
  ~ImportedFmu();
  ImportedFmu(const ImportedFmu&) = delete;
  ImportedFmu& operator=(const ImportedFmu&) = delete;

  const ImportedDescription& description() const { return description_; }
  FmuKind kind() const { return kind_; }
  FmuInterface& functions() { return *functions_; }
  /// With what the FMU has said since the last call.
  std::string instantiate();
  std::string told(std::string message);

 private:
  ImportedFmu();
  std::string unpack(const std::string& path, ImportedDescription& out, Diagnostics& diagnostics);

  ImportedDescription description_;
  FmuKind kind_ = FmuKind::co_simulation;
  std::string folder_;
  void* library_ = nullptr;
  std::string said_;
  std::unique_ptr<FmuInterface> functions_;
};

}  // namespace kardan
