// The version of Bellows.
#pragma once

namespace bellows {

/// Equal to project(VERSION) in CMakeLists.txt; tests/architecture checks it.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace bellows
