// The screen of `bellows top`: every line fits the terminal.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "cli/status/status_model.hpp"
#include "cli/status/status_view.hpp"

namespace bellows::cli {

/// Shows one status after the other. Owner: the command.
class TopView {
 public:
  /// Limits: the busiest services are shown, and the first replicas.
  static constexpr std::size_t kServices = 16;
  static constexpr std::size_t kReplicas = 10;

  /// `name`: the service of the chart; empty: the busiest. `interval`: between two statuses.
  TopView(std::string name, Duration interval) : name_(std::move(name)), interval_(interval) {}

  void add(const Status& status);
  /// Returns the services, the replicas of the charted one, and its chart, whose title names it and
  /// says why. At least 60 cells are used.
  std::vector<std::string> lines(const Status& status, std::size_t width) const;
  /// Returns the same without a chart.
  std::vector<std::string> tables(const Status& status, std::size_t width) const;

 private:
  const ServiceStatus* charted(const Status& status) const;
  std::string title(const ServiceStatus& revision) const;

  const std::string name_;
  const Duration interval_;
  std::string busiest_;
  std::map<std::string, StatusHistory> histories_;
};

}  // namespace bellows::cli
