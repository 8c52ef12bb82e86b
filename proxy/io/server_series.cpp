#include "proxy/io/server_series.hpp"

namespace bellows::proxy {

using metrics::prometheus::AddSeries;

std::vector<metrics::prometheus::Listing> list_server_series(
    metrics::prometheus::Registry& registry, const std::string& prefix, const ProxyServer& server) {
  const auto refused = [&server](const AddSeries& add) {
    for (const auto& [status, count] : server.counters().refused_heads) {
      add({{"code", std::to_string(status)}}, static_cast<double>(count));
    }
  };
  const auto cut = [&server](const AddSeries& add) {
    for (std::size_t by = 0; by < kCutByNames.size(); ++by) {
      add({{"by", kCutByNames[by]}}, static_cast<double>(server.counters().cut[by]));
    }
  };
  const auto failures = [&server](const AddSeries& add) {
    add({}, static_cast<double>(server.accept_failures()));
  };
  return {registry.list_counters(prefix + "_refused_heads_total",
                                 "Messages refused before they were a request, by the status sent.",
                                 refused),
          registry.list_counters(prefix + "_cut_total",
                                 "Requests that ended without a whole answer: their caller left or "
                                 "did not read, their upstream ended, or we were stopped.",
                                 cut),
          registry.list_counters(prefix + "_accept_failures_total",
                                 "Times no connection was accepted for want of descriptors or "
                                 "memory.",
                                 failures)};
}

}  // namespace bellows::proxy
