// Stats that differ in their sequence only.
#pragma once

#include <cstdint>

#include "metrics/stat.hpp"

namespace bellows::test {

inline metrics::Stat stat_number(std::uint64_t sequence) {
  metrics::Stat stat;
  stat.revision = RevisionId("web");
  stat.pod = PodName("web-1");
  stat.sequence = sequence;
  return stat;
}

}  // namespace bellows::test
