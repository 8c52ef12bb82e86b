#include "simulator/app_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "base/read_number.hpp"
#include "config/suggestion.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

struct Preset {
  std::string_view name;
  Duration start;
};
constexpr std::array<Preset, 3> kPresets = {{{"fast", 500ms}, {"medium", 2s}, {"slow", 20s}}};

/// Presets of sharing, with values that show its effect.
struct SharingPreset {
  std::string_view name;
  Sharing sharing;
  double cores = 1;
};
const std::array<SharingPreset, 8>& sharing_presets() {
  static const std::array<SharingPreset, 8> presets = {{
      {"ps", {.cores_are_shared = true}, 4},
      {"usl", {.contention = 0.02, .crosstalk = 0.0005}},
      {"memory",
       {.cores_are_shared = true,
        .memory = mebibytes(200),
        .memory_per_request = mebibytes(20),
        .memory_limit = mebibytes(1000)},
       64},
      {"gc", {.gc_every = 200, .gc_pause = 5ms}},
      {"downstream", {.downstream = 60}},
      {"bimodal", {.cores_are_shared = true, .slow_share = 0.05, .slow_factor = 10}, 8},
      {"warm-up", {.cores_are_shared = true, .warm_up = 45s, .cold_factor = 4}, 8},
      {"change", {.cores_are_shared = true, .change_at = 1h, .change_factor = 2}, 8},
  }};
  return presets;
}

constexpr std::string_view kWantKey =
    "one of start, service, workers, cpu, cores, crash, crash-at-start, s, k, downstream, warm-up, "
    "cold-factor, change-at, change-factor, gc-every, gc-pause, slow-share, slow-factor, memory, "
    "memory-per-request, memory-limit, noise-every, noise-for, noise-factor";
constexpr std::array<std::string_view, 24> kKeys = {"start",
                                                    "service",
                                                    "workers",
                                                    "cpu",
                                                    "cores",
                                                    "crash",
                                                    "crash-at-start",
                                                    "s",
                                                    "k",
                                                    "downstream",
                                                    "warm-up",
                                                    "cold-factor",
                                                    "change-at",
                                                    "change-factor",
                                                    "gc-every",
                                                    "gc-pause",
                                                    "slow-share",
                                                    "slow-factor",
                                                    "memory",
                                                    "memory-per-request",
                                                    "memory-limit",
                                                    "noise-every",
                                                    "noise-for",
                                                    "noise-factor"};

Error wrong(std::string_view key, std::string_view value, std::string_view want) {
  return {ErrorKind::kInvalidSetting, "app: " + std::string(key),
          "\"" + std::string(value) + "\": want " + std::string(want)};
}

Result<void> set_distribution(Distribution& to, std::string_view key, std::string_view value) {
  BELLOWS_TRY(to, parse_distribution("app: " + std::string(key), value));
  return {};
}

Result<void> set_duration(Duration& to, std::string_view key, std::string_view value) {
  const auto duration = parse_duration(value);
  if (!duration) return fail(wrong(key, value, "a duration such as 20ms; 0 for none"));
  to = *duration;
  return {};
}

Result<void> set_share(double& to, std::string_view key, std::string_view value) {
  std::string_view digits = value;
  const bool is_percent = digits.ends_with('%');
  if (is_percent) digits.remove_suffix(1);
  const auto share = read_number<double>(digits);
  if (!is_percent || !share || !(*share >= 0 && *share <= 90)) {
    return fail(wrong(key, value, "a percentage from 0% to 90%"));
  }
  to = *share / 100;
  return {};
}

Result<void> set_number(double& to, std::string_view key, std::string_view value, double min,
                        double max) {
  const auto parsed = read_number<double>(value);
  if (!parsed || !(*parsed >= min && *parsed <= max)) {
    return fail(
        wrong(key, value, "a number from " + shortest_text(min) + " to " + shortest_text(max)));
  }
  to = *parsed;
  return {};
}

Result<void> set_memory(Bytes& to, std::string_view key, std::string_view value) {
  std::string_view digits = value;
  const bool has_unit = digits.ends_with("Mi");
  if (has_unit) digits.remove_suffix(2);
  const auto parsed = read_number<std::int64_t>(digits);
  if (!has_unit || !parsed || *parsed < 0 || *parsed > 1'000'000) {
    return fail(wrong(key, value, "an amount from 0Mi to 1000000Mi"));
  }
  to = mebibytes(*parsed);
  return {};
}

