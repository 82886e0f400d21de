#include "fuzz/targets.h"
#include "kardan/formulation/catalog.h"
#include "kardan/io/load.h"
#include "kardan/io/yaml_writer.h"
#include "kardan/run/prepare.h"

namespace kardan::fuzz {
namespace {

// Larger models are read but not computed: fuzzing lives of many small inputs.
constexpr std::size_t most_things = 40;
const ExpansionLimits small{.entries = 300, .values = 20'000};

void require_located(const Diagnostics& diagnostics) {
  require(diagnostics.has_errors(), "a model that is refused has an error");
  for (const Diagnostic& d : diagnostics.all()) {
    require(!d.code.empty() && !d.message.empty(), "a diagnostic has a code and a message");
    require(!d.where.file.empty(), "a diagnostic of a file names it");
  }
}

}  // namespace

/// Reads, checks and compiles a model; assembles it and analyses its constraints. No integration.
void feed_model(std::string_view bytes) {
  Diagnostics diagnostics;
  const auto loaded =
      load_model_text(bytes, "/nowhere/m.yaml", {}, IncludeFrom::model_folder, diagnostics, small);
  (void)format(diagnostics);
  if (!loaded) {
    require_located(diagnostics);
    return;
  }
  const Model& model = loaded->model;
  if (model.bodies.size() + model.elements.size() > most_things) return;
  const Prepared prepared = prepare(model, {}, diagnostics);
  require(prepared.system != nullptr || diagnostics.has_errors(),
          "a model that is read compiles, or has an error");
  if (prepared.system && prepared.start.report.status == Eval::ok) (void)check_start(prepared);
}

}  // namespace kardan::fuzz
