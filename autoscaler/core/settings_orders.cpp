#include "autoscaler/core/settings_orders.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "config/queue_proxy_settings.hpp"
#include "config/revision_schema.hpp"

namespace bellows::autoscaler {

namespace {

using config::SettingTexts;
using config::WithoutEffect;

void add_unanswered(const SettingTexts& ordered, std::vector<WithoutEffect>& found) {
  for (const auto& [name, text] : ordered) {
    found.push_back({name,
                     "a queue-proxy does not answer, so its version takes no settings while it "
                     "runs; apply its manifest again from bellows inject"});
  }
}

void add_own(const SettingTexts& own, const config::RevisionSettings& settings,
             std::vector<WithoutEffect>& found) {
  for (const auto& [name, text] : own) {
    const config::ProxySetting* const setting = config::proxy_setting(name);
    if (setting == nullptr) continue;
    const std::string name_here(setting->name);
    if (config::revision_schema().text(settings, name_here) == text) continue;
    found.push_back(
        {name_here, "the manifest of the pods has " + text + ", and the Revision does not set it"});
  }
}

}  // namespace

std::vector<SettingsOrders::Stream> SettingsOrders::want(
    const RevisionId& revision, const std::optional<SettingTexts>& settings) {
  if (!settings) {
    forget(revision);
    return {};
  }
  Wanted& wanted = wanted_[revision];
  if (wanted.generation != 0 && wanted.settings == *settings) return {};
  wanted.generation = ++generations_;
  wanted.settings = *settings;
  return {wanted.streams.begin(), wanted.streams.end()};
}

void SettingsOrders::forget(const RevisionId& revision) {
  const auto found = wanted_.find(revision);
  if (found == wanted_.end()) return;
  for (const Stream stream : found->second.streams) senders_.erase(stream);
  wanted_.erase(found);
}

bool SettingsOrders::is_of(Stream stream, const RevisionId& revision, const PodName& pod) {
  const auto wanted = wanted_.find(revision);
  if (wanted == wanted_.end()) return false;
  Sender& sender = senders_[stream];
  if (sender.revision == revision && sender.pod == pod) return false;
  if (const auto before = wanted_.find(sender.revision); before != wanted_.end()) {
    before->second.streams.erase(stream);
  }
  sender = {.revision = revision, .pod = pod, .sent = 0, .sent_at = {}, .taken = {}};
  wanted->second.streams.insert(stream);
  return true;
}

void SettingsOrders::ended(Stream stream) {
  const auto sender = senders_.find(stream);
  if (sender == senders_.end()) return;
  const auto wanted = wanted_.find(sender->second.revision);
  if (wanted != wanted_.end()) wanted->second.streams.erase(stream);
  senders_.erase(sender);
}

std::optional<metrics::SettingsOrder> SettingsOrders::next(Stream stream, TimePoint now) {
  const auto found = senders_.find(stream);
  if (found == senders_.end()) return std::nullopt;
  Sender& sender = found->second;
  const Wanted& wanted = wanted_.at(sender.revision);
  if (sender.sent == wanted.generation) return std::nullopt;
  sender.sent = wanted.generation;
  sender.sent_at = now;
  sender.taken.reset();
  ++sent_;
  return metrics::SettingsOrder{.revision = sender.revision,
                                .pod = sender.pod,
                                .generation = wanted.generation,
                                .settings = wanted.settings};
}

void SettingsOrders::answered(Stream stream, const metrics::SettingsTaken& taken) {
  const auto found = senders_.find(stream);
  if (found == senders_.end()) return;
  Sender& sender = found->second;
  const bool is_its_own = taken.revision == sender.revision && taken.pod == sender.pod;
  if (!is_its_own || taken.generation != sender.sent || sender.sent == 0) return;
  sender.taken = taken;
  ++answers_;
}

std::vector<WithoutEffect> SettingsOrders::without_effect(const RevisionId& revision,
                                                          const config::RevisionSettings& settings,
                                                          TimePoint now) const {
  std::vector<WithoutEffect> found;
  const auto wanted = wanted_.find(revision);
  if (wanted == wanted_.end()) return found;
  for (const Stream stream : wanted->second.streams) {
    const Sender& sender = senders_.at(stream);
    if (!sender.taken) {
      const bool is_late = sender.sent != 0 && now - sender.sent_at >= kPatience;
      if (is_late) add_unanswered(wanted->second.settings, found);
      continue;
    }
    for (const auto& [name, because] : sender.taken->refused) {
      found.push_back({name, because});
    }
    add_own(sender.taken->own, settings, found);
  }
  const auto by_name = [](const WithoutEffect& a, const WithoutEffect& b) {
    return std::tie(a.setting, a.because) < std::tie(b.setting, b.because);
  };
  std::ranges::sort(found, by_name);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace bellows::autoscaler
