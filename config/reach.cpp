#include "config/reach.hpp"

#include <algorithm>
#include <typeinfo>

#include "config/revision_schema.hpp"
#include "config/table.hpp"

namespace bellows::config {

namespace {

template <class T>
const Place* place_in(const Setting& row) {
  for (const Place& place : row.at) {
    if (place.owner != nullptr && *place.owner == typeid(T)) return &place;
  }
  return nullptr;
}

/// Returns the row of services with that name; nullptr if there is none.
const Setting* service_row(std::string_view name) {
  const Setting* found = nullptr;
  each_row([&](const Group& group, const Setting& row) {
    const bool is_of_services = programs_of(group, row).contain(Program::kService);
    if (row.name == name && is_of_services) found = &row;
  });
  return found;
}

std::vector<ProxySetting> made_from_the_table() {
  std::vector<ProxySetting> all;
  each_row([&](const Group&, const Setting& row) {
    const Place* const from = place_in<RevisionSettings>(row);
    const Place* const to = place_in<QueueProxySettings>(row);
    if (from == nullptr || to == nullptr) return;
    all.push_back({.name = row.name, .from = *from, .to = *to, .reach = row.reach});
  });
  return all;
}

constexpr std::string_view kOfHpa =
    "the HorizontalPodAutoscaler decides the numbers above zero (spec.with: hpa)";

/// Calls visit(group, row, text) for each setting of services that differs from its default.
template <class Visit>
void each_set(const RevisionSettings& settings, const Visit& visit) {
  const SettingTexts texts = revision_schema().texts(settings);
  each_row([&](const Group& group, const Setting& row) {
    if (!programs_of(group, row).contain(Program::kService)) return;
    const auto set = std::ranges::find(texts, row.name, &SettingTexts::value_type::first);
    if (set != texts.end()) visit(group, row, set->second);
  });
}

}  // namespace

std::span<const ProxySetting> proxy_settings() {
  static const std::vector<ProxySetting> all = made_from_the_table();
  return all;
}

const ProxySetting* proxy_setting(std::string_view name) {
  const auto all = proxy_settings();
  const auto found = std::ranges::find(all, name, &ProxySetting::name);
  return found == all.end() ? nullptr : &*found;
}

void copy(const ProxySetting& setting, const RevisionSettings& from, QueueProxySettings& to) {
  const Value value = setting.from.type->get(setting.from.member(&from));
  if (std::holds_alternative<std::monostate>(value)) return;
  setting.to.type->set(setting.to.member(&to), value);
}

std::vector<WithoutEffect> without_effect_on_kubernetes(const RevisionSettings& settings,
                                                        const OnKubernetes& cluster) {
  std::vector<WithoutEffect> found;
  each_set(settings, [&](const Group& group, const Setting& row, std::string_view text) {
    const Reach& reach = row.reach;
    const bool is_of_hpa =
        cluster.is_beside_hpa && reach.is_of_hpa != nullptr && reach.is_of_hpa(text);
    std::string_view because = is_of_hpa ? kOfHpa : reach.off_kubernetes;
    if (because.empty()) because = group.off_kubernetes;
    if (because.empty() && reach.needs_usage) because = cluster.without_usage;
    if (reach.is_off != nullptr && !is_of_hpa && !reach.is_off(text)) because = {};
    if (because.empty()) return;
    found.push_back({.setting = std::string(row.name), .because = std::string(because)});
  });
  return found;
}

std::optional<WithoutEffect> refused_on_kubernetes(const RevisionSettings& settings) {
  std::optional<WithoutEffect> found;
  each_set(settings, [&](const Group&, const Setting& row, std::string_view) {
    const std::string_view because = row.reach.refused_on_kubernetes;
    if (because.empty() || found) return;
    found = {.setting = std::string(row.name), .because = std::string(because)};
  });
  return found;
}

bool is_refused_on_kubernetes(std::string_view setting) {
  const Setting* const row = service_row(setting);
  return row != nullptr && !row->reach.refused_on_kubernetes.empty();
}

ActivatorsAlone of_activators_alone(const RevisionSettings& settings) {
  ActivatorsAlone alone;
  each_set(settings, [&](const Group&, const Setting& row, std::string_view) {
    switch (row.reach.of_activators) {
      case OfActivators::kNo:
        break;
      case OfActivators::kWithoutReplica:
        alone.without_replica.emplace_back(row.name);
        break;
      case OfActivators::kAlways:
        alone.always.emplace_back(row.name);
        break;
    }
  });
  return alone;
}

}  // namespace bellows::config
