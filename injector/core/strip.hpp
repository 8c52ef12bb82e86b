// The changes of one object when what was injected is taken out again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "injector/core/editor.hpp"
#include "injector/core/record.hpp"
#include "injector/core/resource.hpp"

namespace bellows::injector {

/// The record that inject left in an object; nullopt: it was not injected. An error: its annotation
/// cannot be read.
Result<std::optional<Record>> record_of(const Resource& resource);

/// Takes out what `record` says. What was changed by others since stays as it is; `warnings` gets a
/// line for each. `read`: for what has to go from lines into brackets or back.
void strip(const Resource& resource, const Record& record, const ReadDocument& read, Editor& editor,
           std::vector<std::string>& warnings);

}  // namespace bellows::injector
