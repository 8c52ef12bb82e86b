#include "autoscaler/service/activator_streams.hpp"

#include <utility>

#include "base/sys/log.hpp"

namespace bellows::autoscaler {

ActivatorStreams::Open::Open(ActivatorStreams& streams, PodName name)
    : streams_(streams), name_(std::move(name)) {
  if (name_.empty()) return;
  const auto [known, is_new] = streams_.open_.try_emplace(name_, 0);
  const bool is_back = known->second++ == 0 && !is_new;
  if (!is_back) return;
  sys::log::info("an activator is connected again", {{"activator", name_.text()}});
  streams_.changed_();
}

ActivatorStreams::Open::~Open() {
  const auto known = streams_.open_.find(name_);
  if (known == streams_.open_.end() || --known->second > 0) return;
  sys::log::warning("lost the stats of an activator", {{"activator", name_.text()}});
  streams_.changed_();
}

bool ActivatorStreams::may_ask(const PodName& name) const {
  const auto known = open_.find(name);
  return known == open_.end() || known->second > 0;
}

void ActivatorStreams::keep(const std::function<bool(const PodName&)>& is_listed) {
  std::erase_if(open_,
                [&](const auto& entry) { return entry.second == 0 && !is_listed(entry.first); });
}

}  // namespace bellows::autoscaler
