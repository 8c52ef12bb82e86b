#include "recommender/score/comparison.hpp"

#include <algorithm>

#include "config/help.hpp"
#include "recommender/core/policy.hpp"
#include "recommender/score/oracle.hpp"
#include "recommender/score/sizers.hpp"

namespace bellows::recommender::score {

namespace {

constexpr std::size_t kStretches = 480;
constexpr double kGiB = 1024. * 1024 * 1024;

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (auto at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// The setting that `key` names, with the policy's name in front where that is left out.
std::string full_name(std::string_view policy, std::string_view key) {
  const auto& declarations = config::recommender_schema().declarations();
  const std::string longer = std::string(policy) + "-" + std::string(key);
  const bool is_short =
      config::find(declarations, key) == nullptr && config::find(declarations, longer) != nullptr;
  return is_short ? longer : std::string(key);
}

void add_stretch(Picture::Curves& curves, const Track& track, std::size_t begin, std::size_t end,
                 double Demand::*part, double unit) {
  double max = 0;
  for (std::size_t step = begin; step < end; ++step) {
    max = std::max(max, track.moments[step].used.*part / unit);
  }
  curves.used.push_back(max);
  curves.request.push_back(track.moments[end - 1].request.*part / unit);
  curves.limit.push_back(track.moments[end - 1].limit.*part / unit);
}

Picture picture_of(const Track& track) {
  Picture picture;
  const std::size_t count = track.moments.size();
  const std::size_t width = std::max<std::size_t>(1, (count + kStretches - 1) / kStretches);
  picture.stretch = static_cast<Duration::rep>(width) * track.step;
  for (std::size_t begin = 0; begin < count; begin += width) {
    const std::size_t end = std::min(count, begin + width);
    add_stretch(picture.cpu, track, begin, end, &Demand::cpu_cores, 1);
    add_stretch(picture.memory, track, begin, end, &Demand::memory_bytes, kGiB);
  }
  for (const Death& death : track.deaths) {
    if (!death.is_oom) continue;
    const auto stretch = static_cast<std::size_t>(death.at / picture.stretch);
    if (picture.ooms.empty() || picture.ooms.back() != stretch) picture.ooms.push_back(stretch);
  }
  return picture;
}

Entry entry_of(const Contender& contender, const Workload& workload, const WorldSettings& world) {
  PolicySizer sizer(make_policy(contender.settings));
  const Track track = live_through(workload, sizer, world);
  Entry entry{
      .policy = contender.name, .score = score(workload, track), .picture = picture_of(track)};
  entry.cost = cost(entry.score);
  return entry;
}

void mark_front(std::vector<Entry>& entries) {
  for (Entry& entry : entries) {
    entry.is_on_front = std::none_of(entries.begin(), entries.end(), [&](const Entry& other) {
      return dominates(other.score, entry.score);
    });
  }
}

/// Scores add up; costs and regrets are means, so that no workload counts for more than another.
std::vector<Entry> total_of(const std::vector<Outcome>& outcomes) {
  std::vector<Entry> total;
  const auto count = static_cast<double>(outcomes.size());
  for (std::size_t i = 0; !outcomes.empty() && i < outcomes.front().entries.size(); ++i) {
    Entry sum{.policy = outcomes.front().entries[i].policy};
    for (const Outcome& outcome : outcomes) {
      const Entry& entry = outcome.entries[i];
      sum.score.add(entry.score);
      sum.cost += entry.cost / count;
      sum.regret_next += entry.regret_next / count;
      sum.regret_constant += entry.regret_constant / count;
    }
    total.push_back(std::move(sum));
  }
  mark_front(total);
  return total;
}

}  // namespace

Result<Contender> parse_contender(std::string_view text, const config::Layer& flags) {
  const auto parts = parts_of(text, ':');
  config::Layer layer{config::flag("policy", std::string(parts.front()))};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    if (equals == std::string_view::npos) {
      return fail(ErrorKind::kInvalidSetting, "--policy " + std::string(text),
                  "\"" + std::string(parts[i]) + "\": want SETTING=VALUE behind the colon");
    }
    layer.push_back(config::flag(full_name(parts.front(), parts[i].substr(0, equals)),
                                 std::string(parts[i].substr(equals + 1))));
  }
  auto settings = config::recommender_schema().apply({flags, layer});
  if (!settings) {
    const Error& problem = settings.error().front();
    return fail(ErrorKind::kInvalidSetting, "--policy " + std::string(text), to_string(problem));
  }
  WorkloadSettings workload;
  workload.settings = *std::move(settings);
  return Contender{std::string(text),
                   std::make_shared<const WorkloadSettings>(std::move(workload))};
}

Comparison compare(const std::vector<Workload>& workloads, const std::vector<Contender>& contenders,
                   const WorldSettings& world,
                   const std::function<void(std::size_t, std::size_t)>& progress) {
  Comparison comparison{.world = world};
  std::size_t done = 0;
  for (const Workload& workload : workloads) {
    Outcome outcome{
        .workload = workload.name, .about = workload.about, .length = workload.length()};
    outcome.next_window = score(workload, perfect_next_window(workload, world));
    outcome.constant = score(workload, best_constant(workload, world));
    for (const Contender& contender : contenders) {
      Entry entry = entry_of(contender, workload, world);
      entry.regret_next = entry.cost - cost(outcome.next_window, kOraclePrices);
      entry.regret_constant = entry.cost - cost(outcome.constant, kOraclePrices);
      outcome.entries.push_back(std::move(entry));
      progress(++done, workloads.size() * contenders.size());
    }
    mark_front(outcome.entries);
    comparison.outcomes.push_back(std::move(outcome));
  }
  comparison.total = total_of(comparison.outcomes);
  return comparison;
}

}  // namespace bellows::recommender::score
