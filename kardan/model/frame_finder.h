#pragma once
/// Where elements act: their frames on bodies, from `between`, `on`, `joint`, or `bodies` with `at`
/// and `axis`.

#include <string>
#include <unordered_map>
#include <vector>

#include "kardan/model/defaults.h"

namespace kardan {

class FrameFinder {
 public:
  /// `bodies`: those of `model`, which may come later.
  FrameFinder(const Model& model, const Catalog& catalog, const std::vector<BodyData>& bodies,
              Defaults& defaults, const ValueReader& reader);

  /// False after reporting, or where a frame stands at a parameter that failed.
  bool frames(const NamedFields& element, const ElementType& type, std::vector<FrameData>& out);

 private:
  bool frames_of_joint(const NamedFields& e, const ElementType& type, const FieldValue& value,
                       bool placed_otherwise, std::vector<FrameData>& out);
  bool frames_of_joints(const NamedFields& e, const ElementType& type, const FieldValue& value,
                        bool placed_otherwise, std::vector<FrameData>& out);
  bool marker(const FieldValue& value, const std::string& owner, FrameData& out);
  int find_body(const std::string& name, const SourceLocation& where, const std::string& owner);
  bool placed_frames(const NamedFields& e, const ElementType& type, const FieldValue& bodies,
                     std::vector<FrameData>& out);

  const Model& model_;
  const Catalog& catalog_;
  const std::vector<BodyData>& bodies_;
  Defaults& defaults_;
  const ValueReader& reader_;
  Diagnostics& diagnostics_;
  std::unordered_map<std::string, int> body_index_;
};

}  // namespace kardan
