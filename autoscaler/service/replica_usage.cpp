#include "autoscaler/service/replica_usage.hpp"

namespace bellows::autoscaler {
namespace {

class Mean {
 public:
  void add(double used, double asked) {
    if (asked <= 0) return;
    sum_ += used / asked;
    ++count_;
  }
  std::optional<double> value() const {
    if (count_ == 0) return std::nullopt;
    return sum_ / count_;
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

template <class Amount>
double asked_for(const std::optional<Amount>& in_effect, const std::optional<Amount>& first) {
  if (in_effect) return static_cast<double>(in_effect->value);
  return first ? static_cast<double>(first->value) : 0;
}

}  // namespace

UsageShares usage_of(const cluster::Revision& revision) {
  const config::ResourcesSettings& asked = revision.settings.resources;
  Mean cpu;
  Mean memory;
  for (const cluster::ReplicaPtr& replica : revision.replicas) {
    const std::optional<cluster::Usage>& usage = replica->usage;
    if (replica->phase != cluster::ReplicaPhase::kReady || !usage) continue;
    cpu.add(static_cast<double>(usage->cpu.value), asked_for(replica->size.cpu, asked.cpu));
    memory.add(static_cast<double>(usage->memory.value),
               asked_for(replica->size.memory, asked.memory));
  }
  return {.cpu = cpu.value(), .memory = memory.value()};
}

}  // namespace bellows::autoscaler
