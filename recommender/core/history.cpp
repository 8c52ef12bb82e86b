#include "recommender/core/history.hpp"

#include <algorithm>
#include <cmath>

#include "base/timestamp_text.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/go_arithmetic.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

namespace {

constexpr double kSampleWeight = 0.1;  // of CPU, as VPA since 1.4.0
/// Weight of a prior: CPU samples, and daily peaks of memory. It is
/// more than one peak, so that the first day does not outweigh it, and less than two, so that two
/// days do.
constexpr double kPriorSamples = 60;
constexpr double kPriorPeaks = 1.5;

}  // namespace

History::History(const config::HistorySettings& settings)
    : settings_(settings),
      cpu_options_{cpu_buckets(), settings.cpu_half_life},
      memory_options_{memory_buckets(), settings.memory_half_life},
      merged_(none()) {}

void History::add_container() {
  aggregates_.push_back(none());
  loaded_.emplace_back();
}

void History::add_instance(InstanceId instance) {
  if (instance.index >= peaks_.size()) peaks_.resize(instance.index + 1);
  peaks_[instance.index] = {};
}

void History::add_cpu(std::uint32_t container, WallTime at, double cores) {
  // VPA rounds samples to whole millicores before they enter the histogram.
  const double whole =
      static_cast<double>(whole_amount(cores * kMillicoresPerCore)) / kMillicoresPerCore;
  aggregates_[container].add_cpu(whole, kSampleWeight, at);
}

void History::add_memory(InstanceId instance, std::uint32_t container, WallTime at,
                         std::int64_t bytes) {
  peaks_[instance.index].add(aggregates_[container].memory, bytes, at,
                             settings_.memory_aggregation_interval);
}

std::optional<std::int64_t> History::add_oom(InstanceId instance, std::uint32_t container,
                                             WallTime at, Bytes requested) {
  return peaks_[instance.index].add_oom(aggregates_[container].memory, requested.value, at,
                                        settings_);
}

const Aggregate& History::known(std::uint32_t container) {
  if (!loaded_[container]) return aggregates_[container];
  merged_ = none();
  merged_.merge(aggregates_[container]);
  merged_.merge(*loaded_[container]);
  return merged_;
}

Checkpoint History::checkpoint(std::uint32_t container, const InstanceRegistry& registry,
                               WallTime now) {
  Aggregate all = known(container);
  for (const InstanceId instance : registry.containers()[container].instances) {
    peaks_[instance.index].subtract_running(all.memory, now);
  }
  return {.cpu = checkpoint_of(all.cpu),
          .memory = checkpoint_of(all.memory),
          .first_sample = all.first_sample,
          .last_sample = all.last_sample,
          .samples = all.samples};
}

void History::load(std::uint32_t container, const Checkpoint& checkpoint) {
  if (!loaded_[container]) loaded_[container] = std::make_unique<Aggregate>(none());
  Aggregate loaded = none();
  loaded.cpu.load(checkpoint.cpu.reference, checkpoint.cpu.total_weight, checkpoint.cpu.weights);
  loaded.memory.load(checkpoint.memory.reference, checkpoint.memory.total_weight,
                     checkpoint.memory.weights);
  loaded.first_sample = checkpoint.first_sample;
  loaded.last_sample = checkpoint.last_sample;
  loaded.samples = checkpoint.samples;
  loaded_[container]->merge(loaded);
}

void History::begin_after(std::uint32_t container, History& earlier, std::uint32_t of,
                          WallTime now) {
  const Aggregate& known = earlier.known(of);
  Aggregate prior = none();
  prior.cpu.set_state(known.cpu.state());
  prior.memory.set_state(known.memory.state());
  prior.first_sample = known.first_sample;
  prior.last_sample = known.last_sample;
  prior.samples = known.samples;
  const double most = kPriorSamples * kSampleWeight;
  const double cpu = prior.cpu.weight_at(now);
  if (cpu > most) prior.cpu.scale(most / cpu);
  // The peak of a day is dated to its end.
  const double peak = std::exp2(static_cast<double>(settings_.memory_aggregation_interval.count()) /
                                static_cast<double>(settings_.memory_half_life.count()));
  const double memory = prior.memory.weight_at(now);
  if (memory > 0) prior.memory.scale(kPriorPeaks * peak / memory);
  if (!loaded_[container]) loaded_[container] = std::make_unique<Aggregate>(none());
  loaded_[container]->merge(prior);
}

void History::save_container(std::uint32_t container, json::Writer& line) const {
  saved::write(line, "history", aggregates_[container]);
  if (loaded_[container]) saved::write(line, "loaded", *loaded_[container]);
}

void History::save_instance(InstanceId instance, json::Writer& line) const {
  const MemoryPeaks::State& state = peaks_[instance.index].state();
  line.open("memory-window");
  saved::write(line, "last-sample", state.last_sample);
  saved::write(line, "end", state.window_end);
  line.integer("peak-bytes", state.peak).integer("oom-peak-bytes", state.oom_peak).close();
}

Result<void> History::restore_container(std::uint32_t container, const json::Object& saved) {
  BELLOWS_TRY(const auto history, saved.object("history"));
  BELLOWS_CHECKED(saved::read(history, aggregates_[container]));
  if (!saved.has("loaded")) return {};
  BELLOWS_TRY(const auto loaded, saved.object("loaded"));
  loaded_[container] = std::make_unique<Aggregate>(none());
  return saved::read(loaded, *loaded_[container]);
}

Result<void> History::restore_instance(InstanceId instance, const json::Object& saved) {
  BELLOWS_TRY(const auto window, saved.object("memory-window"));
  MemoryPeaks::State state;
  BELLOWS_TRY(state.last_sample, saved::read_time(window, "last-sample"));
  BELLOWS_TRY(state.window_end, saved::read_time(window, "end"));
  BELLOWS_TRY(state.peak, window.integer("peak-bytes", 0, kMaxAmount));
  BELLOWS_TRY(state.oom_peak, window.integer("oom-peak-bytes", 0, kMaxAmount));
  peaks_[instance.index].set_state(state);
  return {};
}

Error oom_too_old(const std::string& label, WallTime at) {
  return {ErrorKind::kMalformed, label,
          "oom at " + timestamp_text(at) +
              ": want a time not more than one memory-aggregation-interval before the latest "
              "memory sample"};
}

}  // namespace bellows::recommender
