#include "recommender/core/describe.hpp"

#include <array>
#include <cstdio>

#include "recommender/core/timestamp.hpp"
#include "replay/json_line.hpp"

namespace bellows::recommender {

namespace {

constexpr double kPercent = 100;
constexpr double kMillicores = 1000;

std::string end_text(const Histogram& histogram, std::size_t bucket, Resource resource) {
  const double end = histogram.buckets().end(bucket);
  std::array<char, 64> text{};
  if (resource == Resource::kCpu) {
    std::snprintf(text.data(), text.size(), "%.2fm", end * kMillicores);
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
    const double part = kPercent * histogram.weight(bucket) / histogram.total_weight();
    sum += part;
    if (part < 1) continue;
    std::array<char, 64> parts{};
    std::snprintf(parts.data(), parts.size(), "%5.1f %%, up to here %5.1f %%", part, sum);
    lines.push_back("  bucket " + std::to_string(bucket) + " to " +
                    end_text(histogram, bucket, resource) + ": " + parts.data());
  }
}

void describe_estimator(std::string_view what, const Estimator& estimator,
                        const Histogram& histogram, Resource resource,
                        std::vector<std::string>& lines) {
  Reason reason{Rule::kPercentile, {}};
  estimator.estimate(histogram, resource, reason.chain);
  std::string line = "  " + std::string(what) + ": " + to_string(reason, resource);
  if (estimator.confidence.exponent != 0) {
    line += " (confidence " + replay::number_text(estimator.confidence.value) + ")";
  }
  lines.push_back(line);
}

}  // namespace bellows::recommender
