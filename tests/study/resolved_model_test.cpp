/// What a change of parameters touches is made anew, and only that: the blueprint has the bits of
/// one that is resolved whole.

#include "kardan/model/resolved_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "kardan/io/load.h"
#include "kardan/system/system.h"
#include "support/places.h"

namespace kardan {
namespace {

std::string text(double x) {
  return fmt::format("{:a} ", x);
}
std::string text(const Vec3d& v) {
  return text(v.x) + text(v.y) + text(v.z);
}
std::string text(const Mat3d& R) {
  std::string out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out += text(R[i][j]);
  return out;
}
std::string text(const std::vector<WishData>& wishes) {
  std::string out;
  for (const WishData& w : wishes) out += w.text + ":" + w.want.text() + text(w.equals) + "\n";
  return out;
}

/// Everything of a blueprint that is computed.
std::string text(const Blueprint& b) {
  std::string out = b.name + text(b.gravity) + "\n";
  for (const auto& [name, value] : b.parameters.all()) out += name + "=" + text(value) + "\n";
  for (const BodyData& body : b.bodies) {
    out += body.name + text(body.mass) + text(body.inertia) + text(body.com) + text(body.position) +
           text(body.R) + text(body.angle) + text(body.velocity) + text(body.spin) + body.color;
    for (const Shape& s : body.shapes)
      out += s.kind + text(s.size) + text(s.at) + text(s.R) + text(s.density) + s.color;
    const std::map<std::string, FrameData> markers(body.markers.begin(), body.markers.end());
    for (const auto& [name, m] : markers)
      out += fmt::format("{} {} ", name, m.body) + text(m.s) + text(m.R);
    out += "\n";
  }
  for (const ElementData& e : b.elements) {
    out += e.name + " " + std::string(e.type->name) + e.color;
    for (const FrameData& f : e.frames) out += fmt::format(" {} ", f.body) + text(f.s) + text(f.R);
    out += "\n";
  }
  out += text(b.wishes) + text(b.equilibrium.wishes) + text(b.equilibrium.place);
  for (const std::string& name : b.equilibrium.solve) out += name;
  for (const InvariantData& i : b.invariants) out += i.text + i.value.text();
  for (const EventData& e : b.events)
    out += e.name + e.function.text() +
           fmt::format("{} {}", e.direction, static_cast<int>(e.action)) + text(e.restitution);
  for (const int i : b.impulses) out += fmt::format("{} ", i);
  return out;
}

class ResolvedModels : public testing::TestWithParam<std::string> {};

TEST_P(ResolvedModels, HaveTheBitsOfThoseResolvedWhole) {
  Diagnostics faults;
  const auto loaded = load_model(models_folder() + "/" + GetParam(), {}, IncludeFrom::model_folder,
                                 faults, "model");
  ASSERT_TRUE(loaded) << format(faults);
  const Model& model = loaded->model;
  const ResolvedModel base(model, Catalog::builtin(), {}, faults);
  ASSERT_TRUE(base.sound());
  ParameterValues all;
  int changed_blueprints = 0;
  for (const auto& [name, value] : base.blueprint().parameters.all()) {
    // Some values are refused; then both have to say so.
    const ParameterValues one{{name, value == 0 ? 1e-3 : 1.001 * value}};
    Diagnostics again, whole;
    const ResolvedModel other = base.with(one, again);
    const Blueprint expected = resolve(model, Catalog::builtin(), one, whole);
    // What fields may hold is told when it is compiled.
    const bool compiles = other.sound() && compile(Blueprint(other.blueprint()), again) != nullptr;
    EXPECT_EQ(compiles, !whole.has_errors() && compile(Blueprint(expected), whole) != nullptr)
        << name << format(again) << format(whole);
    if (!compiles) continue;
    EXPECT_EQ(text(other.blueprint()), text(expected)) << name;
    changed_blueprints += text(expected) != text(base.blueprint());
    all.push_back(one.front());
    // On top of others: what stood before stays.
    Diagnostics both;
    const ResolvedModel further = other.with({all.front()}, both);
    ParameterValues two = one;
    if (name != all.front().first) two.push_back(all.front());
    if (!further.sound()) continue;
    EXPECT_EQ(text(further.blueprint()), text(resolve(model, Catalog::builtin(), two, both)))
        << name << " after " << all.front().first;
  }
  EXPECT_EQ(changed_blueprints > 0, !base.blueprint().parameters.all().empty());
}

std::vector<std::string> model_files() {
  std::vector<std::string> out;
  for (const auto& file : std::filesystem::directory_iterator(models_folder()))
    if (file.path().extension() == ".yaml") out.push_back(file.path().filename().string());
  std::ranges::sort(out);
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ResolvedModels, testing::ValuesIn(model_files()),
                         [](const auto& file) {
                           return file.param.substr(0, file.param.size() - 5);
                         });

}  // namespace
}  // namespace kardan
