#include "kardan/model/parameter_uses.h"

#include <algorithm>
#include <cctype>

#include "kardan/model/names.h"

namespace kardan {
namespace {

/// The words of a text that could be names, by their symbols.
void words_of(std::string_view text, std::vector<std::string>& out) {
  const auto begins = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto goes_on = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  for (std::size_t i = 0; i < text.size();) {
    if (!begins(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && goes_on(text[end])) ++end;
    out.emplace_back(symbol_of(text.substr(i, end - i)));
    i = end;
  }
}
void collect(const FieldValue& value, std::vector<std::string>& out) {
  if (const auto* text = std::get_if<std::string>(&value.data)) words_of(*text, out);
  if (const auto* list = std::get_if<FieldValue::List>(&value.data))
    for (const FieldValue& item : *list) collect(item, out);
  if (const auto* map = std::get_if<FieldMap>(&value.data))
    for (const auto& [key, item] : *map) collect(item, out);
}
/// A name, or a list of names.
void names_in(const FieldValue& value, std::vector<std::string>& out) {
  if (const auto* text = std::get_if<std::string>(&value.data)) out.push_back(*text);
  if (const auto* list = std::get_if<FieldValue::List>(&value.data))
    for (const FieldValue& item : *list) names_in(item, out);
}
void collect(const FieldMap& fields, std::vector<std::string>& out) {
  for (const auto& [key, value] : fields) collect(value, out);
}

const FieldMap* defaults_of(const Model& model, std::string_view kind) {
  for (const auto& [name, value] : model.defaults)
    if (name == kind) return std::get_if<FieldMap>(&value.data);
  return nullptr;
}

}  // namespace

ParameterUses::ParameterUses(const Model& model) {
  for (const FieldMap* symbols :
       {&model.parameters, &model.functions, &model.shapes, &model.colors})
    for (const auto& [name, value] : *symbols) {
      Words words;
      collect(value, words);
      for (const std::string& word : words) users_[word].emplace_back(symbol_of(name));
    }
  // Only symbols count; parameters that use nothing are symbols too.
  Names symbols;
  for (const FieldMap* map : {&model.parameters, &model.functions, &model.shapes, &model.colors})
    for (const auto& [name, value] : *map) symbols.emplace(symbol_of(name));
  const auto keep_symbols = [&](Words& words) {
    std::erase_if(words, [&](const std::string& word) { return !symbols.contains(word); });
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
  };
  const FieldMap* of_bodies = defaults_of(model, "bodies");
  for (const NamedFields& body : model.bodies) {
    Words& words = bodies_.emplace_back();
    collect(body.fields, words);
    if (of_bodies) collect(*of_bodies, words);
    keep_symbols(words);
    holds_ = holds_ || body.find("hold") || (of_bodies && !of_bodies->empty());
  }
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < model.elements.size(); ++i) places.emplace(model.elements[i].name, i);
  for (const NamedFields& element : model.elements) {
    Words& words = elements_.emplace_back();
    const auto add = [&](const NamedFields& of) {
      collect(of.fields, words);
      const FieldValue* type = of.find("type");
      const auto* name = type ? std::get_if<std::string>(&type->data) : nullptr;
      if (const FieldMap* more = name ? defaults_of(model, *name) : nullptr) collect(*more, words);
    };
    add(element);
    // Placed where others are.
    std::vector<std::string> joints;
    for (const char* key : {"joint", "joints"})
      if (const FieldValue* placed = element.find(key)) names_in(*placed, joints);
    for (const std::string& name : joints)
      if (places.contains(name)) add(model.elements[places[name]]);
    keep_symbols(words);
  }
  collect(model.gravity, others_);
  for (const auto* list : {&model.wishes, &model.events, &model.frictions})
    for (const NamedFields& item : *list) collect(item.fields, others_);
  for (const FieldValue& item : model.invariants) collect(item, others_);
  collect(model.equilibrium.fields, others_);
  keep_symbols(others_);
  collect(model.ground.fields, ground_);
  keep_symbols(ground_);
}

ParameterUses::Names ParameterUses::touched_by(const std::vector<std::string>& parameters) const {
  Names out;
  std::vector<std::string> waiting;
  for (const std::string& name : parameters) waiting.emplace_back(symbol_of(name));
  while (!waiting.empty()) {
    const std::string name = std::move(waiting.back());
    waiting.pop_back();
    if (!out.insert(name).second) continue;
    if (const auto users = users_.find(name); users != users_.end())
      waiting.insert(waiting.end(), users->second.begin(), users->second.end());
  }
  return out;
}

bool ParameterUses::any(const Words& words, const Names& touched) {
  return std::ranges::any_of(words, [&](const auto& word) { return touched.contains(word); });
}
bool ParameterUses::body(std::size_t index, const Names& touched) const {
  return any(bodies_[index], touched);
}
bool ParameterUses::element(std::size_t index, const Names& touched) const {
  return any(elements_[index], touched);
}
bool ParameterUses::others(const Names& touched) const {
  return any(others_, touched);
}
bool ParameterUses::ground(const Names& touched) const {
  return any(ground_, touched);
}

}  // namespace kardan
