#include "recommender/score/score_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/duration_text.hpp"
#include "json/writer.hpp"

namespace bellows::recommender::score {

namespace {

using json::Writer;

std::string fixed(double value, int decimals) {
  std::array<char, 48> out{};
  std::snprintf(out.data(), out.size(), "%.*f", decimals, value);
  // "-0.00" is printed as "0.00".
  const std::string text = out.data();
  return text.find_first_of("123456789") == std::string::npos && text.starts_with('-')
             ? text.substr(1)
             : text;
}

std::string percent(double share) {
  if (share > 0 && share < 0.00095) return "<0.1%";
  return fixed(share * 100, share < 0.0995 ? 1 : 0) + "%";
}

std::string per_day(double value) {
  return fixed(value, value < 9.95 ? 1 : 0);
}

std::string duration(Duration length) {
  return length == Duration::zero() ? "0" : rounded_duration_text(length);
}

std::string both(double cpu, double memory) {
  return percent(cpu) + " " + percent(memory);
}

/// Returns the texts of CPU and memory, once if both are equal.
std::string settled(const std::optional<Duration>& cpu, const std::optional<Duration>& memory) {
  const auto text = [](const std::optional<Duration>& part) {
    return part ? duration(*part) : "-";
  };
  return text(cpu) == text(memory) ? text(cpu) : text(cpu) + " " + text(memory);
}

std::vector<std::string> row_of(const PolicyResult& entry) {
  const Score& score = entry.score;
  const ResourceScore& cpu = score.cpu;
  const ResourceScore& memory = score.memory;
  return {entry.policy,
          entry.is_on_front ? "*" : "",
          both(cpu.slack_share(), memory.slack_share()),
          both(cpu.under_share(), memory.under_share()),
          per_day(score.ooms_per_day()),
          percent(score.throttled_share()),
          per_day(score.changes_per_day()),
          settled(cpu.settles_up, memory.settles_up),
          fixed(entry.regret_constant, 2),
          fixed(entry.cost, 2)};
}

void write(Writer& json, std::string_view name, const ResourceScore& resource,
           std::string_view unit) {
  const std::string hours = "-" + std::string(unit) + "-hours";
  json.open(name);
  json.member("slack-share", resource.slack_share())
      .member("slack" + hours, resource.slack)
      .member("requested" + hours, resource.requested)
      .member("used" + hours, resource.used)
      .member("under-share", resource.under_share())
      .member("deficit-share", resource.deficit_share())
      .member("overshoot", resource.overshoot());
  if (resource.settles_up) {
    json.member("settles-up-seconds", to_seconds(*resource.settles_up));
  }
  if (resource.settles_down) {
    json.member("settles-down-seconds", to_seconds(*resource.settles_down));
  }
  json.close();
}

void write(Writer& json, const Score& score) {
  write(json, "cpu", score.cpu, "core");
  write(json, "memory", score.memory, "gib");
  json.member("container-days", score.days)
      .member("ooms", score.ooms)
      .member("ooms-per-container-day", score.ooms_per_day())
      .member("oom-free-container-days", score.oom_free_share())
      .member("longest-oom-row", score.longest_oom_streak)
      .member("escape-seconds", to_seconds(score.oom_recovery))
      .member("dark-seconds", to_seconds(score.downtime))
      .member("crashes", score.crashes)
      .member("throttled-share", score.throttled_share())
      .member("throttle-p99", score.throttle_p99)
      .member("changes", score.changes)
      .member("changes-per-day", score.changes_per_day());
}

void write(Writer& json, std::string_view name, const std::vector<PolicyResult>& entries) {
  json.open_list(name);
  for (const PolicyResult& entry : entries) {
    json.open().member("policy", entry.policy);
    json.member("pareto-front", entry.is_on_front);
    write(json, entry.score);
    json.member("cost", entry.cost)
        .member("regret-next-window", entry.regret_next)
        .member("regret-best-constant", entry.regret_constant)
        .close();
  }
  json.close();
}

void write_oracle(Writer& json, std::string_view name, const Score& score) {
  json.open(name);
  write(json, score);
  json.close();
}

}  // namespace

std::span<const report::Measure> score_columns() {
  static constexpr report::Measure kColumns[] = {
      {"policy", "with its own settings"},
      {"Pareto front", "* no other is as good in slack, OOM kills, throttling and changes"},
      {"unused CPU, memory", "part of the requests that is slack"},
      {"time above request", "share of time in which CPU, memory need more than the request"},
      {"OOM kills a day", "for each container"},
      {"CPU throttled", "part of the wanted CPU that the limit held back"},
      {"changes a day", "of the request"},
      {"settles after a rise", "within a tenth of its last request: CPU, memory"},
      {"beyond constant", "cost beyond the best constant request"},
      {"cost J", "slack + 0.5 OOM kills/day + 2 throttled + 0.01 changes/day; lower is better"},
  };
  return kColumns;
}

report::Rows rows_of(const std::vector<PolicyResult>& entries) {
  report::Rows rows;
  for (const PolicyResult& entry : entries) rows.push_back(row_of(entry));
  return rows;
}

const PolicyResult* winner_of(const std::vector<PolicyResult>& entries) {
  const auto lowest = std::ranges::min_element(entries, {}, &PolicyResult::cost);
  if (lowest == entries.end()) return nullptr;
  const std::string text = fixed(lowest->cost, 2);
  const auto as_low = std::ranges::count_if(
      entries, [&](const PolicyResult& entry) { return fixed(entry.cost, 2) == text; });
  return as_low == 1 ? &*lowest : nullptr;
}

std::string score_verdict(const Comparison& comparison) {
  const PolicyResult* const best = winner_of(comparison.total);
  if (best == nullptr) return "no policy has the lowest mean cost alone";
  std::string others;
  for (const PolicyResult& entry : comparison.total) {
    if (&entry == best) continue;
    others += (others.empty() ? " (" : ", ") + entry.policy + ": " + fixed(entry.cost, 2);
  }
  const auto won = std::ranges::count_if(comparison.results, [&](const WorkloadResult& outcome) {
    const PolicyResult* const winner = winner_of(outcome.entries);
    return winner != nullptr && winner->policy == best->policy;
  });
  const std::size_t count = comparison.results.size();
  return best->policy + ": lowest mean cost " + fixed(best->cost, 2) +
         (others.empty() ? others : others + ")") + ", lowest on " + std::to_string(won) + " of " +
         std::to_string(count) + (count == 1 ? " workload" : " workloads");
}

std::string score_table(const Comparison& comparison) {
  // One table, so that the columns of all blocks have one width.
  report::Rows rows;
  std::vector<std::size_t> sizes;
  const auto add_block = [&](const std::vector<PolicyResult>& entries) {
    for (auto& row : rows_of(entries)) rows.push_back(std::move(row));
    sizes.push_back(entries.size());
  };
  for (const WorkloadResult& outcome : comparison.results) add_block(outcome.entries);
  add_block(comparison.total);
  const auto lines = report::measure_lines(score_columns(), rows);
  auto line = lines.begin() + 1;
  std::string out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_total = i == comparison.results.size();
    if (is_total && comparison.results.size() == 1) continue;
    out += is_total ? "all workloads (sums; cost and regret: means)\n"
                    : comparison.results[i].workload + ": " + comparison.results[i].about + "\n";
    out += "  " + lines.front() + "\n";
    for (std::size_t row = 0; row < sizes[i]; ++row) out += "  " + *line++ + "\n";
    out += "\n";
  }
  out += score_verdict(comparison) + "\n\n";
  constexpr std::size_t kMeaningAt = 22;
  for (const report::Measure& column : score_columns()) {
    out += "  " + std::string(column.title) + std::string(kMeaningAt - column.title.size(), ' ') +
           std::string(column.meaning) + "\n";
  }
  return out;
}

std::string score_json(const Comparison& comparison) {
  Writer json;
  json.member("version", 1).member("seed", comparison.seed).open_list("workloads");
  for (const WorkloadResult& outcome : comparison.results) {
    json.open().member("workload", outcome.workload).member("about", outcome.about);
    json.member("seconds", to_seconds(outcome.length));
    write(json, "policies", outcome.entries);
    write_oracle(json, "perfect-next-window", outcome.next_window);
    write_oracle(json, "best-constant", outcome.constant);
    json.close();
  }
  json.close();
  write(json, "all", comparison.total);
  return json.end_line();
}

}  // namespace bellows::recommender::score
