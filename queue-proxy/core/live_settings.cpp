#include "queue-proxy/core/live_settings.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace bellows::queue_proxy {

namespace {

using config::Layer;
using config::QueueProxySettings;
using config::SettingTexts;

Layer layer_of(const SettingTexts& texts, const std::string& place) {
  Layer layer;
  for (const auto& [name, text] : texts) {
    layer.push_back({.source = config::Source::kJson,
                     .key = name,
                     .value = text,
                     .place = place,
                     .problem = {}});
  }
  return layer;
}

bool has_name(const SettingTexts& texts, std::string_view name) {
  return std::ranges::any_of(texts, [&](const auto& text) { return text.first == name; });
}

/// Moves the entries of the order that the problems name to `refused`; all of them if the problems
/// name only settings of the start.
void refuse(const std::vector<Error>& problems, SettingTexts& taken, SettingTexts& refused) {
  SettingTexts named;
  for (const Error& problem : problems) {
    const auto found =
        std::ranges::find(taken, problem.culprit(), &SettingTexts::value_type::first);
    if (found == taken.end()) continue;
    named.emplace_back(found->first, problem.message());
    taken.erase(found);
  }
  if (named.empty()) {
    for (const auto& [name, text] : std::exchange(taken, {})) {
      named.emplace_back(name, to_string(problems.front()));
    }
  }
  refused.insert(refused.end(), named.begin(), named.end());
}

/// Applies what can be applied: each turn refuses at least one setting.
QueueProxySettings applied(const QueueProxySettings& own, SettingTexts taken,
                           SettingTexts& refused) {
  const auto& schema = config::queue_proxy_schema();
  const Layer below = layer_of(schema.texts(own), "start: ");
  while (!taken.empty()) {
    auto settings = schema.apply({below, layer_of(taken, "")});
    if (settings) return *std::move(settings);
    refuse(settings.error(), taken, refused);
  }
  return own;
}

/// Returns why the value is not taken although it is valid; nullopt: it is.
std::optional<std::string> kept_because(const config::ProxySetting& setting,
                                        const QueueProxySettings& own,
                                        const QueueProxySettings& wanted) {
  const auto value = [&](const QueueProxySettings& settings) {
    return setting.to.type->get(setting.to.member(&settings));
  };
  const config::Value before = value(own);
  const config::Value after = value(wanted);
  const auto* const own_bytes = std::get_if<Bytes>(&before);
  const bool is_higher = own_bytes != nullptr && std::get<Bytes>(after).value > own_bytes->value;
  const std::string_view because = is_higher ? setting.reach.capped : setting.reach.pinned;
  if (before == after || because.empty()) return std::nullopt;
  const std::string text = config::queue_proxy_schema().text(own, setting.name);
  return "it stays " + (text.empty() ? "unset" : text) +
         " until the pods are replaced: " + std::string(because);
}

}  // namespace

LiveSettings live_settings(const QueueProxySettings& own, const SettingTexts& ordered) {
  LiveSettings live;
  SettingTexts known;
  for (const auto& [name, text] : ordered) {
    if (config::proxy_setting(name) != nullptr) {
      known.emplace_back(name, text);
    } else {
      live.refused.emplace_back(name, "this queue-proxy does not have it");
    }
  }
  const QueueProxySettings wanted = applied(own, known, live.refused);
  SettingTexts taken;
  for (const auto& [name, text] : known) {
    if (has_name(live.refused, name)) continue;
    if (auto because = kept_because(*config::proxy_setting(name), own, wanted)) {
      live.refused.emplace_back(name, *std::move(because));
    } else {
      taken.emplace_back(name, text);
    }
  }
  live.settings = applied(own, std::move(taken), live.refused);
  return live;
}

SettingTexts own_settings(const QueueProxySettings& own, const SettingTexts& ordered) {
  SettingTexts texts;
  for (auto& [name, text] : config::queue_proxy_schema().texts(own)) {
    const config::ProxySetting* const setting = config::proxy_setting(name);
    if (setting == nullptr || !setting->reach.pinned.empty() || has_name(ordered, name)) continue;
    texts.emplace_back(name, text);
  }
  return texts;
}

}  // namespace bellows::queue_proxy
