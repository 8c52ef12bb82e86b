#include "proxy/io/access_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/sys/non_blocking_output.hpp"

namespace bellows::proxy {
namespace {

constexpr std::size_t kGathered = std::size_t{32} * 1024;
constexpr std::size_t kKept = std::size_t{256} * 1024;
constexpr Duration kLongestWait = std::chrono::milliseconds(100);

AccessLog::Sink standard_output() {
  // A std::function wants to be copied; its copies may share the descriptor.
  return [output = std::make_shared<sys::NonBlockingOutput>(STDOUT_FILENO)](
             std::string_view lines) { return output->try_write(lines); };
}

/// "127.0.0.1:51234" and "[::1]:51234" without the port.
std::string_view without_port(std::string_view peer) {
  if (peer.starts_with('[')) return peer.substr(1, peer.find(']') - 1);
  return peer.substr(0, peer.rfind(':'));
}

AccessRecord record_of(const Exchange& exchange, const Outcome& outcome) {
  const http::RequestHead& head = exchange.head();
  AccessRecord record;
  record.method = head.method;
  record.host = head.host;
  record.url = head.target;
  record.minor_version = head.minor_version;
  record.status = outcome.status;
  record.request_bytes = outcome.request_bytes;
  record.response_bytes = outcome.response_bytes;
  record.user_agent = head.fields.find(http::FieldId::kUserAgent).value_or("");
  record.referer = head.fields.find("referer").value_or("");
  record.remote_ip = without_port(exchange.peer());
  record.retries = std::max(outcome.upstream_tries - 1, 0);
  record.queued = outcome.queued;
  record.latency = outcome.total;
  record.traceparent = head.fields.find("traceparent").value_or("");
  if (outcome.has_error) record.error = to_string(outcome.error);
  return record;
}

}  // namespace

AccessLog::AccessLog(http::Reactor& reactor, const config::AccessLogSettings& settings, Sink sink)
    : http::Deadline(reactor.watchdog()),
      reactor_(reactor),
      line_(settings.line),
      tells_probes_(settings.probes),
      sink_(sink ? std::move(sink) : standard_output()),
      next_try_(kGathered) {}

AccessLog::~AccessLog() {
  flush();
}

void AccessLog::write(Exchange& exchange, const Outcome& outcome) {
  const AccessNotes* notes = exchange.notes();
  if (notes == nullptr || !notes->is_probe || tells_probes_) append(exchange, outcome, notes);
  exchange.drop_notes();
}

void AccessLog::append(const Exchange& exchange, const Outcome& outcome, const AccessNotes* notes) {
  if (lines_.size() >= kKept) {
    ++dropped_;
    return;
  }
  AccessRecord record = record_of(exchange, outcome);
  record.ended = reactor_.clock().wall_now();
  if (notes != nullptr) {
    record.service = notes->service;
    record.replica = notes->replica;
    record.server_ip = notes->upstream;
  }
  line_.append(record, lines_);
  if (lines_.size() >= next_try_) {
    flush();
  } else if (deadline() == TimePoint::max()) {
    set_deadline(reactor_.now() + kLongestWait);
  }
}

void AccessLog::flush() {
  clear_deadline();
  if (lines_.empty()) return;
  lines_.erase(0, sink_(lines_));
  next_try_ = lines_.size() + kGathered;
  if (!lines_.empty()) set_deadline(reactor_.now() + kLongestWait);
}

}  // namespace bellows::proxy
