#pragma once
/// Shared by the tests of readers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "kardan/io/model_reader.h"

namespace kardan {

struct Reading {
  std::optional<Model> model;
  Diagnostics diagnostics;

  const NamedFields* body(std::string_view name) const { return find(model->bodies, name); }
  const NamedFields* element(std::string_view name) const { return find(model->elements, name); }

 private:
  static const NamedFields* find(const std::vector<NamedFields>& things, std::string_view name) {
    for (const NamedFields& thing : things)
      if (thing.name == name) return &thing;
    return nullptr;
  }
};

inline Reading read(std::string_view text, const ParameterValues& overrides = {}) {
  Reading r;
  r.model = read_model_text(text, "m.yaml", overrides, r.diagnostics);
  return r;
}

/// The one diagnostic of `reading`, as "line:column code".
inline std::string only(const Diagnostics& diagnostics) {
  if (diagnostics.all().size() != 1) return "not one but:\n" + format(diagnostics);
  const Diagnostic& d = diagnostics.all().front();
  return std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " + d.code;
}

/// Whether there is a diagnostic "line:column code".
inline bool has(const Diagnostics& diagnostics, const std::string& wanted) {
  for (const Diagnostic& d : diagnostics.all()) {
    Diagnostics one;
    one.add(d);
    if (only(one) == wanted) return true;
  }
  return false;
}

}  // namespace kardan
