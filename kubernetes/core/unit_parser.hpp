// Parses the pruned text of one object after the other in the same memory.
#pragma once

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string_view>

#include "base/result.hpp"

namespace bellows::kubernetes {

/// Maximum nesting of a kept part; the API's own kinds have less than 20.
inline constexpr std::size_t kMaxKeptDepth = 100;

/// Owner: a reader of lists or watches.
class UnitParser {
 public:
  /// Calls `use` with the object in `text`, which is valid until it returns. Returns its result, or
  /// kMalformed if the text is no object.
  template <class F>
  Result<void> parse(std::string_view text, F use) {
    boost::json::monotonic_resource memory(buffer_.data(), buffer_.size());
    boost::system::error_code error;
    parser_.reset(&memory);
    parser_.write(text.data(), text.size(), error);
    if (error) return fail(ErrorKind::kMalformed, "JSON", error.message());
    const boost::json::value value = parser_.release();
    const boost::json::object* object = value.if_object();
    if (object == nullptr) return fail(ErrorKind::kMalformed, "JSON", "want an object");
    return use(*object);
  }

 private:
  static boost::json::parse_options options() {
    boost::json::parse_options options;
    options.max_depth = kMaxKeptDepth;
    return options;
  }

  std::array<unsigned char, std::size_t{16} * 1024> buffer_{};
  boost::json::parser parser_{boost::json::storage_ptr(), options()};
};

}  // namespace bellows::kubernetes
