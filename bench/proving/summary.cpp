#include "bench/proving/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "base/duration_text.hpp"
#include "json/writer.hpp"
#include "report/plot.hpp"
#include "simulator/comparison.hpp"

namespace bellows::proving {
namespace {

using simulator::Outcome;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

/// Matches with their verdicts.
struct Judged {
  const Match* match;
  Verdict verdict;
};
using Field = std::function<double(const Verdict&)>;

std::vector<Judged> judged(const Report& report) {
  std::vector<Judged> all;
  for (const Match& match : report.matches) all.push_back({&match, judge(match)});
  return all;
}

std::vector<double> values_of(const std::vector<Judged>& some, const Field& field) {
  std::vector<double> values;
  for (const Judged& one : some) values.push_back(field(one.verdict));
  return values;
}

double share_of(const std::vector<Judged>& some, const std::function<bool(const Verdict&)>& holds) {
  if (some.empty()) return 1;
  const auto count =
      std::ranges::count_if(some, [&](const Judged& one) { return holds(one.verdict); });
  return static_cast<double>(count) / static_cast<double>(some.size());
}

std::string row(const std::string& name, const std::vector<Judged>& some) {
  const auto good = [&](const std::function<bool(const Verdict&)>& is_bad) {
    return report::three_digits_text(100 * (1 - share_of(some, is_bad)));
  };
  const std::vector<double> waits = values_of(some, [](const Verdict& v) { return v.wait; });
  const std::vector<double> wastes = values_of(some, [](const Verdict& v) { return v.waste; });
  const std::vector<double> sizes =
      values_of(some, [](const Verdict& v) { return v.replica_seconds; });
  return "| " + padded(name, 11) + " | " + std::to_string(some.size()) + " | " +
         good(&Verdict::does_wait) + " | " + report::three_digits_text(quantile(waits, 0.97)) +
         " | " + report::three_digits_text(quantile(waits, 1)) + " | " +
         good(&Verdict::does_waste) + " | " + report::three_digits_text(quantile(wastes, 0.5)) +
         " | " + report::three_digits_text(quantile(wastes, 0.97)) + " | " +
         report::three_digits_text(quantile(wastes, 1)) + " | " +
         report::three_digits_text(quantile(sizes, 0.5)) + " | " + good(&Verdict::is_beaten) +
         " |\n";
}

std::vector<Judged> only(const std::vector<Judged>& all,
                         const std::function<bool(const Judged&)>& holds) {
  std::vector<Judged> some;
  for (const Judged& one : all) {
    if (holds(one)) some.push_back(one);
  }
  return some;
}

std::string large_text(const std::vector<Judged>& all) {
  std::string text;
  for (const double dispersion : {1.0, 4.0, 16.0}) {
    const std::vector<Judged> some = only(all, [&](const Judged& one) {
      return one.verdict.is_large && one.match->scenario.dispersion == dispersion;
    });
    if (some.empty()) continue;
    const auto above = values_of(some, [](const Verdict& v) { return v.above_oracle; });
    text += "dispersion " + report::three_digits_text(dispersion) +
            ", load above 50 all day, starts up to 2 s (" + std::to_string(some.size()) +
            "): (bellows - oracle) / (knative - oracle) median " +
            report::three_digits_text(quantile(above, 0.5)) + ", worst " +
            report::three_digits_text(quantile(above, 1)) + "\n";
  }
  return text;
}

std::string waits_text(const Outcome& outcome) {
  return rounded_duration_text(outcome.waits.p99) + " (mean " +
         report::three_digits_text(1000 * outcome.waits.mean_seconds) + " ms)";
}

std::string lost_text(const Match& match) {
  if (match.bellows.lost() + match.knative.lost() == 0) return {};
  return ", lost " + std::to_string(match.bellows.lost()) + " for " +
         std::to_string(match.knative.lost());
}

std::string worst_text(const Report& report, std::vector<Judged> all) {
  constexpr std::size_t kShown = 10;
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const Judged& one) { return one.verdict.excess(); });
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) {
    const auto& [match, verdict] = all[i];
    if (verdict.excess() <= 0) break;
    text +=
        std::to_string(i + 1) + ". " + std::string(to_string(match->scenario.kind)) + ": " +
        match->scenario.about + "\n   wait " + report::three_digits_text(verdict.wait) +
        " of knative's, p99 " + waits_text(match->bellows) + " for " + waits_text(match->knative) +
        lost_text(*match) + "; waste " + report::three_digits_text(verdict.waste) +
        (verdict.is_beaten()
             ? "; beaten by " + match->rival.policy + ", " +
                   report::three_digits_text(verdict.rival_waste) + " times its waste"
             : "") +
        "\n   " + report.command + " --scenario " + std::to_string(match->scenario.number) + "\n";
  }
  return text;
}

