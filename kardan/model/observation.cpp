#include "kardan/model/observation.h"

#include <fmt/format.h>

#include <algorithm>

namespace kardan {
namespace {

struct EventFields {
  Expression expression;
  std::string direction = "any";
  std::string action = "record";

  template <class F>
  static void fields(F& f) {
    f("expression", &EventFields::expression,
      {.doc = "the event happens where it passes zero",
       .need = Need::required,
       .variables = {any_quantity}});
    f("direction", &EventFields::direction,
      {.doc = "rising: it becomes positive", .choices = {"any", "rising", "falling"}});
    f("action", &EventFields::action,
      {.doc = "record: note it in the result; stop: end the run there",
       .choices = {"record", "stop"}});
  }
};

/// {set: ...} and {impulse: ...} have a meaning, but nothing carries them out.
bool is_available(const NamedFields& event, Diagnostics& diagnostics) {
  const FieldValue* action = event.find("action");
  const auto* map = action ? std::get_if<FieldMap>(&action->data) : nullptr;
  const auto* text = action ? std::get_if<std::string>(&action->data) : nullptr;
  std::string name = text ? *text : "";
  SourceLocation where = action ? action->where : event.where;
  if (map && map->size() == 1) name = map->front().first;
  if (name != "set" && name != "impulse") return true;
  diagnostics.error("event.action",
                    fmt::format("{}: the action '{}' is not available", event.name, name), where,
                    "record or stop; then go on from the state reached");
  return false;
}

}  // namespace

std::vector<FieldDoc> event_field_docs() {
  return field_docs<EventFields>();
}

std::vector<EventData> resolve_events(const std::vector<NamedFields>& events,
                                      const ValueReader& reader) {
  static const std::vector<std::string> known = [] {
    std::vector<std::string> keys;
    for (const FieldDoc& d : event_field_docs()) keys.push_back(d.key);
    return keys;
  }();
  std::vector<EventData> out;
  for (const NamedFields& e : events) {
    report_unknown_keys(e.fields, known, e.name, reader.diagnostics());
    EventFields f;
    if (!is_available(e, reader.diagnostics())) continue;
    if (!read_fields(e.fields, e.name, e.where, reader, f)) continue;
    const FieldValue& expression = *e.find("expression");
    if (f.expression.is_constant()) {
      reader.diagnostics().error(
          "event.constant", fmt::format("{}: '{}' does not change", e.name, f.expression.text()),
          expression.where, "use quantities of the motion or t");
      continue;
    }
    const int direction = f.direction == "rising" ? 1 : f.direction == "falling" ? -1 : 0;
    out.push_back({e.name, f.expression, direction,
                   f.action == "stop" ? EventAction::stop : EventAction::record, expression.where});
  }
  return out;
}

std::vector<InvariantData> resolve_invariants(const FieldValue::List& invariants,
                                              const ValueReader& reader) {
  using Kind = InvariantData::Kind;
  static const std::pair<const char*, Kind> words[] = {
      {"energy", Kind::energy},
      {"momentum", Kind::momentum},
      {"angular_momentum", Kind::angular_momentum}};
  std::vector<InvariantData> out;
  for (std::size_t i = 0; i < invariants.size(); ++i) {
    const FieldValue& value = invariants[i];
    const std::string what = fmt::format("invariants[{}]", i);
    InvariantData data;
    data.where = value.where;
    const auto* text = std::get_if<std::string>(&value.data);
    if (!text) {
      reader.diagnostics().error(
          "field.type",
          what + ": wanted energy, momentum, angular_momentum or an expression of quantities",
          value.where);
      continue;
    }
    data.text = *text;
    const auto word = std::find_if(std::begin(words), std::end(words),
                                   [&](const auto& w) { return *text == w.first; });
    if (word != std::end(words)) {
      data.kind = word->second;
    } else {
      data.kind = Kind::expression;
      if (!reader.expression(value, what, {any_quantity}, data.value)) continue;
    }
    const bool twice = std::any_of(out.begin(), out.end(),
                                   [&](const InvariantData& d) { return d.text == data.text; });
    if (twice)
      reader.diagnostics().error("invariant.twice", fmt::format("{}: '{}' again", what, *text),
                                 value.where, "remove one");
    else
      out.push_back(std::move(data));
  }
  return out;
}

std::vector<OutputData> resolve_outputs(const FieldValue::List& outputs, Diagnostics& diagnostics) {
  std::vector<OutputData> out;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto* text = std::get_if<std::string>(&outputs[i].data);
    if (text)
      out.push_back({*text, outputs[i].where});
    else
      diagnostics.error("field.type",
                        fmt::format("outputs[{}]: wanted the name of a quantity, or '*'", i),
                        outputs[i].where, "rod.x, \"rod.*\", energy.kinetic");
  }
  return out;
}

bool matches(std::string_view pattern, std::string_view name) {
  // Greedy with one place to return to: the last star.
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace kardan
