// Local replies for single paths of a service, with or without replicas. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bellows::config {

struct StaticAnswer {
  std::string path;  ///< the whole path of a request, without its query
  int status = 200;
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
  std::string header_lines;  ///< the other header fields, each with its CRLF

  bool operator==(const StaticAnswer&) const = default;
};

/// Reads a JSON list: [{"path":"/healthz","status":200,"body":"ok","headers":{"X-A":"b"}}]. Only
/// the path is required. kInvalidSetting names the key in the list, its value and what is valid.
Result<std::vector<StaticAnswer>> read_static_answers(std::string_view json);

}  // namespace bellows::config
