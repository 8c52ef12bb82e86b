// Usage, requests and events from a file in replay format.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// The lines of `recommender replay` that tell something of a container:
///   {"at":60,"workload":"web","pod":"web-1","container":"app","cpu-cores":0.12}
/// `workload` is "file" and `pod` is the workload with "-1" if they are left out; `at` is in
/// seconds since 2026. What is appended is read by the next call. A line that cannot be understood
/// is an error that names file, line, key and value; the lines around it count. A file that became
/// shorter is an error once and is read from its start then: what it tells again is older than what
/// is known and refused, what is newer counts. Owner: the service.
/// Thread: the io thread; at most a few MB are read in one call.
class FileSource final : public UsageSource {
 public:
  explicit FileSource(std::string path);

  std::string name() const override { return "file " + path_; }
  http::Awaitable<Result<std::vector<Observation>>> read(WallTime now) override;

 private:
  Result<void> check_size(std::ifstream& file);
  Result<void> take_lines(std::string_view text);

  const std::string path_;
  std::size_t offset_ = 0;         // behind the last whole line that was taken
  std::size_t line_ = 0;           // its number
  std::vector<Observation> seen_;  // not handed on yet
};

/// One such line; nothing for one that tells nothing of a container ({"recommend":true}).
Result<std::vector<Observation>> parse_usage_line(std::string_view line, std::size_t number);

}  // namespace bellows::recommender
