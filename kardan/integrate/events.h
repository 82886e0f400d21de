#pragma once
/// Events inside a step: zeros of the problem's event functions on the dense output, then on true
/// steps. Every driver looks through the same eyes.
///
/// The functions are sampled at equal distances, with a flow of the method (method.h) at distances
/// that resolve its fastest rate. A function that dips towards zero between samples is followed to
/// its bottom. Where a function is a distance whose rate is bounded (EventSource::guards),
/// an interval is left only when the distance cannot reach zero inside, else it is halved down to
/// the resolution: no passage that lasts longer is missed. All other functions are enclosed between
/// samples (event_enclosure.h) and intervals halved likewise, where they could pass zero twice, down
/// to the accuracy of times. On a flow the first passage is enclosed
/// that way, however often the distance swings between samples.

#include <functional>
#include <limits>
#include <vector>

#include "kardan/integrate/dense.h"
#include "kardan/integrate/driver_options.h"
#include "kardan/integrate/event_enclosure.h"

namespace kardan {

class EventSearch {
 public:
  EventSearch(ChartProblem& problem, const DriverOptions& options);

  /// How a step of length h ends.
  struct Ending {
    Eval eval = Eval::ok;  // otherwise: `length` was not reached, or
    double length = 0;
    bool event = false;
    bool nearer = false;  // an event there, or beyond, wants to be seen from nearer
  };
  /// Looks for the first event inside the step from `start` and repeats the step so that it ends
  /// there. `repeat` makes a true step of the length it is given and writes it to `step` and `end`.
  Ending end_step(const DenseStep& step, const State& start, const State& end, double h,
                  const std::function<Eval(double)>& repeat);

  /// Records what happens at the end of the step, acts, and changes the modes to those just beyond
  /// it. The report's reason is `stopped` after an event that ends the run.
  void pass(const DenseStep& step, State& end, DriverReport& report);

  /// Whether nothing needs to be remembered of the last event at `t`.
  bool settled(double t) const { return t >= side_until_; }

 private:
  enum class Refined { reached, failed, grazing };
  struct Sample : EventEnclosure::Mark {
    Vector guard, rate;
    ChartPoint point;
    State state;
  };
  /// A place in the step, the function there and, where it is known, the distance.
  struct Mark {
    double theta, z, distance;
    bool known;
  };
  int find(const DenseStep& step, const State& start, const State& end, double& theta);
  Refined refine(int event, const DenseStep& step, const State& end, double& length,
                 const std::function<Eval(double)>& repeat);
  void functions(const State& state, Vector& z);
  void happen(int event, int direction, State& end, double time, DriverReport& report);
  void sample(const DenseStep& step, double theta, Sample& out);
  void guard(Sample& at);
  bool cannot_happen(const DenseStep& step, const State& start, const State& end);
  bool is_quiet(const DenseStep& step);
  void look(const DenseStep& step, double theta, double width, EventEnclosure::Mark& out);
  double crossing(const DenseStep& step, int event, const EventEnclosure::Mark& a,
                  const EventEnclosure::Mark& b, double least, std::size_t depth);
  int sample_count(const DenseStep& step) const;
  void at(const DenseStep& step, double theta, Vector& z);
  void keep_side(double t, Vector& z) const;
  void beyond(const DenseStep& step, double time, State& state);
  double slope_at_end(const DenseStep& step, int event);
  bool counts(int event, int direction) const;
  double root_between(const DenseStep& step, int event, const Sample& a, const Sample& b);
  double root_in_dip(const DenseStep& step, int event, const Sample& a, const Sample& b,
                     const Sample& c);
  double first_root(const DenseStep& step, int event, const Sample* a, const Sample& b,
                    const Sample& c, double least);
  double passage(const DenseStep& step, int event, const Mark& a, const Mark& b, double rate,
                 double least);
  double root_near(const DenseStep& step, int event, double a, double inside, double b);
  double bottom(const DenseStep& step, int event, double a, double b, bool positive);
  double locate(const DenseStep& step, int event, double a, double b, double fa, double fb);
  void end_chatter(double t, double time, DriverReport& report);
  void act(int event, int direction, State& end, double time, DriverReport& report);

  ChartProblem& problem_;
  EventSource& source_;
  const DriverOptions& options_;
  const std::vector<EventRule>& rules_;
  int samples_;
  double resolution_;
  int found_ = -1;              // the event the last step was cut for
  std::vector<char> ignored_;   // in this step: grazing
  std::vector<char> safe_;      // in this step: too far from zero
  std::vector<char> distance_;  // at its start: the passage of one
  bool any_guard_ = false;
  Vector z_start_, z_inside_, z_before_, z_end_, z_side_, speed_;
  Sample window_[3];
  EventEnclosure enclosure_;
  // Until then z_side_ holds the signs.
  double side_until_ = -std::numeric_limits<double>::infinity();
  bool sides_given_ = false;
  /// The last event, and how many followed each other at once.
  struct Last {
    double t = -std::numeric_limits<double>::infinity();
    double time = 0;  // for which its sides were remembered
    int event = -1;
    int crowd = 0;
  } last_;
  ChartPoint point_;
  State probe_, after_;
};

}  // namespace kardan
