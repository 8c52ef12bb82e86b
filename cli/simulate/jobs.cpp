#include "cli/simulate/jobs.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include "base/sys/clock.hpp"
#include "simulator/simulation.hpp"

namespace bellows::cli {
namespace {

constexpr Duration kProgressDelay = std::chrono::seconds(2);
constexpr Duration kRedrawInterval = std::chrono::milliseconds(200);
constexpr std::size_t kBarCells = 30;

/// The progress, shared by the calculating threads and the drawing thread.
struct Board {
  explicit Board(std::size_t jobs) : done(jobs) {}
  std::atomic<std::size_t> next = 0;
  std::vector<std::atomic<double>> done;  // 0 to 1, of each job
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t ended = 0;  // guarded by mutex
};

void work(const std::vector<Job>& jobs, Board& board) {
  for (std::size_t at = board.next++; at < jobs.size(); at = board.next++) {
    jobs[at].run([&board, at](double share) { board.done[at] = share; });
    board.done[at] = 1;
    const std::lock_guard lock(board.mutex);
    ++board.ended;
    board.changed.notify_one();
  }
}

std::string bar(const Board& board) {
  double share = 0;
  for (const auto& done : board.done) share += done / static_cast<double>(board.done.size());
  const auto full = static_cast<std::size_t>(share * kBarCells);
  const std::string cells = std::string(full, '#') + std::string(kBarCells - full, '.');
  return "simulating [" + cells + "] " + std::to_string(static_cast<int>(share * 100)) + "%";
}

void watch(Board& board) {
  const bool draws = isatty(STDERR_FILENO) == 1;
  const TimePoint began = sys::system_clock().now();
  bool has_drawn = false;
  std::unique_lock lock(board.mutex);
  while (board.ended < board.done.size()) {
    board.changed.wait_for(lock, kRedrawInterval);
    if (!draws || sys::system_clock().now() - began < kProgressDelay) continue;
    std::fprintf(stderr, "\r%s", bar(board).c_str());
    has_drawn = true;
  }
  if (has_drawn) std::fprintf(stderr, "\r\x1b[K");
}

}  // namespace

void run_jobs(const std::vector<Job>& jobs) {
  Board board(jobs.size());
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min(cores, jobs.size()); ++i) {
    threads.emplace_back([&] { work(jobs, board); });
  }
  watch(board);
}

simulator::LoadProfile profile_with_progress(const simulator::Workload& workload) {
  simulator::LoadProfile profile;
  run_jobs({{"load", [&](const simulator::Progress& progress) {
               profile = simulator::profile_load(workload, progress);
             }}});
  return profile;
}

std::vector<simulator::Outcome> simulate_all(const simulator::Workload& workload,
                                             const simulator::LoadProfile& profile,
                                             const std::vector<simulator::Policy>& policies) {
  std::vector<simulator::Outcome> outcomes(policies.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    jobs.push_back({policies[i].name, [&, i](const simulator::Progress& progress) {
                      outcomes[i] =
                          simulator::simulate(workload, profile, policies[i].settings, progress);
                      outcomes[i].policy = policies[i].name;
                    }});
  }
  run_jobs(jobs);
  return outcomes;
}

}  // namespace bellows::cli
