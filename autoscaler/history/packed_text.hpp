// Texts made small by zlib.
#pragma once

#include <string>
#include <string_view>

namespace bellows::autoscaler::history {

/// Fast rather than small: of rows whose values all move, more effort would save three percent.
/// Costs about 20 us for each 1,000 bytes.
std::string packed(std::string_view text);

/// What packed() was given. `packed_text` comes from packed().
std::string unpacked(std::string_view packed_text, std::size_t size);

}  // namespace bellows::autoscaler::history
