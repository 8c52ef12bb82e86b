// Writes out values that YAML anchors, aliases and merge keys share, where a change needs that, and
// puts them back after the change is removed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "injector/core/manifest.hpp"
#include "injector/core/record.hpp"

namespace bellows::injector {

/// Writes out what makes `value`, a value of `document`, shared: the alias that it is below, every
/// alias of the anchor that it is below, or the merge key that adds it. One step; `value` may still
/// be shared then. Returns what was done, in this order, and changes `document`; nothing if the
/// text does not allow it, or if it would mean anything else. `value` is not valid afterwards.
std::vector<SharedValue> write_out(Document& document, const Node& value, const ReadDocument& read);

/// Puts one of them back. False: it was changed since, and stays written out.
bool put_back(Document& document, const SharedValue& shared, const ReadDocument& read);

}  // namespace bellows::injector
