#include "kubernetes/core/pod_metrics.hpp"

#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/quantity.hpp"

namespace bellows::kubernetes {

namespace {

/// More than any machine has.
constexpr std::int64_t kMostCores = 100'000;
constexpr std::int64_t kMostBytes = 100'000'000'000'000;

Quantity amount_of(const Fields& usage, std::string_view key, std::int64_t most) {
  const Result<Quantity> amount = Quantity::parse(usage.view(key));
  if (amount && *amount >= Quantity() && *amount <= Quantity::from_units(most)) return *amount;
  usage.invalid(key, "a quantity from 0 to " + std::to_string(most));
  return {};
}

ContainerMetrics read_container(const Fields& container) {
  const Fields usage = container.object("usage");
  return {.name = container.text("name"),
          .cpu = {amount_of(usage, "cpu", kMostCores).milli()},
          .memory = {amount_of(usage, "memory", kMostBytes).units()}};
}

PodMetrics read_metrics(const Fields& object) {
  PodMetrics metrics;
  metrics.meta = read_meta(object);
  const auto measured = object.time("timestamp");
  if (!measured) object.invalid("timestamp", "a time");
  metrics.measured = measured.value_or(WallTime());
  object.each("containers", [&](const Fields& container) {
    metrics.containers.push_back(read_container(container));
  });
  return metrics;
}

}  // namespace

const FieldSet& PodMetrics::fields() {
  static const FieldSet kFields = [] {
    FieldSet fields{"/timestamp", "/containers/name", "/containers/usage/cpu",
                    "/containers/usage/memory"};
    keep_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<PodMetrics> PodMetrics::from(const boost::json::object& pruned) {
  return read_document(pruned, "PodMetrics", read_metrics);
}

}  // namespace bellows::kubernetes
