#include "http/io/response_reader.hpp"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <span>
#include <utility>

#include "http/core/normalize.hpp"

namespace bellows::http {

namespace {

HeadLimits head_limits(std::size_t max_head_bytes) {
  const auto bytes =
      static_cast<std::uint32_t>(std::min<std::size_t>(max_head_bytes, kMaxHeadLimits.total));
  return {.fields = kMaxServiceFields, .line = bytes, .total = bytes};
}

}  // namespace

ResponseReader::ResponseReader(ByteStream& stream, std::string peer, std::size_t max_head_bytes)
    : stream_(stream), peer_(std::move(peer)), parser_(head_limits(max_head_bytes)) {}

Awaitable<Result<Response>> ResponseReader::read_head(std::string_view method) {
  input_.erase(0, std::exchange(position_, 0));
  is_untouched_ = input_.empty();
  is_whole_ = false;
  parser_.reset();
  for (;;) {
    const HeadResult result = parser_.read(input_, head_);
    if (const auto fault = result.fault()) {
      if (normalize_response_head(std::span(input_))) {
        parser_.reset();
        continue;
      }
      const Error error = to_error(*fault, peer_, ErrorSide::kUpstream);
      co_return fail(Error(error.kind(), peer_, "read the response: " + error.message(),
                           ErrorSide::kUpstream));
    }
    if (result.is_complete() && !head_.is_interim()) break;
    if (result.is_complete()) {
      input_.erase(0, head_.size);
      parser_.reset();
      continue;
    }
    const boost::system::error_code error = co_await read_more();
    if (error) co_return fail(read_error(error));
  }
  framing_ = response_body(head_, method);
  co_return take_head();
}

Response ResponseReader::take_head() {
  Response response;
  response.status = head_.status;
  response.content_type = head_.fields.find(FieldId::kContentType).value_or("");
  for (std::size_t i = 0; i < head_.fields.size(); ++i) {
    response.headers.emplace_back(head_.fields.name(i), head_.fields.value(i));
  }
  const bool is_ambiguous = head_.framing.chunked && head_.framing.content_length.has_value();
  keeps_alive_ = head_.keeps_alive() && framing_.end != BodyEnd::kClose && !is_ambiguous;
  position_ = head_.size;
  left_ = framing_.end == BodyEnd::kLength ? framing_.length : 0;
  is_whole_ = framing_.end == BodyEnd::kNone || (framing_.end == BodyEnd::kLength && left_ == 0);
  chunks_.reset();
  if (framing_.end == BodyEnd::kChunked) chunks_.emplace(SizeBlanks::kAccepted);
  return response;
}

/// Returns the part of the body that has arrived, which may be empty.
Result<std::string_view> ResponseReader::buffered_chunk() {
  std::string_view bytes = rest();
  if (chunks_) {
    const std::string_view run = chunks_->next_data(bytes);
    position_ = input_.size() - bytes.size();
    if (chunks_->is_broken()) {
      return fail(ErrorKind::kMalformed, peer_,
                  "read the response: " + std::string(fault_text(chunks_->fault())),
                  ErrorSide::kUpstream);
    }
    is_whole_ = chunks_->is_complete();
    return run;
  }
  if (framing_.end == BodyEnd::kLength) {
    bytes = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
    left_ -= bytes.size();
    is_whole_ = left_ == 0;
  }
  position_ += bytes.size();
  return bytes;
}

Awaitable<Result<std::string_view>> ResponseReader::read_chunk() {
  while (!is_whole_) {
    BELLOWS_CO_TRY(const std::string_view chunk, buffered_chunk());
    if (!chunk.empty()) co_return chunk;
    if (is_whole_) break;
    input_.erase(0, std::exchange(position_, 0));
    const boost::system::error_code error = co_await read_more();
    if (error == net::error::eof && framing_.end == BodyEnd::kClose) {
      is_whole_ = true;
    } else if (error) {
      co_return fail(read_error(error));
    }
  }
  co_return std::string_view();
}

Awaitable<Result<std::string>> ResponseReader::read_body(std::size_t max_bytes) {
  std::string body;
  if (left_ > max_bytes) co_return fail(too_large(max_bytes));
  body.reserve(static_cast<std::size_t>(left_));
  for (;;) {
    BELLOWS_CO_TRY(const std::string_view chunk, co_await read_chunk());
    if (chunk.empty()) co_return body;
    body += chunk;
    if (body.size() > max_bytes) co_return fail(too_large(max_bytes));
  }
}

Awaitable<boost::system::error_code> ResponseReader::read_more() {
  constexpr std::size_t kStep = std::size_t{8} * 1024;
  const std::size_t size = input_.size();
  input_.resize(size + kStep);
  boost::system::error_code error;
  const std::size_t count =
      co_await stream_.async_read_some(net::buffer(input_.data() + size, kStep), awaiting(error));
  input_.resize(size + count);
  if (count != 0) is_untouched_ = false;
  co_return error;
}

Error ResponseReader::read_error(const boost::system::error_code& error) const {
  return net_error(peer_, "read the response", error).on(ErrorSide::kUpstream);
}

Error ResponseReader::too_large(std::size_t max_bytes) const {
  return Error(
      ErrorKind::kTooLarge, peer_,
      "read the response: the body is over the limit of " + std::to_string(max_bytes) + " bytes",
      ErrorSide::kUpstream);
}

}  // namespace bellows::http
