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
    for (const auto& [why, count] : server.counters().cut) {
      add({{"reason", to_string(why)}}, static_cast<double>(count));
    }
  };
  const auto failures = [&server](const AddSeries& add) {
    add({}, static_cast<double>(server.accept_failures()));
  };
  return {registry.list_counters(prefix + "_refused_heads_total",
                                 "Messages refused before they were a request, by the status sent.",
                                 refused),
          registry.list_counters(prefix + "_cut_total",
                                 "Requests whose answer stayed incomplete or that nobody waited "
                                 "for any more, by why.",
                                 cut),
          registry.list_counters(prefix + "_accept_failures_total",
                                 "Times no connection was accepted for want of descriptors.",
                                 failures)};
}

}  // namespace bellows::proxy
