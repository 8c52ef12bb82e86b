#include "recommender/core/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/timestamp_text.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

constexpr std::string_view kVersion = "v3";
constexpr double kMaxWeight = 10000;

void write_time(json::Writer& line, std::string_view key, WallTime time) {
  if (time == Histogram::kNever) {
    line.null(key);
  } else {
    line.text(key, timestamp_text(time));
  }
}

/// Reads a time. A missing or null key means "never", as in VPA.
Result<WallTime> read_time(const json::Object& object, std::string_view key) {
  if (!object.has(key) || object.is_null(key)) return Histogram::kNever;
  BELLOWS_TRY(const std::string text, object.text(key));
  const auto time = parse_timestamp(text);
  if (!time) return fail(object.invalid(key, "a time such as 2026-01-01T00:00:00Z"));
  return *time;
}

Result<void> read_weights(const json::Object& object, HistogramCheckpoint& checkpoint) {
  if (!object.has("bucketWeights") || object.is_null("bucketWeights")) return {};
  BELLOWS_TRY(const auto weights, object.object("bucketWeights"));
  for (const std::string_view key : weights.keys()) {
    BELLOWS_TRY(const std::size_t bucket, saved::bucket_of(weights, key));
    BELLOWS_TRY(const std::int64_t weight,
                weights.integer(key, 0, std::numeric_limits<std::uint32_t>::max()));
    checkpoint.weights[bucket] = static_cast<std::uint32_t>(weight);
  }
  return {};
}

Result<HistogramCheckpoint> read_histogram(const json::Object& checkpoint, std::string_view key) {
  HistogramCheckpoint histogram;
  BELLOWS_TRY(const auto object, checkpoint.object(key));
  BELLOWS_TRY(histogram.reference, read_time(object, "referenceTimestamp"));
  BELLOWS_CHECKED(read_weights(object, histogram));
  if (object.has("totalWeight")) {
    BELLOWS_TRY(histogram.total_weight, object.number("totalWeight", {.min = 0}));
  }
  return histogram;
}

Result<Checkpoint> read_checkpoint(const json::Object& object) {
  BELLOWS_TRY(const std::string version, object.text("version"));
  if (version != kVersion) return fail(object.invalid("version", "\"v3\""));
  Checkpoint checkpoint;
  BELLOWS_TRY(checkpoint.cpu, read_histogram(object, "cpuHistogram"));
  BELLOWS_TRY(checkpoint.memory, read_histogram(object, "memoryHistogram"));
  BELLOWS_TRY(checkpoint.first_sample, read_time(object, "firstSampleStart"));
  BELLOWS_TRY(checkpoint.last_sample, read_time(object, "lastSampleStart"));
  if (object.has("totalSamplesCount")) {
    BELLOWS_TRY(checkpoint.samples,
                object.integer("totalSamplesCount", 0, std::numeric_limits<std::int64_t>::max()));
  }
  return checkpoint;
}

}  // namespace

HistogramCheckpoint checkpoint_of(const Histogram& histogram) {
  HistogramCheckpoint checkpoint{histogram.reference(), {}, histogram.total_weight()};
  double heaviest = 0;
  const auto each = [&histogram](auto visit) {
    for (std::size_t b = histogram.min_bucket(); b <= histogram.max_bucket(); ++b) {
      visit(b, histogram.weight(b));
    }
  };
  each([&](std::size_t, double weight) { heaviest = std::max(heaviest, weight); });
  const double ratio = kMaxWeight / heaviest;
  each([&](std::size_t bucket, double weight) {
    const auto stored = static_cast<std::uint32_t>(std::floor(weight * ratio + 0.5));
    if (stored > 0) checkpoint.weights[bucket] = stored;
  });
  return checkpoint;
}

void write_checkpoint(json::Writer& line, const HistogramCheckpoint& checkpoint) {
  write_time(line, "referenceTimestamp", checkpoint.reference);
  line.open("bucketWeights");
  for (const auto& [bucket, weight] : checkpoint.weights) {
    line.integer(std::to_string(bucket), weight);
  }
  line.close().number("totalWeight", checkpoint.total_weight);
}

void write_checkpoint(json::Writer& line, const Checkpoint& checkpoint) {
  line.text("version", kVersion).open("cpuHistogram");
  write_checkpoint(line, checkpoint.cpu);
  line.close().open("memoryHistogram");
  write_checkpoint(line, checkpoint.memory);
  line.close();
  write_time(line, "firstSampleStart", checkpoint.first_sample);
  write_time(line, "lastSampleStart", checkpoint.last_sample);
  line.integer("totalSamplesCount", checkpoint.samples);
}

std::string checkpoint_json(const Checkpoint& checkpoint) {
  json::Writer line;
  write_checkpoint(line, checkpoint);
  return line.end_line();
}

Result<Checkpoint> parse_checkpoint(std::string_view name, std::string_view json) {
  auto object = json::parse_line(json, 1);
  auto checkpoint = object ? read_checkpoint(*object) : fail(std::move(object).error());
  if (checkpoint) return checkpoint;
  const Error& error = checkpoint.error();
  return fail(ErrorKind::kMalformed, "checkpoint " + std::string(name),
              error.culprit() + ": " + error.message());
}

}  // namespace bellows::recommender
