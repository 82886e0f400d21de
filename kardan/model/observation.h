#pragma once
/// What is watched during a motion, from its fields: events (`when`), invariants and outputs.

#include "kardan/model/blueprint.h"

namespace kardan {

std::vector<EventData> resolve_events(const std::vector<NamedFields>& events,
                                      const ValueReader& reader);
std::vector<InvariantData> resolve_invariants(const FieldValue::List& invariants,
                                              const ValueReader& reader);
std::vector<OutputData> resolve_outputs(const FieldValue::List& outputs, Diagnostics& diagnostics);

/// An impulse changes velocities so that the rate of its function turns: a function that depends on
/// velocities has no rate before the accelerations are known, and they not before the impulse.
void refuse_impulse(const EventData& event, Diagnostics& diagnostics);

/// What an event may have, for listings.
std::vector<FieldDoc> event_field_docs();

/// Whether `name` is meant by `pattern`, in which "*" stands for any letters.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace kardan
