// Parts of a policy's saved state: numbers read back exactly, times to the nanosecond.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::json {
class Writer;
class Object;
}  // namespace bellows::json

namespace bellows::recommender {
struct Aggregate;
}  // namespace bellows::recommender

namespace bellows::recommender::saved {

/// Writes nanoseconds since 1970; WallTime::min() means "never".
void write(json::Writer& line, std::string_view key, WallTime time);
Result<WallTime> read_time(const json::Object& object, std::string_view key);

/// Returns the bucket of a histogram that is a key of `weights`.
Result<std::size_t> bucket_of(const json::Object& weights, std::string_view key);

void write(json::Writer& line, std::string_view key, const Aggregate& aggregate);
/// Reads an aggregate, which is unchanged after an error.
Result<void> read(const json::Object& object, Aggregate& aggregate);

}  // namespace bellows::recommender::saved
