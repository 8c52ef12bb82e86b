// Choices about requests that several programs offer as settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace bellows::config {

/// How the activator chooses among the replicas that can take a request.
enum class LoadBalancing : std::uint8_t {
  kLeastLoaded,     ///< fewest in flight, as the replicas tell it themselves
  kKnative,         ///< by container-concurrency: 0 random-choice-2, 1..3 first-available, else
                    ///< round-robin (knative.md 4.2)
  kRandomChoice2,   ///< the less loaded of two picked by chance
  kFirstAvailable,  ///< the first one, by name, with a free slot
  kRoundRobin,      ///< one after the other
};

/// When an answer tells how long its request waited (X-Bellows-Queue-Ms).
enum class QueueTimeHeader : std::uint8_t {
  kAsked,   ///< to requests that have the header X-Bellows-Queue-Ms
  kWaited,  ///< and to those that had to wait
  kAlways,
};

/// How long a leaving replica lets its requests go on: as long as is said, else as long as one may
/// take (Knative's grace is timeoutSeconds), else, where that is zero and so has no end, 5 minutes.
Duration drain_time(std::optional<Duration> said, Duration request_timeout);

/// Their names in settings.
std::vector<std::pair<std::string, LoadBalancing>> load_balancing_names();
std::vector<std::pair<std::string, QueueTimeHeader>> queue_time_header_names();

}  // namespace bellows::config
