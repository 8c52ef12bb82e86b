// Implements StreamConnection, and passes heads whose parts are known on both sides of it.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "http/h2/io/stream.hpp"

namespace bellows::http2 {

namespace {

using Kind = http::IoResult::Kind;

}  // namespace

template <class Head>
bool Stream::take_known(std::string_view text, const http::HeadLimits& limits, Head& head) {
  Head* const known = known_ ? std::get_if<Head>(&known_->head) : nullptr;
  if (known == nullptr || text.size() < known->size) return false;
  const std::unique_ptr<KnownHead> taken = std::move(known_);
  // The reader of the text reports which limit is exceeded.
  if (known->size > std::min(limits.line, limits.total)) return false;
  if (known->fields.size() > limits.fields) return false;
  head = std::move(*known);
  head.move(taken->text, text.data());
  return true;
}

template <class Head>
http::IoResult Stream::write_known(const Head& head, const iovec* parts, std::size_t count) {
  if (error_ != 0 || output_ != Output::kHead || !head_.empty()) return write(parts, count);
  begin_message(head);
  return write_rest(parts + 1, count - 1, head.size);
}

StreamConnection::StreamConnection(Stream& stream) {
  stream_.bind(stream.connection_);
  is_stream_ = true;
  readable_ = true;
}

StreamConnection::~StreamConnection() {
  close();
}

http::IoResult StreamConnection::try_read(char* data, std::size_t size) {
  if (!readable_) return {};
  if (stream_) return stream_->read(data, size);
  return was_not_processed_ ? http::IoResult{Kind::kEnd, 0, 0} : http::IoResult::failed(ECONNRESET);
}

std::size_t StreamConnection::rest() const {
  return stream_ ? stream_->rest() : 0;
}

std::size_t StreamConnection::most_unread() const {
  return stream_ ? stream_->most_unread() : 0;
}

bool StreamConnection::take_head(std::string_view text, const http::HeadLimits& limits,
                                 http::RequestHead& head) {
  return stream_ && stream_->take_known(text, limits, head);
}

bool StreamConnection::take_head(std::string_view text, const http::HeadLimits& limits,
                                 http::ResponseHead& head) {
  return stream_ && stream_->take_known(text, limits, head);
}

http::IoResult StreamConnection::try_write(const iovec* parts, std::size_t count) {
  return stream_ ? stream_->write(parts, count) : http::IoResult::failed(EPIPE);
}

http::IoResult StreamConnection::try_write_head(const http::RequestHead& head, const iovec* parts,
                                                std::size_t count) {
  return stream_ ? stream_->write_known(head, parts, count) : http::IoResult::failed(EPIPE);
}

http::IoResult StreamConnection::try_write_head(const http::ResponseHead& head, const iovec* parts,
                                                std::size_t count) {
  return stream_ ? stream_->write_known(head, parts, count) : http::IoResult::failed(EPIPE);
}

std::optional<http::TlsPeer> StreamConnection::tls_peer() const {
  return stream_ ? stream_->tls_peer() : std::nullopt;
}

bool StreamConnection::is_idle() {
  return stream_ && stream_->is_idle();
}

void StreamConnection::shutdown_write() {
  if (stream_) stream_->end_output();
}

void StreamConnection::close() {
  is_open_ = false;
  waiter_.leave();
  if (Stream* const stream = stream_.cut()) stream->connection_closed(false, 0);
}

void StreamConnection::abort() {
  is_open_ = false;
  waiter_.leave();
  if (Stream* const stream = stream_.cut()) stream->connection_closed(true, abort_code_);
}

}  // namespace bellows::http2
