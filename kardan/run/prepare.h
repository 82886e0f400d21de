#pragma once
/// From a model to a compiled system at a consistent start.

#include <memory>
#include <optional>

#include "kardan/formulation/analysis.h"
#include "kardan/formulation/assembly.h"
#include "kardan/formulation/equilibrium.h"
#include "kardan/model/blueprint.h"
#include "kardan/model/model.h"
#include "kardan/model/resolved_model.h"
#include "kardan/system/system.h"

namespace kardan {

struct BalanceSlopes;

/// Resolves and compiles; null after reporting errors. Systems keep pointers into the catalog.
std::unique_ptr<System> compile_model(const Model& model, const ParameterValues& overrides,
                                      Diagnostics& diagnostics,
                                      const Catalog& catalog = Catalog::builtin());

/// Reports every fault of a model that can be found without computing: of its parts, and of the
/// names in wishes, events, invariants and outputs, although others have been found before. The
/// system that was compiled on the way; null where there are errors.
std::unique_ptr<System> find_faults(const Model& model, const ParameterValues& overrides,
                                    Diagnostics& diagnostics,
                                    const Catalog& catalog = Catalog::builtin());

/// Makes the model anew for other parameter values, on top of those `resolved` is for. `compiled`:
/// the system for no others, if it is there already.
SystemFactory make_factory(const ResolvedModel& resolved, Diagnostics& diagnostics,
                           std::unique_ptr<System> compiled = nullptr);

/// A system at the start its model asks for: assembled, or balanced first.
struct Prepared {
  std::unique_ptr<System> system;
  ConsistentStart start;
  std::optional<EquilibriumReport> equilibrium;  ///< when the model starts in balance
  ParameterValues solved;                        ///< parameters the balance has found
};

/// Null system after errors in the model; otherwise look at start.report.status.
Prepared prepare(const Model& model, const ParameterValues& overrides, Diagnostics& diagnostics,
                 const Catalog& catalog = Catalog::builtin());
/// The same with the system that find_faults() has compiled of it; null: compiled here.
Prepared prepare(const Model& model, const ParameterValues& overrides,
                 std::unique_ptr<System> compiled, Diagnostics& diagnostics,
                 const Catalog& catalog = Catalog::builtin());

/// The same of a model that has been resolved; null: compiled here.
Prepared prepare(const ResolvedModel& resolved, std::unique_ptr<System> compiled,
                 Diagnostics& diagnostics);

/// A model that is prepared many times, for other values of its parameters: read and resolved once.
/// May be used by several threads.
class ModelSeries {
 public:
  ModelSeries(Model model, ParameterValues overrides, const Catalog& catalog = Catalog::builtin());
  ModelSeries(const ModelSeries&) = delete;
  ModelSeries& operator=(const ModelSeries&) = delete;
  ~ModelSeries();

  /// On top of the values of all. Null system after errors in the model for these values.
  [[nodiscard]] Prepared prepare(const ParameterValues& more, Diagnostics& diagnostics) const;

 private:
  Model model_;
  Diagnostics faults_;  // of the model as it stands, which may do for other values
  ResolvedModel resolved_;
  std::unique_ptr<BalanceSlopes> slopes_;  // of the balance for the values of all
};

/// Moved to the nearest consistent values, or trusted if it is consistent.
enum class Start { assembled, as_given };

/// The same for a system that is there already: equations a user wrote. Null stays null.
Prepared prepare(std::unique_ptr<System> system, Diagnostics& diagnostics,
                 Start start = Start::assembled);
/// The same in balance, for systems that `factory` makes.
Prepared prepare_balanced(const SystemFactory& factory, Diagnostics& diagnostics);

struct CheckReport {
  int bodies = 0;
  Sizes sizes;
  ConstraintAnalysis analysis;
  AssemblyReport assembly;  ///< from the given start, with the wishes of the model
  Residuals given;          ///< of the start as given
  Energy energy;
  std::vector<Reaction> reactions;
};

/// Everything `kardan check` reports, at the start the model asks for.
CheckReport check_start(const Prepared& prepared);

}  // namespace kardan
