// The difference of two JSON documents as a JSON patch (RFC 6902).
#pragma once

#include <string_view>

#include "injector/core/node.hpp"
#include "kubernetes/core/patch.hpp"

namespace bellows::injector {

/// Returns the operations that make `before` mean what `after` means; none if they are equal.
/// `text` is the text of `after`, whose values are copied byte by byte.
kubernetes::JsonPatch json_changes(const Node& before, const Node& after, std::string_view text);

}  // namespace bellows::injector
