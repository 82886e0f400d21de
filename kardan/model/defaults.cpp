#include "kardan/model/defaults.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/model/body.h"

namespace kardan {
namespace {

/// Reads the values as their owner would; that others are missing is no fault here.
bool values_are_good(const FieldMap& fields, const std::string& owner, const ElementType* type,
                     const ValueReader& reader) {
  Diagnostics found;
  const ValueReader trial(reader.parameters(), found);
  if (type) {
    (void)type->check(fields, owner, {}, trial);
  } else {
    (void)check_body_fields(fields, owner, trial);
  }
  bool good = true;
  for (const Diagnostic& d : found.all()) {
    if (d.code == "field.missing") continue;
    reader.diagnostics().add(d);
    good &= d.severity != Severity::error;
  }
  return good;
}

}  // namespace

Defaults::Defaults(const FieldMap& defaults, const Catalog& catalog, const ValueReader& reader) {
  Diagnostics& diagnostics = reader.diagnostics();
  for (const auto& [kind, value] : defaults) {
    const std::string owner = "defaults." + kind;
    const ElementType* type = kind == "bodies" ? nullptr : catalog.find(kind);
    if (!type && kind != "bodies") {
      std::vector<std::string> names = catalog.names();
      names.emplace_back("bodies");
      const std::string near = did_you_mean(kind, names);
      diagnostics.error("defaults.unknown", fmt::format("defaults: nothing is called '{}'", kind),
                        value.where,
                        near.empty() ? "name 'bodies' or a type of `kardan elements`"
                                     : "did you mean '" + near + "'?");
      continue;
    }
    const auto* fields = std::get_if<FieldMap>(&value.data);
    if (!fields) {
      diagnostics.error("field.type", owner + ": wanted {key: value, ...}", value.where);
      continue;
    }
    std::vector<std::string> known{"color"};
    for (const FieldDoc& f : type ? type->fields : body_field_docs()) known.push_back(f.key);
    const std::size_t before = diagnostics.error_count();
    report_unknown_keys(*fields, known, owner, diagnostics);
    const bool good = values_are_good(*fields, owner, type, reader);
    Entry entry{kind, {}, value.where};
    if (good && diagnostics.error_count() == before) entry.fields = *fields;
    entries_.push_back(std::move(entry));
  }
}

NamedFields Defaults::complete(const NamedFields& thing, const std::string& kind) {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.kind == kind; });
  if (entry == entries_.end()) return thing;
  entry->used = true;
  NamedFields out = thing;
  for (const auto& item : entry->fields)
    if (!thing.find(item.first)) out.fields.push_back(item);
  return out;
}

void Defaults::report_unused(Diagnostics& diagnostics) const {
  for (const Entry& e : entries_)
    if (!e.used)
      diagnostics.warning("defaults.unused", fmt::format("defaults: the model has no '{}'", e.kind),
                          e.where, "remove them");
}

}  // namespace kardan
