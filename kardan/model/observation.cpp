#include "kardan/model/observation.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"

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
      {.doc =
           "record: note it in the result; stop: end the run there; or {set: {PARAMETER: VALUE}}, "
           "{impulse: {restitution: NUMBER}}",
       .choices = {"record", "stop"}});
  }
};

/// restitution of an impulse
struct ImpulseFields {
  double restitution = 0;
  template <class F>
  static void fields(F& f) {
    f("restitution", &ImpulseFields::restitution,
      {.doc = "speed after by speed before",
       .check = Check::unit_interval,
       .need = Need::required});
  }
};

bool refuse_action(const std::string& event, const SourceLocation& where, Diagnostics& to) {
  to.error("event.action", fmt::format("{}: no such action", event), where,
           "record, stop, {set: {PARAMETER: VALUE}} or {impulse: {restitution: 0.8}}");
  return false;
}

/// {set: {name: value, ...}}
bool read_set(const FieldValue& value, const std::string& event, const ValueReader& reader,
              ParameterValues& out) {
  const auto* map = std::get_if<FieldMap>(&value.data);
  if (!map || map->empty()) return refuse_action(event, value.where, reader.diagnostics());
  bool ok = true;
  for (const auto& [name, given] : *map) {
    double number = 0;
    ok &= reader.read(given, event + ".action.set." + name, {}, number);
    out.emplace_back(name, number);
    if (reader.parameters().find(name)) continue;
    std::vector<std::string> names;
    for (const auto& known : reader.parameters().all()) names.push_back(known.first);
    const std::string near = did_you_mean(name, names);
    reader.diagnostics().error(
        "event.set", fmt::format("{}: there is no parameter '{}'", event, name), given.where,
        near.empty() ? "name a parameter of the model" : "did you mean '" + near + "'?");
    ok = false;
  }
  return ok;
}

/// An action that is more than a word.
bool read_action(const NamedFields& event, const ValueReader& reader, EventData& out) {
  const FieldValue& action = *event.find("action");
  const auto* map = std::get_if<FieldMap>(&action.data);
  if (!map || map->size() != 1)
    return refuse_action(event.name, action.where, reader.diagnostics());
  const auto& [kind, value] = map->front();
  if (kind == "set") {
    out.action = EventAction::set;
    return read_set(value, event.name, reader, out.set);
  }
  const auto* fields = std::get_if<FieldMap>(&value.data);
  if (kind != "impulse" || !fields)
    return refuse_action(event.name, action.where, reader.diagnostics());
  ImpulseFields f;
  report_unknown_keys(*fields, {"restitution"}, event.name + ".action.impulse",
                      reader.diagnostics());
  out.action = EventAction::impulse;
  const bool ok = read_fields(*fields, event.name + ".action.impulse", value.where, reader, f);
  out.restitution = f.restitution;
  return ok;
}

}  // namespace

void refuse_impulse(const EventData& event, Diagnostics& diagnostics) {
  diagnostics.error(
      "event.impulse",
      fmt::format("{}: an impulse needs a function of positions and t; got '{}'", event.name,
                  event.function.text()),
      event.where,
      "the impulse turns the rate of the function: leave velocities and forces out of it");
}

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
    EventData data;
    // An action that is a word is a field like the others.
    const FieldValue* action = e.find("action");
    FieldMap fields = e.fields;
    bool ok = true;
    if (action && !std::holds_alternative<std::string>(action->data)) {
      ok = read_action(e, reader, data);
      std::erase_if(fields, [](const auto& field) { return field.first == "action"; });
    }
    if (!read_fields(fields, e.name, e.where, reader, f) || !ok) continue;
    const FieldValue& expression = *e.find("expression");
    if (f.expression.is_constant()) {
      reader.diagnostics().error(
          "event.constant", fmt::format("{}: '{}' does not change", e.name, f.expression.text()),
          expression.where, "use quantities of the motion or t");
      continue;
    }
    data.name = e.name;
    data.function = f.expression;
    data.direction = f.direction == "rising" ? 1 : f.direction == "falling" ? -1 : 0;
    if (f.action == "stop") data.action = EventAction::stop;
    data.where = expression.where;
    out.push_back(std::move(data));
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