void write(json::Writer& json, std::string_view name, const Outcome& outcome) {
  json.open(name);
  json.member("p99", to_seconds(outcome.waits.p99))
      .member("p999", to_seconds(outcome.waits.p999))
      .member("mean", outcome.waits.mean_seconds)
      .member("worst", to_seconds(outcome.waits.worst))
      .member("cold", outcome.cold_starts)
      .member("lost", outcome.lost())
      .member("replica_seconds", outcome.replica_seconds)
      .member("waste", outcome.waste())
      .member("starts", outcome.starts)
      .member("panic_seconds", outcome.panic_seconds)
      .close();
}

}  // namespace

double share_within(const Report& report) {
  return share_of(judged(report), [](const Verdict& verdict) {
    return !verdict.does_wait() && !verdict.does_waste();
  });
}

std::string summary_text(const Report& report) {
  const std::vector<Judged> all = judged(report);
  std::string text =
      "| kind | n | wait ok % | wait p97 | worst | waste ok % | median | p97 | worst | "
      "replica-s median | unbeaten % |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto of_kind = only(all, [&](const Judged& one) {
      return one.match->scenario.kind == static_cast<Kind>(kind);
    });
    if (!of_kind.empty()) text += row(std::string(to_string(static_cast<Kind>(kind))), of_kind);
  }
  text += row("all", all) + "\n" + large_text(all) + "\nThe worst:\n" + worst_text(report, all);
  return text;
}

std::string match_text(const Match& match) {
  const Verdict verdict = judge(match);
  std::string text = std::string(to_string(match.scenario.kind)) + ": " + match.scenario.about +
                     "\nmean load " + report::three_digits_text(match.mean_load) + ", " +
                     std::to_string(match.knative.arrivals) + " requests in " +
                     rounded_duration_text(match.knative.length) +
                     "\n\n| policy | p99 (mean) | cold | lost | replica-s | waste | starts | "
                     "panic s |\n|---|---|---|---|---|---|---|---|\n";
  for (const Outcome* one :
       {&match.knative, &match.bellows, &match.constant, &match.rival, &match.oracle}) {
    if (one->policy.empty()) continue;
    text += "| " + one->policy + " | " + waits_text(*one) + " | " +
            std::to_string(one->cold_starts) + " | " + std::to_string(one->lost()) + " | " +
            simulator::grouped(one->replica_seconds) + " | " + simulator::grouped(one->waste()) +
            " | " + std::to_string(one->starts) + " | " + simulator::grouped(one->panic_seconds) +
            " |\n";
  }
  return text + "\nwait " + report::three_digits_text(verdict.wait) + " and waste " +
         report::three_digits_text(verdict.waste) + " of knative's\n";
}

std::string match_json(const Match& match) {
  const Verdict verdict = judge(match);
  json::Writer json;
  json.member("number", static_cast<std::uint64_t>(match.scenario.number))
      .member("kind", to_string(match.scenario.kind))
      .member("about", match.scenario.about)
      .member("load", match.mean_load)
      .member("wait", verdict.wait)
      .member("waste", verdict.waste)
      .member("replica_seconds", verdict.replica_seconds)
      .member("above_oracle", verdict.above_oracle)
      .member("rival_waste", verdict.rival_waste)
      .member("excess", verdict.excess());
  for (const auto& [name, outcome] :
       {std::pair("knative", &match.knative), std::pair("bellows", &match.bellows),
        std::pair("oracle", &match.oracle), std::pair("constant", &match.constant)}) {
    if (!outcome->policy.empty()) write(json, name, *outcome);
  }
  return json.end_line();
}

}  // namespace bellows::proving
