#include "recommender/replay/recommender_filter.hpp"

#include <cmath>
#include <limits>

#include "json/writer.hpp"

namespace bellows::recommender {

namespace {

constexpr json::Range kCores{.min = 0, .max = 1e5};
constexpr json::Range kBytes{.min = 0, .max = 1e14};

void write(json::Writer& line, std::string_view key, const Amounts& amounts) {
  line.open(key);
  if (amounts.cpu) line.integer("cpu-millicores", amounts.cpu->value);
  if (amounts.memory) line.integer("memory-bytes", amounts.memory->value);
  line.close();
}

void write(json::Writer& line, const Sizes& sizes) {
  write(line, "target", sizes.target);
  write(line, "lower-bound", sizes.lower_bound);
  write(line, "upper-bound", sizes.upper_bound);
  write(line, "uncapped-target", sizes.uncapped_target);
}

Result<Event> read_event(const json::Object& line, WallTime at) {
  BELLOWS_TRY(const std::string name, line.text("event"));
  if (name == "oom") {
    BELLOWS_TRY(const double memory, line.number("memory-bytes", kBytes));
    return Event{at, OomKilled{Bytes{static_cast<std::int64_t>(memory)}}};
  }
  if (name == "crash") return Event{at, Crashed{}};
  if (name == "start") return Event{at, Started{}};
  if (name != "crash-loop") {
    return fail(line.invalid("event", "oom, crash, crash-loop or start"));
  }
  BELLOWS_TRY(const bool active, line.flag("active"));
  return Event{at, CrashLoop{active}};
}

}  // namespace

RecommenderFilter::RecommenderFilter(config::Layer flags,
                                     std::function<void(const std::string&)> note)
    : flags_(std::move(flags)), note_(std::move(note)), config_(flags_) {
  auto settings = config_.settings();
  policy_ = make_policy(std::make_shared<const WorkloadSettings>(settings ? *std::move(settings)
                                                                          : WorkloadSettings()));
}

Result<void> RecommenderFilter::reset() {
  config_ = ReplayConfig(flags_);
  BELLOWS_TRY(auto settings, config_.settings());
  policy_ = make_policy(std::make_shared<const WorkloadSettings>(std::move(settings)));
  clock_.reset();
  now_ = kReplayEpoch;
  has_warned_ = false;
  return {};
}

Result<void> RecommenderFilter::take(const json::Object& line, std::string& out) {
  explanation_.lines.clear();
  if (line.has("new")) {
    BELLOWS_TRY(const bool is_new, line.flag("new"));
    if (is_new) BELLOWS_CHECKED(reset());
  }
  if (line.has("config")) BELLOWS_CHECKED(take_config(line));
  const bool is_for_container = line.has("container");
  const bool recommends = line.has("recommend");
  const bool saves = line.has("checkpoint");
  if (!is_for_container && !recommends && !saves) {
    if (line.has("config")) return {};
    return fail(line.invalid("container", "config, container, recommend or checkpoint"));
  }
  warn();
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  now_ = kReplayEpoch + at.time.time_since_epoch();
  if (is_for_container) BELLOWS_CHECKED(take_container(line));
  if (recommends) {
    BELLOWS_TRY(const bool now, line.flag("recommend"));
    if (now) BELLOWS_CHECKED(write_recommendations(at.seconds, out));
  }
  if (!saves) return {};
  BELLOWS_TRY(const bool now, line.flag("checkpoint"));
  if (now && !policy_->keeps_histograms()) {
    return fail(line.invalid("checkpoint", "false, or policy vpa or hybrid; " +
                                               std::string(policy_->name()) +
                                               " keeps no histograms"));
  }
  return now ? write_checkpoints(at.seconds, out) : Result<void>();
}

Result<void> RecommenderFilter::take_config(const json::Object& line) {
  BELLOWS_TRY(const auto object, line.object("config"));
  BELLOWS_CHECKED(config_.take(object));
  BELLOWS_TRY(auto settings, config_.settings());
  auto next = make_policy(std::make_shared<const WorkloadSettings>(std::move(settings)));
  if (!policy_->registry().containers().empty()) {
    if (next->name() != policy_->name()) {
      return fail(object.invalid(
          "policy", "\"" + std::string(policy_->name()) + R"(" until a line with "new":true)"));
    }
    BELLOWS_CHECKED(next->restore(policy_->save(now_)));
  }
  policy_ = std::move(next);
  return {};
}

/// Warns about the settings before their first use, because a later config line may have changed
/// them.
void RecommenderFilter::warn() {
  if (!note_) return;
  std::vector<std::string> warnings;
  if (policy_->name() == "spike") {
    warnings = config::warnings_about(policy_->settings().settings.spike);
  }
  if (warnings == warned_) return;
  for (const std::string& warning : warnings) note_(warning);
  warned_ = std::move(warnings);
}

Result<void> RecommenderFilter::take_container(const json::Object& line) {
  BELLOWS_TRY(const std::string container, line.text("container"));
  if (container.empty()) return fail(line.invalid("container", "a name"));
  std::string pod;
  if (line.has("pod")) {
    BELLOWS_TRY(pod, line.text("pod"));
  }
  if (!line.has("event") && !line.has("request") && !line.has("cpu-cores") &&
      !line.has("memory-bytes")) {
    return fail(line.invalid("cpu-cores", "cpu-cores, memory-bytes, request or event"));
  }
  const InstanceId instance = policy_->add_instance(PodName(pod), ContainerName(container), now_);
  if (line.has("request")) BELLOWS_CHECKED(take_request(line, instance));
  return line.has("event") ? take_event(line, instance) : take_usage(line, instance);
}

Result<void> RecommenderFilter::take_request(const json::Object& line, InstanceId instance) {
  BELLOWS_TRY(const auto object, line.object("request"));
  Request request = policy_->registry().at(instance).request;
  if (object.has("cpu-cores")) {
    BELLOWS_TRY(const double cores, object.number("cpu-cores", kCores));
    request.cpu = {std::llround(cores * kMillicoresPerCore)};
  }
  if (object.has("memory-bytes")) {
    BELLOWS_TRY(const double bytes, object.number("memory-bytes", kBytes));
    request.memory = {static_cast<std::int64_t>(bytes)};
  }
  return policy_->set_request(instance, request, now_);
}

Result<void> RecommenderFilter::take_usage(const json::Object& line, InstanceId instance) {
  if (line.has("cpu-cores")) {
    BELLOWS_TRY(const double cores, line.number("cpu-cores", kCores));
    BELLOWS_TRY([[maybe_unused]] const RecordResult result,
                policy_->record(instance, Usage{now_, Resource::kCpu, cores}));
  }
  if (line.has("memory-bytes")) {
    BELLOWS_TRY(const double bytes, line.number("memory-bytes", kBytes));
    BELLOWS_TRY([[maybe_unused]] const RecordResult result,
                policy_->record(instance, Usage{now_, Resource::kMemory, bytes}));
  }
  return {};
}

Result<void> RecommenderFilter::take_event(const json::Object& line, InstanceId instance) {
  BELLOWS_TRY(const Event event, read_event(line, now_));
  return policy_->record(instance, event);
}

Result<void> RecommenderFilter::write_recommendations(double at, std::string& out) {
  for (const Recommendation& recommendation : policy_->recommend(now_, &explanation_)) {
    json::Writer line;
    line.number("at", at).text("container", recommendation.container.text());
    if (recommendation.sizes) {
      write(line, *recommendation.sizes);
    } else {
      line.null("target");
    }
    line.open("reason");
    line.text("cpu", to_string(recommendation.cpu, Resource::kCpu));
    line.text("memory", to_string(recommendation.memory, Resource::kMemory));
    out += line.close().end_line();
  }
  if (!has_warned_ && note_) {
    for (const Error& error : policy_->policies_without_container()) note_(to_string(error));
  }
  has_warned_ = true;
  return {};
}

Result<std::vector<std::string>> RecommenderFilter::explain() const {
  if (!explanation_.lines.empty()) return explanation_.lines;
  BELLOWS_TRY(Explanation explanation, policy_->explain(explanation_.container, now_));
  return std::move(explanation.lines);
}

Result<void> RecommenderFilter::write_checkpoints(double at, std::string& out) {
  // A new policy with only the checkpoints shows what VPA would recommend after a restart.
  const auto restored = make_policy(std::make_shared<const WorkloadSettings>(policy_->settings()));
  std::vector<Checkpoint> checkpoints;
  const std::vector<ContainerName> names = policy_->containers();
  for (const ContainerName& name : names) {
    BELLOWS_TRY(Checkpoint checkpoint, policy_->checkpoint(name, now_));
    BELLOWS_TRY(const Checkpoint read, parse_checkpoint(name.text(), checkpoint_json(checkpoint)));
    BELLOWS_CHECKED(restored->load(name, read));
    checkpoints.push_back(std::move(checkpoint));
  }
  const std::vector<Recommendation> recommendations = restored->recommend(now_);
  for (std::size_t i = 0; i < names.size(); ++i) {
    BELLOWS_TRY(const HistogramCheckpoint memory, policy_->running_memory(names[i]));
    json::Writer line;
    line.number("at", at).text("container", names[i].text()).open("checkpoint");
    write_checkpoint(line, checkpoints[i]);
    line.close().open("memory-histogram-with-current-peak");
    write_checkpoint(line, memory);
    line.close();
    for (const Recommendation& recommendation : recommendations) {
      if (recommendation.container != names[i] || !recommendation.sizes) continue;
      line.open("restored");
      write(line, *recommendation.sizes);
      line.close();
    }
    out += line.end_line();
  }
  return {};
}

}  // namespace bellows::recommender
