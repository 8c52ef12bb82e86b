#include "cli/demo/demo.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "base/duration_text.hpp"
#include "cli/status/status_follower.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kLook = std::chrono::milliseconds(250);
constexpr Duration kLineEvery = std::chrono::seconds(2);  // where nothing can be redrawn
constexpr Duration kPatience = std::chrono::seconds(90);  // for the way back to zero

/// One step of a cold start as a line of the summary; nothing if it was not seen.
void add_step(std::vector<std::string>& lines, const std::string& name,
              std::optional<TimePoint> from, std::optional<TimePoint> to) {
  if (!from || !to) return;
  std::string took = rounded_duration_text(*to - *from);
  took.insert(0, took.size() < 8 ? 8 - took.size() : 0, ' ');
  lines.push_back("    " + took + "  " + name);
}

void add_cold_start(std::vector<std::string>& lines, const activator::ColdStart& start) {
  lines.push_back("  cold start       " + rounded_duration_text(start.answered - start.held) +
                  " from the first request to its first byte:");
  add_step(lines, "held until the app's process was started", start.held, start.process_started);
  add_step(lines, "until the app was ready", start.process_started, start.ready);
  add_step(lines, "until the request was with it", start.ready, start.forwarded);
  add_step(lines, "until the first byte came back", start.forwarded, start.answered);
}

}  // namespace

Demo::Demo(http::net::io_context& io, const sys::Clock& clock, const Machine& machine,
           MachineAddresses addresses, LiveArea& area)
    : clock_(clock),
      machine_(machine),
      addresses_(std::move(addresses)),
      area_(area),
      load_(io, clock, addresses_.listen),
      start_(clock.now()),
      last_line_(start_),
      left_alone_(start_) {}

http::Awaitable<Result<void>> Demo::play() {
  for (const Chapter& chapter : demo_story()) BELLOWS_CO_CHECKED(co_await play(chapter));
  co_return Result<void>();
}

http::Awaitable<Result<void>> Demo::play(const Chapter& chapter) {
  const bool is_last = chapter.lasts == Duration::zero();
  const TimePoint end = clock_.now() + (is_last ? kPatience : chapter.lasts);
  area_.print_above("");
  area_.print_above("── " + std::string(chapter.title) + ": " + std::string(chapter.words));
  if (chapter.visitors == 1) load_.send_one();
  if (chapter.visitors > 1) load_.crowd(chapter.visitors, end);
  BELLOWS_CO_CHECKED(co_await follow_status(
      addresses_.admin, kLook,
      [this, &chapter, end](const Status& status) { return look(status, chapter, end); }));
  if (is_last && !back_to_zero_) {
    co_return fail(
        ErrorKind::kTimeout, "service web",
        "not back at zero " + rounded_duration_text(kPatience) + " after the last visitor left");
  }
  co_return Result<void>();
}

bool Demo::look(const Status& status, const Chapter& chapter, TimePoint end) {
  if (status.revisions.empty()) return clock_.now() < end;
  const RevisionStatus& web = status.revisions.front();
  max_replicas_ = std::max(max_replicas_, web.ready);
  saw_panic_ = saw_panic_ || web.mode == "panic";
  history_.add(web);
  show(web, chapter);
  if (load_.in_flight() > 0) left_alone_ = clock_.now();
  if (!is_over(web, chapter, end)) return true;
  if (chapter.lasts == Duration::zero() && web.replicas.empty())
    back_to_zero_ = clock_.now() - left_alone_;
  return false;
}

bool Demo::is_over(const RevisionStatus& web, const Chapter& chapter, TimePoint end) const {
  const TimePoint now = clock_.now();
  if (chapter.lasts == Duration::zero()) return web.replicas.empty() || now >= end;
  return now >= end && load_.in_flight() == 0;
}

void Demo::show(const RevisionStatus& web, const Chapter& chapter) {
  const TimePoint now = clock_.now();
  const std::string time =
      rounded_duration_text(std::chrono::round<std::chrono::seconds>(now - start_));
  if (!area_.terminal().is_interactive) {
    if (now - last_line_ < kLineEvery) return;
    last_line_ = now;
    area_.print_above("   " + time + "  " + one_line(web));
    return;
  }
  std::vector<std::string> lines = {"", time + "  " + std::string(chapter.title)};
  for (const auto& part :
       {wide_lines({{web}}), std::vector<std::string>{""},
        chart_lines(history_, std::min<std::size_t>(area_.terminal().width, 120))}) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  area_.draw(std::move(lines));
}

std::vector<std::string> Demo::summary() const {
  const LoadRecord& record = load_.record();
  std::vector<std::string> lines = {
      "",
      "── summary",
      "  requests         " + std::to_string(record.answered + record.failed) + ", failures " +
          std::to_string(record.failed),
      "  latency          p50 " + rounded_duration_text(record.percentile(0.5)) + "  p99 " +
          rounded_duration_text(record.percentile(0.99)) + "  worst " +
          rounded_duration_text(record.percentile(1.0)),
  };
  for (const activator::ColdStart& start : machine_.cold_starts()) add_cold_start(lines, start);
  lines.push_back("  most replicas    " + std::to_string(max_replicas_) +
                  (saw_panic_ ? ", ordered in panic mode" : ""));
  if (back_to_zero_)
    lines.push_back("  back to zero     " + rounded_duration_text(*back_to_zero_) +
                    " after the last answer");
  if (!record.first_failure.empty()) lines.push_back("  first failure    " + record.first_failure);
  return lines;
}

}  // namespace bellows::cli
