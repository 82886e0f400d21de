#pragma once
/// What is kept of a motion: a number that follows from the course of an expression. A function is
/// one file in kept/ and one line in its catalog.cpp.

#include <concepts>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace kardan {

class Reduction {
 public:
  virtual ~Reduction() = default;
  /// Before the first moment of a run.
  virtual void begin() = 0;
  /// The time and the value of the expression. Ends of steps come in the order of time, and so do
  /// rows; rows inside a step come after its end.
  virtual void see(double t, double y) = 0;
  [[nodiscard]] virtual double result() = 0;
};

/// What sees events as well.
class SeesEvents {
 public:
  virtual ~SeesEvents() = default;
  /// The time of an event, after the last moment, in the order of time.
  virtual void happened(double t) = 0;
};

/// What may lie between the ends of steps: it is looked for there.
class SeeksPeaks {
 public:
  virtual ~SeeksPeaks() = default;
  enum class Side { above, below };
  [[nodiscard]] virtual Side side() const = 0;
  [[nodiscard]] virtual double best() const = 0;  ///< so far
};

struct MadeReduction {
  std::unique_ptr<Reduction> reduction;
  SeesEvents* events = nullptr;       ///< null: it does not see them
  const SeeksPeaks* peaks = nullptr;  ///< null: nothing is looked for inside steps
};

/// Which moments it sees.
enum class Sight {
  all,     ///< ends of steps, and rows where there are any
  rows,    ///< of the study's grid (`every`)
  events,  ///< ends of steps, and the times of the event that is its first argument
};

struct KeptFunction {
  std::string_view name, summary;
  Sight sight = Sight::all;
  bool takes_expression = true;
  std::function<MadeReduction()> make;
};

/// The catalog entry of a reduction T with name, summary and sight.
template <class T>
KeptFunction describe_kept() {
  bool expression = true;
  if constexpr (requires { T::takes_expression; }) expression = T::takes_expression;
  return {T::name, T::summary, T::sight, expression, [] {
            auto made = std::make_unique<T>();
            SeesEvents* events = nullptr;
            const SeeksPeaks* peaks = nullptr;
            if constexpr (std::derived_from<T, SeesEvents>) events = made.get();
            if constexpr (std::derived_from<T, SeeksPeaks>) peaks = made.get();
            return MadeReduction{std::move(made), events, peaks};
          }};
}

[[nodiscard]] const std::vector<KeptFunction>& kept_catalog();

}  // namespace kardan
