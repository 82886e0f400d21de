#include "kardan/model/model.h"

namespace kardan {

const FieldValue* NamedFields::find(std::string_view key) const {
  for (const auto& [name_, value] : fields)
    if (name_ == key) return &value;
  return nullptr;
}

NamedFields& Model::add_body(std::string body, FieldMap fields) {
  bodies.push_back({std::move(body), std::move(fields), {}});
  return bodies.back();
}

NamedFields& Model::add(std::string element, std::string type, std::vector<std::string> markers,
                        FieldMap fields) {
  FieldValue::List between;
  for (std::string& m : markers) between.emplace_back(std::move(m));
  fields.emplace_back("type", FieldValue(std::move(type)));
  if (!between.empty()) fields.emplace_back("between", FieldValue(std::move(between)));
  elements.push_back({std::move(element), std::move(fields), {}});
  return elements.back();
}

void Model::add_wish(std::string want, FieldValue equals, std::string priority) {
  NamedFields wish;
  wish.fields.emplace_back("want", FieldValue(std::move(want)));
  wish.fields.emplace_back("equals", std::move(equals));
  wish.fields.emplace_back("priority", FieldValue(std::move(priority)));
  wishes.push_back(std::move(wish));
}

}  // namespace kardan
