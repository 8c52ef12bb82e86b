// Stats as another sender might write them, with a reading that ours never has.
#pragma once

#include <string>

#include "metrics/stat_codec.hpp"

namespace bellows::test {

/// `stat` without its reading, and then `app` and `times` as they stand, both MessagePack.
inline std::string raw_stat(metrics::Stat stat, const std::string& app,
                            const std::string& times = std::string("\xc4\x00", 2)) {
  stat.reading = {};
  std::string bytes = metrics::encode(stat);
  bytes[0] = static_cast<char>(bytes[0] + 2);  // members of its map
  return bytes +
         "\xa3"
         "app" +
         app + "\xa5times" + times;
}

}  // namespace bellows::test
