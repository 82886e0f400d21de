#pragma once
/// The JSON Schema (draft 2020-12) of model files, made from the catalogs: editors complete keys by
/// it and mark what does not fit. Whether a field is required is left to the program: defaults may
/// give it.

#include <string>

#include "kardan/elements/catalog.h"

namespace kardan {

[[nodiscard]] std::string model_schema(const Catalog& catalog);

}  // namespace kardan
