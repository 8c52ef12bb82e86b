#include "config/shared_settings.hpp"

#include <algorithm>
#include <vector>

namespace bellows::config {

SettingsPtr shared_settings(const RevisionSettings& settings) {
  static thread_local std::vector<SettingsPtr> remembered;  // most recently requested first
  const auto place = std::ranges::find_if(
      remembered, [&](const SettingsPtr& known) { return *known == settings; });
  if (place != remembered.end()) {
    std::rotate(remembered.begin(), place, std::next(place));
  } else {
    if (remembered.size() == kRememberedSettings) remembered.pop_back();
    remembered.insert(remembered.begin(), std::make_shared<const RevisionSettings>(settings));
  }
  return remembered.front();
}

}  // namespace bellows::config
