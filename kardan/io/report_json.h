#pragma once
/// Reports as JSON, with stable keys.
///
/// Of a run: `model, reason, message, advice, t_reached, method, formulation, tolerance, steps,
/// rejected, failed, evaluations, jacobians, factorizations, iterations, cpu_seconds,
/// smallest_step, largest_step, remarks[], warnings[], start{moved[{body, length, angle}],
/// velocities[{name, from, to}]}, residuals{position, velocity, acceleration}, energy{initial,
/// final, work, exchanged, balance_error}, partitions, partition_history[{t, rank, why}],
/// events[{t, event, direction}], asked{..}, used{..}, derivatives{exact, missing[]},
/// dense_output_order, versions{..}, final{name: value}`, and of a certified run `accuracy{asked,
/// verdict, message, position, velocity, until, growth, tolerance, reference, budget, used,
/// runs[{tolerance, steps}], bands{times[], position[], velocity[], errors{name: []}}}`.

#include <nlohmann/json.hpp>

#include "kardan/run/simulate.h"

namespace kardan {

using Json = nlohmann::ordered_json;

Json to_json(const Residuals&);
/// What was moved, and which velocities were not kept: {moved[], velocities[]}.
Json to_json(const StartChanges&);
/// What was asked for; tolerances are left out where the general one holds.
Json to_json(const SimulateOptions&);
/// What certifying has found; errors of bands to two digits.
Json to_json(const Accuracy&);
/// All values that are known, by column.
Json to_json(const System&, const Instant&);
/// The certificate; `end` is where the run came to.
Json to_json(const System&, const RunReport&, const Instant& end);

}  // namespace kardan
