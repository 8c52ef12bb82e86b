// Observers of each request that has ended.
#pragma once

#include "proxy/io/access_log.hpp"
#include "proxy/io/server_state.hpp"
#include "proxy/io/span_exporter.hpp"

namespace bellows::proxy {

/// Makes an observer of those that are not nullptr; they must outlive the server. It is empty
/// without any: then a request costs a comparison.
inline ExchangeObserver observer_of(AccessLog* access_log, SpanExporter* spans) {
  if (access_log == nullptr && spans == nullptr) return {};
  return [access_log, spans](Exchange& exchange, const Outcome& outcome) {
    if (spans != nullptr) spans->record(exchange, outcome);
    if (access_log != nullptr) access_log->write(exchange, outcome);
    exchange.drop_notes();
  };
}

}  // namespace bellows::proxy
