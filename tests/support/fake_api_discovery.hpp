// What a FakeApiServer says about itself: /version, /apis, /apis/GROUP/VERSION.
#pragma once

#include <optional>
#include <string>

#include "tests/support/fake_api_store.hpp"

namespace bellows::test {

/// EndpointSlice and HorizontalPodAutoscaler are served in the versions that a server of 1.MINOR
/// has, other kinds always.
bool is_served(const FakeApiKind& kind, int minor_version);

/// Nothing: `path` is no discovery document.
std::optional<FakeApiAnswer> discover(const FakeApiStore& store, int minor_version,
                                      const std::string& path);

}  // namespace bellows::test
