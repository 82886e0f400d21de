#include "kardan/system/system.h"

#include <algorithm>

namespace kardan {

int System::asked_event(int asked) const {
  const Blueprint& b = blueprint();
  return static_cast<int>(event_names().size() - b.impulses.size() - b.events.size()) + asked;
}

int System::rest_event(int impulse) const {
  return static_cast<int>(event_names().size() - blueprint().impulses.size()) + impulse;
}

void System::mark_rest(const State& s, std::span<double> z) const {
  const std::vector<int>& impulses = blueprint().impulses;
  for (int i = 0; i < static_cast<int>(impulses.size()); ++i) {
    const int side = s.modes[rest_mode(i)];
    if (side != 0) z[asked_event(impulses[i])] = side;
    z[rest_event(i)] = side != 0 ? 1 : -1;
  }
}

std::string System::row_name(int row) const {
  const std::string& label = rows()[row].label;
  return label.empty() ? element_of_row(row) : element_of_row(row) + " " + label;
}

const std::string& System::element_of_row(int row) const {
  return blueprint().elements[rows()[row].element].name;
}

int System::body_of_column(int column) const {
  const auto next = std::upper_bound(bodies().begin() + 1, bodies().end(), column,
                                     [](int c, const BodyLayout& b) { return c < b.v; });
  return static_cast<int>(next - bodies().begin()) - 1;
}

bool System::is_rotation(int column) const {
  return column - bodies()[body_of_column(column)].v >= dimension();
}

}  // namespace kardan
