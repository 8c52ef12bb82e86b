#include "autoscaler/service/activator_streams.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/name_list.hpp"
#include "base/sys/log.hpp"

namespace bellows::autoscaler {

ActivatorStreams::Open::Open(ActivatorStreams& streams, PodName name, bool knows_share)
    : streams_(streams), name_(std::move(name)) {
  if (name_.empty()) return;
  const auto [known, is_new] = streams_.open_.try_emplace(name_);
  const bool is_back = known->second.streams++ == 0 && !is_new;
  known->second.knows_share = knows_share;
  streams_.check_shares();
  if (!is_back) return;
  sys::log::info("activator reconnected", {{"activator", name_.text()}});
  streams_.changed_();
}

ActivatorStreams::Open::~Open() {
  const auto known = streams_.open_.find(name_);
  if (known == streams_.open_.end() || --known->second.streams > 0) return;
  sys::log::warning("lost the stats of an activator", {{"activator", name_.text()}});
  streams_.check_shares();
  streams_.changed_();
}

void ActivatorStreams::check_shares() {
  std::vector<std::string> names;
  bool do_all_know = true;
  for (const auto& [name, known] : open_) {
    if (known.streams == 0) continue;
    names.push_back(name.text());
    do_all_know = do_all_know && known.knows_share;
  }
  const bool is_amiss = names.size() > 1 && !do_all_know;
  if (std::exchange(is_warned_, is_amiss) || !is_amiss) return;
  sys::log::warning(
      "several activators use the same replicas without knowing of each other; a short request may "
      "wait behind a long one while another replica is free; set activator-service",
      {{"activators", name_list(names)}});
}

bool ActivatorStreams::may_ask(const PodName& name) const {
  const auto known = open_.find(name);
  return known == open_.end() || known->second.streams > 0;
}

void ActivatorStreams::keep(const std::function<bool(const PodName&)>& is_listed) {
  std::erase_if(open_, [&](const auto& entry) {
    return entry.second.streams == 0 && !is_listed(entry.first);
  });
}

}  // namespace bellows::autoscaler