/// False if Sharing has no such key.
Result<bool> set_sharing(Sharing& sharing, std::string_view key, std::string_view value) {
  struct Number {
    std::string_view key;
    double Sharing::*member;
    double min;
    double max;
  };
  static constexpr std::array<Number, 7> kNumbers = {
      {{"s", &Sharing::contention, 0, 1},
       {"k", &Sharing::crosstalk, 0, 1},
       {"downstream", &Sharing::downstream, 0, 1e6},
       {"cold-factor", &Sharing::cold_factor, 1, 1000},
       {"change-factor", &Sharing::change_factor, 0.01, 100},
       {"slow-factor", &Sharing::slow_factor, 1, 1000},
       {"noise-factor", &Sharing::noise_factor, 1, 1000}}};
  for (const Number& each : kNumbers) {
    if (each.key != key) continue;
    BELLOWS_CHECKED(set_number(sharing.*each.member, key, value, each.min, each.max));
    return true;
  }
  if (key == "warm-up") BELLOWS_CHECKED(set_duration(sharing.warm_up, key, value));
  if (key == "change-at") BELLOWS_CHECKED(set_duration(sharing.change_at, key, value));
  if (key == "noise-every") BELLOWS_CHECKED(set_duration(sharing.noise_every, key, value));
  if (key == "noise-for") BELLOWS_CHECKED(set_duration(sharing.noise_for, key, value));
  if (key == "gc-pause") BELLOWS_CHECKED(set_duration(sharing.gc_pause, key, value));
  if (key == "slow-share") BELLOWS_CHECKED(set_share(sharing.slow_share, key, value));
  if (key == "memory") BELLOWS_CHECKED(set_memory(sharing.memory, key, value));
  if (key == "memory-limit") BELLOWS_CHECKED(set_memory(sharing.memory_limit, key, value));
  if (key == "memory-per-request") {
    BELLOWS_CHECKED(set_memory(sharing.memory_per_request, key, value));
  }
  if (key == "gc-every") {
    double requests = 0;
    BELLOWS_CHECKED(set_number(requests, key, value, 0, 1e9));
    sharing.gc_every = static_cast<std::int32_t>(requests);
  }
  constexpr std::array<std::string_view, 10> kOthers = {
      "warm-up",      "change-at",          "gc-pause", "slow-share",  "memory",
      "memory-limit", "memory-per-request", "gc-every", "noise-every", "noise-for"};
  return std::find(kOthers.begin(), kOthers.end(), key) != kOthers.end();
}

Result<void> set(AppModel& app, std::string_view key, std::string_view value) {
  if (key == "start") return set_distribution(app.start, key, value);
  if (key == "service") return set_distribution(app.service, key, value);
  if (key == "cpu") return set_duration(app.cpu, key, value);
  if (key == "crash") return set_duration(app.crash, key, value);
  if (key == "crash-at-start") return set_share(app.crash_at_start, key, value);
  if (key == "workers") {
    const auto workers = read_number<std::int32_t>(value);
    if (!workers || *workers < 0) return fail(wrong(key, value, "a whole number >= 0"));
    app.workers = *workers;
    return {};
  }
  if (key == "cores") {
    const auto cores = read_number<double>(value);
    if (!cores || !std::isfinite(*cores) || *cores < 0.01) {
      return fail(wrong(key, value, "a number >= 0.01"));
    }
    app.cores = *cores;
    return {};
  }
  BELLOWS_TRY(const bool is_sharing, set_sharing(app.sharing, key, value));
  if (is_sharing) return {};
  const std::string meant =
      config::suggestion(key, std::vector<std::string>(kKeys.begin(), kKeys.end()));
  std::string want(kWantKey);
  if (!meant.empty()) want = meant + "? (" + want + ")";
  return fail(wrong("key", key, want));
}

