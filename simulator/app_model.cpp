#include "simulator/app_model.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "config/suggestion.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

struct Preset {
  std::string_view name;
  Duration start;
};
constexpr std::array<Preset, 3> kPresets = {{{"fast", 500ms}, {"medium", 2s}, {"slow", 20s}}};

constexpr std::array<std::string_view, 7> kKeys = {"start", "service", "workers",       "cpu",
                                                   "cores", "crash",   "crash-at-start"};

Error wrong(std::string_view key, std::string_view value, std::string_view want) {
  return {ErrorKind::kInvalidSetting, "app: " + std::string(key),
          "\"" + std::string(value) + "\": want " + std::string(want)};
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
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
  const auto share = number<double>(digits);
  if (!is_percent || !share || !(*share >= 0 && *share <= 90)) {
    return fail(wrong(key, value, "a percentage from 0% to 90%"));
  }
  to = *share / 100;
  return {};
}

Result<void> set(AppModel& app, std::string_view key, std::string_view value) {
  if (key == "start") return set_distribution(app.start, key, value);
  if (key == "service") return set_distribution(app.service, key, value);
  if (key == "cpu") return set_duration(app.cpu, key, value);
  if (key == "crash") return set_duration(app.crash, key, value);
  if (key == "crash-at-start") return set_share(app.crash_at_start, key, value);
  if (key == "workers") {
    const auto workers = number<std::int32_t>(value);
    if (!workers || *workers < 0) return fail(wrong(key, value, "a whole number >= 0"));
    app.workers = *workers;
    return {};
  }
  if (key == "cores") {
    const auto cores = number<double>(value);
    if (!cores || !std::isfinite(*cores) || *cores < 0.01) {
      return fail(wrong(key, value, "a number >= 0.01"));
    }
    app.cores = *cores;
    return {};
  }
  const std::string meant =
      config::suggestion(key, std::vector<std::string>(kKeys.begin(), kKeys.end()));
  std::string want = "one of start, service, workers, cpu, cores, crash, crash-at-start";
  if (!meant.empty()) want = meant + "? (" + want + ")";
  return fail(wrong("key", key, want));
}

Result<void> set_preset(AppModel& app, std::string_view name) {
  for (const Preset& preset : kPresets) {
    if (preset.name != name) continue;
    app.start = Distribution::fixed(preset.start);
    return {};
  }
  return fail(wrong("preset", name, "fast, medium or slow first, then key=value"));
}

}  // namespace

Result<AppModel> parse_app_model(std::string_view text) {
  AppModel app;
  if (text.empty()) return app;
  bool is_first = true;
  for (const std::string_view part : split_outside_parentheses(text)) {
    const auto equals = part.find('=');
    if (equals != std::string_view::npos) {
      BELLOWS_CHECKED(set(app, part.substr(0, equals), part.substr(equals + 1)));
    } else if (is_first) {
      BELLOWS_CHECKED(set_preset(app, part));
    } else {
      return fail(wrong("part", part, "key=value"));
    }
    is_first = false;
  }
  return app;
}

std::string to_string(const AppModel& app) {
  return text_with_service(app, to_string(app.service));
}

std::string text_with_service(const AppModel& app, std::string_view service) {
  const AppModel usual;
  std::string text = "start=" + to_string(app.start) + ",service=" + std::string(service);
  if (app.workers != usual.workers) text += ",workers=" + std::to_string(app.workers);
  if (app.cpu != usual.cpu) text += ",cpu=" + duration_text(app.cpu);
  if (app.cores != usual.cores) text += ",cores=" + shortest_text(app.cores);
  if (app.crash != usual.crash) text += ",crash=" + duration_text(app.crash);
  if (app.crash_at_start != usual.crash_at_start) {
    text += ",crash-at-start=" + shortest_text(app.crash_at_start * 100) + "%";
  }
  return text;
}

}  // namespace bellows::simulator
