// What a FakeApiServer says about itself: /version, /apis, /apis/GROUP/VERSION.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tests/support/fake_api_store.hpp"

namespace bellows::test {

/// EndpointSlice and HorizontalPodAutoscaler are served in the versions that a server of 1.MINOR
/// has, other kinds always.
bool is_served(const FakeApiKind& kind, int minor_version);

/// A document of one type.
struct FakeApiPage {
  std::string type;
  std::string body;
};
using FakeApiPages = std::map<std::string, FakeApiPage>;  // by path

/// 406 if the client does not accept the type. Nothing: there is no page at the path.
std::optional<FakeApiAnswer> page_of(const FakeApiPages& pages, const std::string& path,
                                     const std::string& accept);

/// Nothing: `path` is no discovery document.
std::optional<FakeApiAnswer> discover(const FakeApiStore& store, int minor_version,
                                      const std::string& path);

}  // namespace bellows::test