Result<void> set_preset(AppModel& app, std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name != name) continue;
    app.start = Distribution::fixed(preset.start);
    return {};
  }
  for (const SharingPreset& preset : sharing_presets()) {
    if (preset.name != name) continue;
    app.sharing = preset.sharing;
    app.cores = preset.cores;
    return {};
  }
  return fail(wrong(
      "preset", name,
      "fast, medium, slow, ps, usl, memory, gc, downstream, bimodal, warm-up or change first, "
      "then key=value"));
}

}  // namespace

Result<AppModel> parse_app_model(std::string_view text) {
  AppModel app;
  if (text.empty()) return app;
  bool is_before_keys = true;
  for (const std::string_view part : split_outside_parentheses(text)) {
    const auto equals = part.find('=');
    if (equals != std::string_view::npos) {
      BELLOWS_CHECKED(set(app, part.substr(0, equals), part.substr(equals + 1)));
      is_before_keys = false;
    } else if (is_before_keys) {
      BELLOWS_CHECKED(set_preset(app, part));
    } else {
      return fail(wrong("part", part, "key=value"));
    }
  }
  if (app.sharing.downstream > 0 && (app.sharing.cores_are_shared || app.sharing.gc_every > 0)) {
    return fail(wrong("downstream", shortest_text(app.sharing.downstream),
                      "it without ps, gc and warm-up: it is what all replicas share"));
  }
  return app;
}

namespace {

std::string sharing_text(const Sharing& sharing) {
  const Sharing usual;
  std::string text;
  const auto add = [&](std::string_view key, const std::string& value) {
    text += "," + std::string(key) + "=" + value;
  };
  const auto add_number = [&](std::string_view key, double value, double unset) {
    if (value != unset) add(key, shortest_text(value));
  };
  const auto add_memory = [&](std::string_view key, Bytes value) {
    if (value.value != 0) add(key, std::to_string(value.value / mebibytes(1).value) + "Mi");
  };
  add_number("s", sharing.contention, usual.contention);
  add_number("k", sharing.crosstalk, usual.crosstalk);
  add_number("downstream", sharing.downstream, usual.downstream);
  if (sharing.warm_up > Duration::zero()) add("warm-up", duration_text(sharing.warm_up));
  add_number("cold-factor", sharing.cold_factor, usual.cold_factor);
  if (sharing.change_at > Duration::zero()) add("change-at", duration_text(sharing.change_at));
  add_number("change-factor", sharing.change_factor, usual.change_factor);
  if (sharing.noise_every > Duration::zero()) {
    add("noise-every", duration_text(sharing.noise_every));
  }
  if (sharing.noise_for > Duration::zero()) add("noise-for", duration_text(sharing.noise_for));
  add_number("noise-factor", sharing.noise_factor, usual.noise_factor);
  add_number("gc-every", sharing.gc_every, usual.gc_every);
  if (sharing.gc_pause > Duration::zero()) add("gc-pause", duration_text(sharing.gc_pause));
  if (sharing.slow_share > 0) add("slow-share", shortest_text(100 * sharing.slow_share) + "%");
  add_number("slow-factor", sharing.slow_factor, usual.slow_factor);
  add_memory("memory", sharing.memory);
  add_memory("memory-per-request", sharing.memory_per_request);
  add_memory("memory-limit", sharing.memory_limit);
  return text;
}

}  // namespace

std::string to_string(const AppModel& app) {
  return text_with_service(app, to_string(app.service));
}

std::string text_with_service(const AppModel& app, std::string_view service) {
  const AppModel usual;
  std::string text = app.sharing.cores_are_shared ? "ps," : "";
  text += "start=" + to_string(app.start) + ",service=" + std::string(service);
  if (app.workers != usual.workers) text += ",workers=" + std::to_string(app.workers);
  if (app.cpu != usual.cpu) text += ",cpu=" + duration_text(app.cpu);
  if (app.cores != usual.cores || app.sharing.cores_are_shared)
    text += ",cores=" + shortest_text(app.cores);
  if (app.crash != usual.crash) text += ",crash=" + duration_text(app.crash);
  if (app.crash_at_start != usual.crash_at_start) {
    text += ",crash-at-start=" + shortest_text(app.crash_at_start * 100) + "%";
  }
  return text + sharing_text(app.sharing);
}

}  // namespace bellows::simulator
