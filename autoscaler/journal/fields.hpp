// Every field of observation and memory with its key in JSON, in one table for reading and writing.
// A struct with a new field does not compile here until the field has a key.
#pragma once

#include <concepts>
#include <type_traits>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/state/decider_state.hpp"

namespace bellows::autoscaler::journal {

template <class T, class Struct>
concept Either = std::same_as<std::remove_const_t<T>, Struct>;

/// Calls visit(key, field) for each field. The two averages are not included, because their keys
/// depend on the settings (decision_json.cpp).
template <Either<Observation> Seen, class Visit>
void for_each_field(Seen& seen, Visit&& visit) {
  auto& [stable, panic, newest, stable_rate, panic_rate, observed, in_window, not_reporting, ready,
         starting, failing, requested, waiting, idle_for, start_time, start_spread, cpu, memory,
         is_reachable, does_activator_answer, is_retired, is_paused, problem, policy, room_limit,
         room_more] = seen;
  visit("newest", newest);
  visit("stable-rate", stable_rate);
  visit("panic-rate", panic_rate);
  visit("ready", ready);
  visit("observed", observed);
  visit("in-window", in_window);
  visit("requested", requested);
  visit("not-reporting", not_reporting);
  visit("starting", starting);
  visit("failing", failing);
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
  visit("policy", policy);
}

template <Either<Rooms> T, class Visit>
void for_each_field(T& rooms, Visit&& visit) {
  auto& [creating, ready, occupied, terminating] = rooms;
  visit("creating", creating);
  visit("ready", ready);
  visit("occupied", occupied);
  visit("terminating", terminating);
}

template <Either<Consumption> T, class Visit>
void for_each_field(T& used, Visit&& visit) {
  auto& [usage, requests] = used;
  visit("usage", usage);
  visit("requests", requests);
}

template <Either<CounterSum> T, class Visit>
void for_each_field(T& counter, Visit&& visit) {
  auto& [count, capacity, replicas, sized] = counter;
  visit("count", count);
  visit("capacity", capacity);
  visit("replicas", replicas);
  visit("sized", sized);
}

template <Either<WebhookAnswer> T, class Visit>
void for_each_field(T& answer, Visit&& visit) {
  auto& [url, replicas, age, failure] = answer;
  visit("url", url);
  visit("replicas", replicas);
  visit("age", age);
  visit("failure", failure);
}

template <Either<PolicySeen> T, class Visit>
void for_each_field(T& seen, Visit&& visit) {
  auto& [wall, rooms, kept, unreported, cpu, memory, counter, answers] = seen;
  visit("unix-seconds", wall);
  visit("rooms", rooms);
  visit("kept", kept);
  visit("unreported", unreported);
  visit("cpu", cpu);
  visit("mem", memory);
  visit("counter", counter);
  visit("webhooks", answers);
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

template <Either<LoadSpread> T, class Visit>
void for_each_field(T& spread, Visit&& visit) {
  auto& [squares, loads] = spread;
  visit("squares", squares);
  visit("loads", loads);
}

/// Calls visit(key, field) for each field. Instants are written as ages: seconds before the instant
/// of the line.
template <Either<Memory> T, class Visit>
void for_each_field(T& memory, Visit&& visit) {
  auto& [panic, fresh, activity, load_unknown_since, proxying_since, known_back_to, last_load,
         burst_capacity, panic_max, replicas, room_made, spread, service_seconds, is_initialised] =
      memory;
  visit("want", replicas);
  visit("room-made", room_made);
  visit("panic", panic);
  visit("panic-max", panic_max);
  visit("fresh", fresh);
  visit("activity", activity);
  visit("load-unknown-since-age", load_unknown_since);
  visit("proxying-since-age", proxying_since);
  visit("known-back-to-age", known_back_to);
  visit("last-load-age", last_load);
  visit("burst-capacity", burst_capacity);
  visit("service-seconds", service_seconds);
  visit("load-spread", spread);
  visit("initialised", is_initialised);
}

}  // namespace bellows::autoscaler::journal
