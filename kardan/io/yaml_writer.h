#pragma once
/// Trees back to text. What is read again is the same tree, but for comments, anchors and the ways
/// of writing a text; numbers keep their bits.

#include <string>

#include "kardan/io/yaml_document.h"
#include "kardan/model/model.h"

namespace kardan {

[[nodiscard]] std::string to_yaml(const YamlNode& root);
[[nodiscard]] std::string to_json(const YamlNode& root);

/// A model as the tree a reader makes it from: with its parameters and expressions, repeats carried
/// out. Elements keep their order, on which the order of equations depends.
[[nodiscard]] YamlNode to_tree(const Model& model);

/// Gives a parameter of a tree another value, in units of the SI; false where the tree has none of
/// the name (one of a `repeat`).
bool set_parameter(YamlNode& root, const std::string& name, double value);

}  // namespace kardan
