/// `kardan schema`: what model files may hold.

#include "kardan/io/schema.h"

#include <fmt/format.h>

#include "apps/cli/command.h"

namespace kardan::cli {

Verb schema_verb() {
  return {"schema", "the JSON Schema of model files, for editors", {}, [] {
            fmt::print("{}", model_schema(Catalog::builtin()));
            return finished;
          }};
}

}  // namespace kardan::cli
