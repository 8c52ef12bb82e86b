#include "recommender/core/describe.hpp"

#include <array>
#include <cstdio>

#include "base/timestamp_text.hpp"

namespace bellows::recommender {

namespace {

std::string end_text(const Histogram& histogram, std::size_t bucket, Resource resource) {
  const double end = histogram.buckets().end(bucket);
  std::array<char, 64> text{};
  if (resource == Resource::kCpu) {
    std::snprintf(text.data(), text.size(), "%.2fm", end * kMillicoresPerCore);
  } else {
    std::snprintf(text.data(), text.size(), "%.0f bytes", end);
  }
  return text.data();
}

}  // namespace

void describe_samples(const Aggregate& aggregate, std::vector<std::string>& lines) {
  if (aggregate.samples == 0) {
    lines.emplace_back("no CPU samples");
    return;
  }
  lines.push_back(std::to_string(aggregate.samples) + " CPU samples from " +
                  timestamp_text(aggregate.first_sample) + " to " +
                  timestamp_text(aggregate.last_sample));
}

void describe_histogram(const Histogram& histogram, Resource resource,
                        std::vector<std::string>& lines) {
  const std::string_view name = resource == Resource::kCpu ? "cpu" : "memory";
  if (histogram.empty()) {
    lines.push_back(std::string(name) + ": no samples");
    return;
  }
  lines.push_back(std::string(name) + ": buckets with 1 % of the weight or more");
  double sum = 0;
  for (std::size_t bucket = histogram.min_bucket(); bucket <= histogram.max_bucket(); ++bucket) {
    const double part = 100 * histogram.weight(bucket) / histogram.total_weight();
    sum += part;
    if (part < 1) continue;
    std::array<char, 64> parts{};
    std::snprintf(parts.data(), parts.size(), "%5.1f %%, up to here %5.1f %%", part, sum);
    lines.push_back("  bucket " + std::to_string(bucket) + " to " +
                    end_text(histogram, bucket, resource) + ": " + parts.data());
  }
}

void describe_history(const Aggregate& known, Resource resource, std::vector<std::string>& lines) {
  const bool is_cpu = resource == Resource::kCpu;
  if (is_cpu) describe_samples(known, lines);
  describe_histogram(is_cpu ? known.cpu : known.memory, resource, lines);
}

Chain chain_of_bound(std::int64_t target, double factor, std::int64_t bound) {
  Chain chain;
  chain.add(Stage::kTarget, 0, static_cast<double>(target));
  chain.add(Stage::kFactor, factor, static_cast<double>(bound));
  return chain;
}

}  // namespace bellows::recommender
