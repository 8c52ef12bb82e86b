#include "slack/core/sizing.hpp"

#include <algorithm>
#include <array>

namespace bellows::slack {

namespace {

using Wide = __int128;

std::int64_t divided_up(Wide value, Wide by) {
  return static_cast<std::int64_t>((value + by - 1) / by);
}

/// Selects one dimension; pod slots are one for each placeholder.
using Dimension = std::int64_t Resources::*;
constexpr std::array<Dimension, 2> kDimensions = {&Resources::cpu_millicores,
                                                  &Resources::memory_bytes};

/// The part of `request` that fits into `room`, at most 1, as a fraction.
struct Part {
  Wide have = 1;
  Wide want = 1;
};

bool is_less(const Part& a, const Part& b) {
  return a.have * b.want < b.have * a.want;
}

Part fitting_part(const Resources& request, const Resources& room) {
  Part least;
  for (const Dimension one : kDimensions) {
    if (request.*one <= room.*one) continue;
    const Part part{std::max<std::int64_t>(room.*one, 0), request.*one};
    if (is_less(part, least)) least = part;
  }
  return least;
}

/// Limits the size to the type that takes the largest part of it (S3): on a cluster with one type
/// rich in CPU and one rich in memory the average fits neither.
Resources cut_to_types(const Resources& size, std::span<const NodeType> types) {
  const NodeType* best = nullptr;
  Part best_part;
  for (const NodeType& type : types) {
    const Part part = fitting_part(size, type.room());
    if (best == nullptr || is_less(best_part, part)) {
      best = &type;
      best_part = part;
    }
  }
  return best == nullptr ? size : min_of(size, best->room());
}

}  // namespace

Resources extra_capacity(Rate rate, const Resources& base) {
  Resources extra;
  for (const Dimension one : kDimensions)
    extra.*one = divided_up(static_cast<Wide>(base.*one) * rate.millionths, kMillion);
  return extra;
}

bool is_outgrown(const Average& kept, const Average& now) {
  if (kept.nodes == 0 || now.nodes == 0) return kept.nodes != now.nodes;
  const auto differs = [&](Dimension one) {
    const Wide before = static_cast<Wide>(kept.total.*one) * now.nodes;
    const Wide after = static_cast<Wide>(now.total.*one) * kept.nodes;
    const Wide difference = after > before ? after - before : before - after;
    return difference * 10 > before;
  };
  return std::any_of(kDimensions.begin(), kDimensions.end(), differs);
}

Standard standard_placeholder(const StandardInput& input) {
  Standard standard;
  const Wide parts = static_cast<Wide>(input.average.nodes) * input.granularity;
  if (parts == 0) return standard;
  Resources part{.pods = 1};
  for (const Dimension one : kDimensions)
    part.*one = static_cast<std::int64_t>(input.average.total.*one / parts);
  Resources size = cut_to_types(part, input.types);
  for (const Dimension one : kDimensions) {
    if (input.biggest.*one > 0) size.*one = std::min(size.*one, input.biggest.*one);
  }
  size.pods = 1;
  for (const Dimension one : kDimensions) {
    // The calculation is in millionths, so that nothing is rounded before the end. Big pods may
    // take all of it (E7).
    const Wide extra = static_cast<Wide>(input.base.*one) * input.rate.millionths -
                       static_cast<Wide>(input.taken.*one) * kMillion;
    if (extra <= 0 || size.*one <= 0) continue;
    // A part is a fraction of an average. The exact fraction is counted, because the one rounded
    // down would need one placeholder more for a missing byte.
    const std::int64_t count =
        size.*one == part.*one
            ? divided_up(extra * parts, static_cast<Wide>(input.average.total.*one) * kMillion)
            : divided_up(extra, static_cast<Wide>(size.*one) * kMillion);
    standard.count = std::max(standard.count, count);
  }
  standard.size = size;
  return standard;
}

const NodeType* cheapest_for_all(std::span<const NodeType> types, std::span<const Resources> pods) {
  const NodeType* best = nullptr;
  for (const NodeType& type : types) {
    const Resources room = type.room();
    const bool takes_all = std::all_of(pods.begin(), pods.end(),
                                       [&room](const Resources& pod) { return fits(pod, room); });
    if (!takes_all) continue;
    const bool is_better = best == nullptr || type.price < best->price ||
                           (type.price == best->price && type.name < best->name);
    if (is_better) best = &type;
  }
  return best;
}

}  // namespace bellows::slack
