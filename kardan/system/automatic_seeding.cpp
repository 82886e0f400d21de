#include "kardan/system/automatic_seeding.h"

#include <cmath>

namespace kardan {

Seeding::Seeding(int rows, int columns, const std::vector<char>& depends) : rows_(rows) {
  constexpr double golden = 0.6180339887498949;  // multiples of it are spread over (0, 1)
  color_.assign(columns, -1);
  for (int j = 0; j < columns; ++j) direction_.push_back(0.5 + std::fmod((j + 1) * golden, 1.0));
  for (int i = 0; i <= rows; ++i) start_.push_back(0);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      if (depends[i * columns + j]) column_.push_back(j);
    start_[i + 1] = static_cast<int>(column_.size());
  }
  // The first color that none of its rows has yet.
  std::vector<std::vector<char>> taken;  // by color and row
  for (int j = 0; j < columns; ++j) {
    const auto meets = [&](const std::vector<char>& color) {
      for (int i = 0; i < rows; ++i)
        if (depends[i * columns + j] && color[i]) return true;
      return false;
    };
    bool used = false;
    for (int i = 0; i < rows; ++i) used = used || depends[i * columns + j];
    if (!used) continue;
    std::size_t c = 0;
    while (c < taken.size() && meets(taken[c])) ++c;
    if (c == taken.size()) taken.emplace_back(rows, 0);
    for (int i = 0; i < rows; ++i)
      if (depends[i * columns + j]) taken[c][i] = 1;
    color_[j] = static_cast<int>(c);
  }
  colors_ = static_cast<int>(taken.size());
}

}  // namespace kardan
