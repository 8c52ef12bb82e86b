// The version of Bellows, and the names of its images.
#pragma once

#include <string>
#include <string_view>

namespace bellows {

/// Equal to project(VERSION) in CMakeLists.txt; tests/architecture checks it.
inline constexpr const char* kVersion = "0.1.0";

/// Before the name of each image, in manifests too: tools/manifest writes it into deploy/, and
/// tools/image names images so. It is no registry that exists, so an image that is not on the node
/// is not pulled from a stranger.
inline constexpr const char* kImageRegistry = "localhost/bellows";

/// "localhost/bellows/queue-proxy:0.1.0".
inline std::string image_name(std::string_view program) {
  return std::string(kImageRegistry) + "/" + std::string(program) + ":" + kVersion;
}

}  // namespace bellows
