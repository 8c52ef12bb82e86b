// Which Bellows this is.
#pragma once

namespace bellows {

/// Kept equal to project(VERSION) in CMakeLists.txt by tests/architecture.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace bellows
