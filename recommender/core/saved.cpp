#include "recommender/core/saved.hpp"

#include <limits>
#include <string>

#include "base/read_number.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/aggregate.hpp"

namespace bellows::recommender::saved {

namespace {

using Limits = std::numeric_limits<std::int64_t>;

void write_histogram(json::Writer& line, std::string_view key, const Histogram& histogram) {
  const Histogram::State state = histogram.state();
  line.open(key);
  write(line, "reference", state.reference);
  line.number("total-weight", state.total_weight);
  line.integer("first-bucket", static_cast<std::int64_t>(state.min_bucket));
  line.integer("last-bucket", static_cast<std::int64_t>(state.max_bucket));
  line.open("weights");
  for (const auto& [bucket, weight] : state.weights) line.number(std::to_string(bucket), weight);
  line.close().close();
}

Result<std::size_t> read_bucket(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const std::int64_t bucket, object.integer(key, 0, kBuckets - 1));
  return static_cast<std::size_t>(bucket);
}

Result<Histogram::State> read_histogram(const json::Object& object) {
  Histogram::State state;
  BELLOWS_TRY(state.reference, read_time(object, "reference"));
  BELLOWS_TRY(state.total_weight, object.number("total-weight", {.min = 0}));
  BELLOWS_TRY(state.min_bucket, read_bucket(object, "first-bucket"));
  BELLOWS_TRY(state.max_bucket, read_bucket(object, "last-bucket"));
  BELLOWS_TRY(const auto weights, object.object("weights"));
  for (const std::string_view key : weights.keys()) {
    BELLOWS_TRY(const std::size_t bucket, bucket_of(weights, key));
    BELLOWS_TRY(state.weights[bucket], weights.number(key, {.min = 0}));
  }
  return state;
}

}  // namespace

Result<std::size_t> bucket_of(const json::Object& weights, std::string_view key) {
  const auto bucket = read_number<std::size_t>(key);
  if (!bucket || *bucket >= kBuckets) {
    return fail(weights.invalid(key, "a bucket from 0 to 175 as key"));
  }
  return *bucket;
}

void write(json::Writer& line, std::string_view key, WallTime time) {
  line.integer(key, time.time_since_epoch().count());
}

Result<WallTime> read_time(const json::Object& object, std::string_view key) {
  BELLOWS_TRY(const std::int64_t nanoseconds, object.integer(key, Limits::min(), Limits::max()));
  return WallTime(Duration(nanoseconds));
}

void write(json::Writer& line, std::string_view key, const Aggregate& aggregate) {
  line.open(key);
  write_histogram(line, "cpu", aggregate.cpu);
  write_histogram(line, "memory", aggregate.memory);
  write(line, "first-sample", aggregate.first_sample);
  write(line, "last-sample", aggregate.last_sample);
  line.integer("samples", aggregate.samples).close();
}

Result<void> read(const json::Object& object, Aggregate& aggregate) {
  BELLOWS_TRY(const auto cpu_object, object.object("cpu"));
  BELLOWS_TRY(const auto memory_object, object.object("memory"));
  BELLOWS_TRY(const auto cpu, read_histogram(cpu_object));
  BELLOWS_TRY(const auto memory, read_histogram(memory_object));
  BELLOWS_TRY(const WallTime first, read_time(object, "first-sample"));
  BELLOWS_TRY(const WallTime last, read_time(object, "last-sample"));
  BELLOWS_TRY(aggregate.samples, object.integer("samples", 0, Limits::max()));
  aggregate.cpu.set_state(cpu);
  aggregate.memory.set_state(memory);
  aggregate.first_sample = first;
  aggregate.last_sample = last;
  return {};
}

}  // namespace bellows::recommender::saved
