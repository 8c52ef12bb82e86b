// What a running queue-proxy takes of the settings that the autoscaler sends. Pure.
#pragma once

#include "config/queue_proxy_settings.hpp"
#include "config/reach.hpp"

namespace bellows::queue_proxy {

/// The settings in force after an order.
struct LiveSettings {
  config::QueueProxySettings settings;
  config::SettingTexts refused;  ///< settings of the order that are not in force, with the reason
};

/// Returns the settings of the start, `own`, with those of the order above them. An order replaces
/// the one before, so a setting that it lacks has its own value again. Refused are settings that
/// the table pins, or caps at the own value, unknown ones, invalid values, and values that
/// contradict the others.
LiveSettings live_settings(const config::QueueProxySettings& own,
                           const config::SettingTexts& ordered);

/// Returns the settings of the start that an order can change, where they differ from the defaults
/// and `ordered` lacks them.
config::SettingTexts own_settings(const config::QueueProxySettings& own,
                                  const config::SettingTexts& ordered);

}  // namespace bellows::queue_proxy
