#include "proxy/io/access_log.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"

namespace bellows::proxy {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{32} * 1024;
constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
constexpr Duration kFlushInterval = std::chrono::milliseconds(100);

AccessSink standard_output() {
  // A std::function is copyable; its copies, and both functions, share the descriptor.
  const auto output = std::make_shared<sys::NonBlockingOutput>(STDOUT_FILENO);
  return {.write = [output](std::string_view lines) { return output->write(lines); },
          .wait_for_room = [output](Duration longest) { output->wait_for_room(longest); }};
}

std::string text_of(int error) {
  return error == 0 ? "standard output is full" : std::system_category().message(error);
}

AccessRecord record_of(const Exchange& exchange, const Outcome& outcome) {
  const http::RequestHead& head = exchange.head();
  AccessRecord record;
  record.method = head.method;
  record.host = head.host;
  record.url = head.target;
  record.is_http2 = exchange.is_http2();
  record.minor_version = head.minor_version;
  record.status = outcome.status;
  record.request_bytes = outcome.request_bytes;
  record.response_bytes = outcome.response_bytes;
  record.user_agent = head.fields.find(http::FieldId::kUserAgent).value_or("");
  record.referer = head.fields.find("referer").value_or("");
  record.remote_ip = exchange.peer_ip();
  record.retries = std::max(outcome.upstream_tries - 1, 0);
  record.queued = outcome.queued;
  record.latency = outcome.total;
  record.request_id = exchange.request_id();
  record.grpc_status = outcome.grpc_status;
  if (outcome.error) record.error = to_string(*outcome.error);
  return record;
}

}  // namespace

AccessLog::AccessLog(http::Reactor& reactor, const config::AccessLogSettings& settings,
                     AccessSink sink)
    : AccessLog(reactor, AccessLine(settings.line), settings.probes,
                sink.write ? std::move(sink) : standard_output()) {}

AccessLog::AccessLog(http::Reactor& reactor, const AccessLine& line, bool logs_probes,
                     AccessSink sink)
    : http::Timer(reactor.timers()),
      reactor_(reactor),
      line_(line),
      logs_probes_(logs_probes),
      sink_(std::move(sink)),
      flush_at_(kFlushBytes) {}

std::unique_ptr<AccessLog> AccessLog::for_loop(http::Reactor& reactor, AccessSink sink) const {
  return std::unique_ptr<AccessLog>(new AccessLog(reactor, line_, logs_probes_, std::move(sink)));
}

AccessLog::~AccessLog() {
  clear_deadline();
  write_remaining();
  if (lines_.empty()) return;
  const std::uint64_t before = dropped_;
  drop_all();
  sys::log::warning("access log dropped its last lines",
                    {{"lines", dropped_ - before}, {"because", text_of(error_)}});
}

/// Waits for the sink, because at the end no request has to wait.
void AccessLog::write_remaining() {
  const sys::Clock& clock = sys::system_clock();  // waits in real time
  const TimePoint deadline = clock.now() + kLastWait;
  while (!write_out() && error_ == 0 && sink_.wait_for_room) {
    const Duration left = deadline - clock.now();
    if (left <= Duration::zero()) return;
    sink_.wait_for_room(left);
  }
}

void AccessLog::write(const Exchange& exchange, const Outcome& outcome) {
  const AccessNotes* notes = exchange.notes();
  if (notes == nullptr || !notes->is_probe || logs_probes_) append(exchange, outcome, notes);
}

void AccessLog::add(std::string_view lines) {
  if (!has_room(static_cast<std::uint64_t>(std::ranges::count(lines, '\n')))) return;
  lines_ += lines;
  flush();  // they have already waited
}

/// Returns false if that many lines have to be dropped.
bool AccessLog::has_room(std::uint64_t lines) {
  if (lines_.size() < kMaxBytes) return true;
  dropped_ += lines;
  warn_once(text_of(error_));
  return false;
}

void AccessLog::append(const Exchange& exchange, const Outcome& outcome, const AccessNotes* notes) {
  if (!has_room(1)) return;
  AccessRecord record = record_of(exchange, outcome);
  const std::string trace_id = exchange.trace_id();
  record.trace_id = trace_id;
  record.ended = reactor_.clock().wall_now();
  if (notes != nullptr) {
    record.service = notes->service;
    record.revision = notes->revision;
    record.replica = notes->replica;
    record.server_ip = notes->upstream;
  }
  line_.append(record, lines_);
  flush_soon();
}

void AccessLog::flush_soon() {
  if (lines_.size() >= flush_at_) {
    flush();
  } else if (deadline() == TimePoint::max()) {
    set_deadline(reactor_.now() + kFlushInterval);
  }
}

void AccessLog::flush() {
  clear_deadline();
  const bool is_done = write_out();
  flush_at_ = lines_.size() + kFlushBytes;
  if (!is_done) set_deadline(reactor_.now() + kFlushInterval);
}

bool AccessLog::write_out() {
  if (lines_.empty()) return true;
  const sys::Written written = sink_.write(lines_);
  lines_.erase(0, written.bytes);
  error_ = written.error;
  if (error_ != 0) warn_once(text_of(error_));
  if (sys::is_permanent(error_)) drop_all();
  return lines_.empty();
}

void AccessLog::drop_all() {
  dropped_ += static_cast<std::uint64_t>(std::count(lines_.begin(), lines_.end(), '\n'));
  lines_.clear();
}

void AccessLog::warn_once(const std::string& reason) {
  if (std::exchange(has_warned_, true)) return;
  sys::log::warning("access log cannot be written", {{"because", reason}});
}

}  // namespace bellows::proxy
