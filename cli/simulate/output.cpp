#include "cli/simulate/output.hpp"

#include <cerrno>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "autoscaler/journal/journal_lines.hpp"
#include "base/duration_text.hpp"
#include "command/input.hpp"
#include "report/comparison_table.hpp"
#include "simulator/report.hpp"
#include "simulator/verdict.hpp"

namespace bellows::cli {
namespace {

Error write_error(const std::string& file, const std::string& what) {
  return system_error(file, "cannot write " + what, errno);
}

void print_rows(std::span<const report::Measure> measures, const report::Rows& rows) {
  for (const std::string& line : report::measure_lines(measures, rows)) std::cout << line << "\n";
}

}  // namespace

void print_comparison(const simulator::Comparison& comparison) {
  std::cout << comparison.trace << ": "
            << simulator::grouped(static_cast<double>(comparison.requests)) << " requests in "
            << simulator::grouped(to_seconds(comparison.oracle.length))
            << " s; in service: " << simulator::load_text(comparison.mean_load) << " on average, "
            << comparison.max_load << " at most; "
            << simulator::capacity_text(comparison.full_by, comparison.slots) << "; app "
            << comparison.app;
  if (comparison.warm_up > Duration::zero()) {
    std::cout << "; the first " << duration_text(comparison.warm_up)
              << " are warm-up and not counted (--warm-up)";
  }
  std::cout << "\n" << simulator::verdict(comparison) << "\n\n";
  print_rows(simulator::comparison_columns(), simulator::comparison_rows(comparison));
}

void print_what_if(const SimulateSettings& settings, const simulator::Workload& workload,
                   const simulator::LogTraffic& log, const simulator::WhatIf& tried) {
  std::cout << command::input_name(settings.trace) << ": " << to_string(log.format) << ", "
            << simulator::grouped(static_cast<double>(log.requests)) << " requests in "
            << duration_text(workload.traffic.length);
  if (log.has_durations) {
    std::cout << ", half of them within " << rounded_duration_text(log.p50) << ", 99% within "
              << rounded_duration_text(log.p99);
  }
  std::cout << "\n"
            << simulator::what_if_text(tried)
            << "\nAssumed: " << simulator::capacity_text(tried.full_by, tried.slots)
            << " (--set container-concurrency=N), a start of " << to_string(workload.app.start)
            << " (--app start=DURATION)";
  if (!log.has_durations) {
    std::cout << "; the log has no durations, so a request takes "
              << to_string(workload.app.service)
              << " (--app service=DURATION; $request_time in nginx, %D in Apache)";
  }
  if (log.format == simulator::LogFormat::kApacheTimed) {
    std::cout << "; the number behind the user agent is %D, microseconds";
  }
  std::cout << ".\n";
  for (const std::string& note : log.notes) std::cout << note << "\n";
  std::cout << "\n";
  print_rows(simulator::what_if_columns(), simulator::what_if_rows(tried));
}

void print_suggestion(const simulator::Suggestion& suggestion) {
  std::cout << "\n";
  print_rows(simulator::suggestion_columns(), simulator::suggestion_rows(suggestion));
  std::cout << "\n" << simulator::suggestion_text(suggestion) << "\n";
}

Result<void> check_writable(const std::string& file, const std::string& what) {
  errno = 0;
  if (file.empty() || std::ofstream(file, std::ios::binary | std::ios::app)) return {};
  return fail(write_error(file, what));
}

Result<void> write_report(const std::string& file, const simulator::Comparison& comparison,
                          const report::MadeBy& made) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << simulator::report_html(comparison, made);
  out.flush();
  if (out) return {};
  return fail(write_error(file, "the report"));
}

JournalFile::JournalFile(const std::string& file) : file_(file) {
  if (!file.empty()) out_.open(file, std::ios::binary);
}

simulator::DecisionSink JournalFile::sink(const config::RevisionSettings& settings) {
  if (file_.empty()) return {};
  // Only the copies of the function share it.
  const auto writer = std::make_shared<autoscaler::journal::JournalWriter>(RevisionId("simulated"),
                                                                           Duration::zero());
  return [this, writer, &settings](const autoscaler::DeciderState& before,
                                   const autoscaler::Decision& decision) {
    out_ << writer->lines_of(decision, before, settings);
  };
}

Result<void> JournalFile::close() {
  if (file_.empty()) return {};
  errno = 0;
  out_.close();
  if (out_) return {};
  return fail(write_error(file_, "the journal"));
}

}  // namespace bellows::cli
