// Every field of observation and memory with its key in JSON: the one table for reading and
// writing. A struct with a new field does not compile here until the field has a key.
#pragma once

#include <concepts>
#include <type_traits>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/state/decider_state.hpp"

namespace bellows::autoscaler::journal {

template <class T, class Struct>
concept Either = std::same_as<std::remove_const_t<T>, Struct>;

/// Calls visit(key, field) for each field. The two averages are not included, because their keys
/// depend on the settings (decision_json.cpp); what other policies saw is in policy_json.cpp.
template <Either<Observation> Seen, class Visit>
void for_each_field(Seen& seen, Visit&& visit) {
  auto& [stable, panic, newest, stable_rate, panic_rate, observed, in_window, not_reporting, ready,
         starting, requested, waiting, idle_for, start_time, start_spread, cpu, memory,
         is_reachable, does_activator_answer, is_retired, is_paused, problem, policy, room_limit,
         room_more] = seen;
  visit("newest", newest);
  visit("stable-rate", stable_rate);
  visit("panic-rate", panic_rate);
  visit("ready", ready);
  visit("observed", observed);
  visit("in-window", in_window);
  visit("requested", requested);
  visit("silent", not_reporting);
  visit("starting", starting);
  visit("waiting", waiting);
  visit("idle-for", idle_for);
  visit("start-time", start_time);
  visit("start-spread", start_spread);
  visit("cpu", cpu);
  visit("memory", memory);
  visit("reachable", is_reachable);
  visit("activator-answers", does_activator_answer);
  visit("retired", is_retired);
  visit("paused", is_paused);
  visit("problem", problem);
  visit("room-limit", room_limit);
  visit("room-more", room_more);
}

template <Either<Panic> T, class Visit>
void for_each_field(T& panic, Visit&& visit) {
  auto& [since, last_over] = panic;
  visit("since-age", since);
  visit("last-over-age", last_over);
}

template <Either<FreshStart> T, class Visit>
void for_each_field(T& fresh, Visit&& visit) {
  auto& [since, known_back_to] = fresh;
  visit("since-age", since);
  visit("known-back-to-age", known_back_to);
}

template <Either<Activity> T, class Visit>
void for_each_field(T& activity, Visit&& visit) {
  auto& [state, since] = activity;
  visit("state", state);
  visit("since-age", since);
}

template <Either<Burstiness> T, class Visit>
void for_each_field(T& burstiness, Visit&& visit) {
  auto& [index, samples] = burstiness;
  visit("index", index);
  visit("samples", samples);
}

template <Either<RecentLoads> T, class Visit>
void for_each_field(T& recent, Visit&& visit) {
  auto& [oldest, middle, newest, last_at] = recent;
  visit("oldest", oldest);
  visit("middle", middle);
  visit("newest", newest);
  visit("last-age", last_at);
}

template <Either<Trend> T, class Visit>
void for_each_field(T& trend, Visit&& visit) {
  auto& [older, newer, older_at, newer_at] = trend;
  visit("older", older);
  visit("newer", newer);
  visit("older-age", older_at);
  visit("newer-age", newer_at);
}

template <Either<Growth> T, class Visit>
void for_each_field(T& growth, Visit&& visit) {
  auto& [fastest, known_seconds, seen_at] = growth;
  visit("fastest", fastest);
  visit("known-seconds", known_seconds);
  visit("seen-age", seen_at);
}

template <Either<ScaleDownSmoothing> T, class Visit>
void for_each_field(T& smoothing, Visit&& visit) {
  auto& [level, at] = smoothing;
  visit("level", level);
  visit("age", at);
}

template <Either<RuleChoice> T, class Visit>
void for_each_field(T& choice, Visit&& visit) {
  auto& [typical_load, known_seconds, seen_at, since, is_as_knative] = choice;
  visit("typical-load", typical_load);
  visit("known-seconds", known_seconds);
  visit("seen-age", seen_at);
  visit("since-age", since);
  visit("as-knative", is_as_knative);
}

/// Instants are written as ages: seconds before the instant of the line.
template <Either<Memory> T, class Visit>
void for_each_field(T& memory, Visit&& visit) {
  auto& [panic, fresh, activity, load_unknown_since, proxying_since, known_back_to, unsettled_at,
         last_load, burst_capacity, burstiness, trend, growth, rule_choice, smoothing, panic_max,
         replicas, room_made, service_seconds, is_initialised] = memory;
  visit("want", replicas);
  visit("room-made", room_made);
  visit("panic", panic);
  visit("panic-max", panic_max);
  visit("fresh", fresh);
  visit("activity", activity);
  visit("silent-since-age", load_unknown_since);
  visit("proxying-since-age", proxying_since);
  visit("known-back-to-age", known_back_to);
  visit("unsettled-age", unsettled_at);
  visit("last-load-age", last_load);
  visit("burst-capacity", burst_capacity);
  visit("burstiness", burstiness);
  visit("trend", trend);
  visit("growth", growth);
  visit("rules", rule_choice);
  visit("glide", smoothing);
  visit("service-seconds", service_seconds);
  visit("initialised", is_initialised);
}

}  // namespace bellows::autoscaler::journal
