#pragma once
/// Parts: files that a model uses, as often as it likes.
///
///   parts:
///     front_left: {file: corner.yaml, with: {stiffness: 2e4, chassis: hull}, at: [1, 0.7, 0]}
///     front_right: {file: corner.yaml, with: {...}, at: [1, -0.7, 0], mirror: y}
///
/// What the file calls `wheel` is `front_left.wheel` in the model. A part knows nothing of the model
/// that uses it but what `with` gives: values of its parameters, and for its `ports` the names of
/// bodies, markers, joints or sensors. Parts may have parts.

#include <functional>

#include "kardan/io/yaml_document.h"

namespace kardan {

/// The tree of a part's file, its includes joined and its own parts expanded; null after reporting.
using PartFile = std::function<const YamlNode*(const YamlNode& file)>;

/// Replaces the section `parts` of a model by what it stands for. `files` names the files of nodes.
void expand_parts(YamlNode& root, const PartFile& open, const std::vector<SharedText>& files,
                  Diagnostics& diagnostics);

}  // namespace kardan
