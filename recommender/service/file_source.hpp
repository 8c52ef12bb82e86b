// Reads usage, requests and events from a file in replay format.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// The lines are those of `recommender replay` about containers:
/// {"at":60,"workload":"web","pod":"web-1","container":"app","cpu-cores":0.12} `workload` is "file"
/// and `pod` is the workload with "-1" if they are missing; `at` is in seconds since 2026. The next
/// call reads appended lines. An invalid line is an error that names file, line, key and value;
/// other lines count. A truncated file is an error once and is then read from its start: samples
/// older than known ones are rejected, newer ones count. At most a few MB are read in one call.
/// Owner: the service. Thread: the io thread.
class FileSource final : public UsageSource {
 public:
  explicit FileSource(std::string path);

  std::string name() const override { return "file " + path_; }
  http::Awaitable<Result<std::vector<Observation>>> read(WallTime now) override;

 private:
  Result<void> check_size(std::ifstream& file);
  Result<void> take_lines(std::string_view text);

  const std::string path_;
  std::size_t offset_ = 0;            // after the last complete line that was read
  std::size_t line_ = 0;              // its number
  std::vector<Observation> pending_;  // not returned yet
};

/// Parses one such line; returns no observation for a line that is not about a container
/// ({"recommend":true}).
Result<std::vector<Observation>> parse_usage_line(std::string_view line, std::size_t number);

}  // namespace bellows::recommender
