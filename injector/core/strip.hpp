// Removes what was injected into one object.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "injector/core/editor.hpp"
#include "injector/core/record.hpp"
#include "injector/core/resource.hpp"

namespace bellows::injector {

/// Returns the record that inject stored in an object; nullopt if it was not injected. It is an
/// error if the annotation is malformed.
Result<std::optional<Record>> record_of(const Resource& resource);

/// Removes what `record` lists. Later changes by others stay; `warnings` gets a line for each.
/// `read` is used for parts that change between block style and brackets.
void strip(const Resource& resource, const Record& record, const ReadDocument& read, Editor& editor,
           std::vector<std::string>& warnings);

}  // namespace bellows::injector
