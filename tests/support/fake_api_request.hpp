// A request to a FakeApiServer, read; and what its path says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kubernetes/core/resource.hpp"

namespace bellows::test {

struct FakeApiRequest {
  std::string method;
  std::string path;                            ///< decoded
  std::map<std::string, std::string> query;    ///< decoded
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  std::string parameter(const std::string& name) const;
  std::string header(const std::string& name) const;
};

/// Reads the head ("GET /x HTTP/1.1\r\n...\r\n\r\n").
FakeApiRequest parse_request_head(std::string_view head);

struct FakeApiPath {
  kubernetes::Resource resource;
  std::string ns;
  std::string name;  ///< empty: the collection
  std::string subresource;
};
/// Nothing: it is no path of a resource.
std::optional<FakeApiPath> parse_api_path(std::string_view path);

}  // namespace bellows::test
