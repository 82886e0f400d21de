#include "kardan/system/mechanisms.h"

#include <algorithm>
#include <numeric>

namespace kardan {
namespace {

/// The smallest member stands for its set.
int find_root(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

bool acts(const ElementData& e) {
  return e.type->category != Category::sensor;
}

}  // namespace

std::vector<Mechanism> find_mechanisms(const Blueprint& blueprint) {
  std::vector<Mechanism> out;
  const auto count = static_cast<int>(blueprint.bodies.size());
  std::vector<int> parent(count);
  std::iota(parent.begin(), parent.end(), 0);
  for (const ElementData& e : blueprint.elements) {
    if (!acts(e)) continue;
    int first = 0;
    for (const FrameData& f : e.frames) {
      if (f.body == 0) continue;
      if (first > 0) {
        const int a = find_root(parent, first), b = find_root(parent, f.body);
        parent[std::max(a, b)] = std::min(a, b);
      }
      first = f.body;
    }
  }
  std::vector<int> mechanism(count, -1);
  for (int b = 1; b < count; ++b) {
    int& at = mechanism[find_root(parent, b)];
    if (at < 0) {
      at = static_cast<int>(out.size());
      out.emplace_back();
    }
    out[at].bodies.push_back(b);
  }
  std::vector<int> places(out.size(), 0);
  for (const ElementData& e : blueprint.elements) {
    if (!acts(e)) continue;
    const auto moving = std::find_if(e.frames.begin(), e.frames.end(),
                                     [](const FrameData& f) { return f.body > 0; });
    if (moving == e.frames.end()) continue;
    const int at = mechanism[find_root(parent, moving->body)];
    for (const FrameData& f : e.frames) {
      if (f.body != 0) continue;
      out[at].floats = false;
      out[at].place += f.s;
      ++places[at];
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    if (places[i] > 0) out[i].place = (1.0 / places[i]) * out[i].place;
  return out;
}

}  // namespace kardan
