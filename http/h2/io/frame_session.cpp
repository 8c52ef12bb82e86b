#include "http/h2/io/frame_session.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

#include "base/check.hpp"
#include "base/frame_pool.hpp"
#include "http/h2/io/stream.hpp"

namespace bellows::http2 {

namespace {

constexpr std::size_t kFrameHead = 9;
constexpr std::uint8_t kPriorityUpdate = 0x10;  // RFC 9218 7.1
constexpr std::int32_t kMaxId = 0x7fffffff;

std::string_view text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

FrameEvents& events(void* user_data) {
  return *static_cast<FrameEvents*>(user_data);
}

/// Returns the result of a receiving callback. A failure ends the library's loop at once; otherwise
/// it would process all the bytes it was given, and decode fields that are discarded.
int goes_on(const FrameEvents& to) {
  return to.takes_frames() ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

/// Returns true if the stream has an object. The library stores the handle of a stream
/// (StreamHandle) instead of a pointer. When it closes a stream on its own, as it does with a
/// request that was cancelled before it was sent, the object may be destroyed.
bool has_stream(nghttp2_session* session, std::int32_t id) {
  return nghttp2_session_get_stream_user_data(session, id) != nullptr;
}

Stream* stream_of(nghttp2_session* session, std::int32_t id, const FrameEvents& to) {
  return to.find(StreamHandle::of_library(nghttp2_session_get_stream_user_data(session, id)));
}

Stream* stream_of(const nghttp2_data_source& source, const FrameEvents& to) {
  return to.find(StreamHandle::of_library(source.ptr));
}

bool ends_stream(const nghttp2_frame* frame) {
  return (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

/// Returns true for a frame of a stream that has ended. The library ignores such frames and makes
/// no other call for them. (For DATA it makes not even this one.)
bool is_late(nghttp2_session* session, const nghttp2_frame_hd& head) {
  switch (head.type) {
    case NGHTTP2_WINDOW_UPDATE:
      return head.stream_id != 0 && !has_stream(session, head.stream_id);
    case NGHTTP2_HEADERS:
      return head.stream_id <= nghttp2_session_get_last_proc_stream_id(session) &&
             !has_stream(session, head.stream_id);
    default:
      return false;
  }
}

int on_begin_frame(nghttp2_session* session, const nghttp2_frame_hd* head, void* user_data) {
  FrameEvents& to = events(user_data);
  if (head->type == NGHTTP2_CONTINUATION) to.on_frame(FrameKind::kContinuation, 0);
  if (head->type == NGHTTP2_HEADERS) to.on_headers_frame(head->stream_id);
  if (is_late(session, *head)) {
    const bool is_update = head->type == NGHTTP2_WINDOW_UPDATE;
    to.on_frame(is_update ? FrameKind::kWindowUpdate : FrameKind::kUnknown, 0);
  }
  return goes_on(to);
}

/// Counts and ignores a frame of a type that RFC 9113 does not define (RFC 9113 5.5).
int on_other_frame(nghttp2_session* /*session*/, void** payload, const nghttp2_frame_hd* head,
                   void* user_data) {
  *payload = nullptr;
  const bool is_priority = head->type == kPriorityUpdate;
  events(user_data).on_frame(is_priority ? FrameKind::kPriority : FrameKind::kUnknown, 0);
  return NGHTTP2_ERR_CANCEL;
}

int on_begin_headers(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
  // This is a push promise of a server that has not received our SETTINGS, which forbid it, yet.
  if (frame->hd.type != NGHTTP2_HEADERS) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  const std::int32_t id = frame->hd.stream_id;
  FrameEvents& to = events(user_data);
  Stream* const before = stream_of(session, id, to);
  Stream* const stream = to.on_head_begins(id, before);
  if (stream != before) {
    nghttp2_session_set_stream_user_data(session, id, stream->handle().to_library());
  }
  return 0;
}

int on_header(nghttp2_session* /*session*/, const nghttp2_frame* /*frame*/,
              const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
              std::size_t value_size, std::uint8_t /*flags*/, void* user_data) {
  FrameEvents& to = events(user_data);
  to.on_field(text(name, name_size), text(value, value_size));
  return goes_on(to);
}

/// Rejects a field that the library would drop.
int on_invalid_header(nghttp2_session* /*session*/, const nghttp2_frame* /*frame*/,
                      const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* /*value*/, std::size_t /*value_size*/,
                      std::uint8_t /*flags*/, void* user_data) {
  events(user_data).on_bad_field(nghttp2_check_header_name(name, name_size) == 0);
  return 0;
}

/// Reports a frame because of which the library resets the stream.
int on_invalid_frame(nghttp2_session* session, const nghttp2_frame* frame, int /*error*/,
                     void* user_data) {
  FrameEvents& to = events(user_data);
  if (Stream* const stream = stream_of(session, frame->hd.stream_id, to)) to.on_bad_frame(stream);
  return 0;
}

int on_data_chunk(nghttp2_session* session, std::uint8_t /*flags*/, std::int32_t id,
                  const std::uint8_t* data, std::size_t size, void* user_data) {
  FrameEvents& to = events(user_data);
  to.on_data(stream_of(session, id, to), id, text(data, size));
  return 0;
}

int on_frame_received(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
  FrameEvents& to = events(user_data);
  Stream* const stream = stream_of(session, frame->hd.stream_id, to);
  const bool is_ack = (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0;
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
      to.on_head_ends(stream, ends_stream(frame));
      break;
    case NGHTTP2_DATA:
      to.on_data_ends(stream, frame->hd.length - frame->data.padlen, ends_stream(frame));
      break;
    case NGHTTP2_SETTINGS:
      if (!is_ack) to.on_frame(FrameKind::kSettings, 0);
      break;
    case NGHTTP2_PING:
      to.on_frame(is_ack ? FrameKind::kPingAck : FrameKind::kPing, 0);
      break;
    case NGHTTP2_PRIORITY:
      to.on_frame(FrameKind::kPriority, 0);
      break;
    case NGHTTP2_WINDOW_UPDATE:
      to.on_frame(FrameKind::kWindowUpdate,
                  static_cast<std::uint32_t>(frame->window_update.window_size_increment));
      break;
    case NGHTTP2_RST_STREAM:
      to.on_frame(FrameKind::kReset, frame->rst_stream.error_code);
      break;
    case NGHTTP2_GOAWAY:
      to.on_frame(FrameKind::kGoaway, frame->goaway.error_code);
      break;
    default:
      break;
  }
  return goes_on(to);
}

int on_stream_closed(nghttp2_session* session, std::int32_t id, std::uint32_t code,
                     void* user_data) {
  FrameEvents& to = events(user_data);
  if (Stream* const stream = stream_of(session, id, to)) to.on_closed(stream, code);
  return 0;
}

int on_frame_sent(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
  FrameEvents& to = events(user_data);
  Stream* const stream = stream_of(session, frame->hd.stream_id, to);
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
      to.on_sent(FrameKind::kHeaders, stream, 0, ends_stream(frame));
      break;
    case NGHTTP2_DATA:
      to.on_sent(FrameKind::kData, stream, 0, ends_stream(frame));
      break;
    case NGHTTP2_RST_STREAM:
      to.on_sent(FrameKind::kReset, stream, frame->rst_stream.error_code, false);
      break;
    case NGHTTP2_GOAWAY:
      to.on_sent(FrameKind::kGoaway, nullptr, frame->goaway.error_code, false);
      break;
    default:
      break;
  }
  return 0;
}

/// Returns how many bytes of a stream's body the next DATA frame has.
ssize_t read_data(nghttp2_session* /*session*/, std::int32_t id, std::uint8_t* /*buffer*/,
                  std::size_t most, std::uint32_t* flags, nghttp2_data_source* source,
                  void* user_data) {
  Stream* const stream = stream_of(*source, events(user_data));
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // it was reset
  const std::size_t unsent = stream->unsent();
  const bool is_last = stream->has_ended_output() && unsent <= most;
  if (unsent == 0 && !is_last) {
    stream->set_deferred(true);
    return NGHTTP2_ERR_DEFERRED;
  }
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (!is_last) return static_cast<ssize_t>(std::min(unsent, most));
  *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (!stream->trailers().empty() && stream->submit_trailers(id)) {
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  }
  return static_cast<ssize_t>(unsent);
}

int send_data(nghttp2_session* /*session*/, nghttp2_frame* /*frame*/, const std::uint8_t* head,
              std::size_t size, nghttp2_data_source* source, void* user_data) {
  FrameEvents& to = events(user_data);
  if (to.room() < kFrameHead + size) return NGHTTP2_ERR_WOULDBLOCK;
  Stream* const stream = stream_of(*source, to);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  to.put(text(head, kFrameHead));
  to.put(stream->unsent_view().substr(0, size));
  stream->note_sent(size);
  return 0;
}

nghttp2_session_callbacks* make_callbacks() {
  nghttp2_session_callbacks* all = nullptr;
  CHECK(nghttp2_session_callbacks_new(&all) == 0, "there is memory for the callbacks");
  nghttp2_session_callbacks_set_on_begin_frame_callback(all, on_begin_frame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(all, on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(all, on_header);
  nghttp2_session_callbacks_set_on_invalid_header_callback(all, on_invalid_header);
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(all, on_invalid_frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(all, on_data_chunk);
  nghttp2_session_callbacks_set_on_frame_recv_callback(all, on_frame_received);
  nghttp2_session_callbacks_set_on_stream_close_callback(all, on_stream_closed);
  nghttp2_session_callbacks_set_on_frame_send_callback(all, on_frame_sent);
  nghttp2_session_callbacks_set_send_data_callback(all, send_data);
  nghttp2_session_callbacks_set_unpack_extension_callback(all, on_other_frame);
  return all;
}

// Size of a piece, because the pool needs it on release and the library does not pass it.
struct alignas(std::max_align_t) Head {
  std::size_t bytes;  // of the whole piece
};

void* allocate(std::size_t size, void* /*user_data*/) {
  const std::size_t bytes = sizeof(Head) + size;
  if (bytes < size) return nullptr;
  return new (FramePool::allocate(bytes)) Head{bytes} + 1;
}

void release(void* piece, void* /*user_data*/) {
  if (piece == nullptr) return;
  Head* const head = static_cast<Head*>(piece) - 1;
  FramePool::deallocate(head, head->bytes);
}

void* allocate_zeroed(std::size_t count, std::size_t size, void* user_data) {
  if (size != 0 && count > static_cast<std::size_t>(-1) / size) return nullptr;
  void* const piece = allocate(count * size, user_data);
  if (piece != nullptr) std::memset(piece, 0, count * size);
  return piece;
}

void* reallocate(void* piece, std::size_t size, void* user_data) {
  void* const larger = allocate(size, user_data);
  if (piece == nullptr || larger == nullptr) return larger;
  const std::size_t before = (static_cast<Head*>(piece) - 1)->bytes - sizeof(Head);
  std::memcpy(larger, piece, std::min(before, size));
  release(piece, user_data);
  return larger;
}

/// Allocates from the pool of coroutine frames, because a session allocates and frees a dozen small
/// pieces for each message.
nghttp2_mem* library_memory() {
  static nghttp2_mem memory{nullptr, allocate, release, allocate_zeroed, reallocate};
  return &memory;
}

nghttp2_option* make_options(const Limits& limits) {
  nghttp2_option* options = nullptr;
  CHECK(nghttp2_option_new(&options) == 0, "there is memory for the options");
  // Windows are opened as the reader reads.
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_option_set_no_closed_streams(options, 1);
  for (int type = NGHTTP2_CONTINUATION + 1; type <= 0xff; ++type) {
    nghttp2_option_set_user_recv_extension_type(options, static_cast<std::uint8_t>(type));
  }
  // Our limits are checked before these, and give the reason.
  nghttp2_option_set_max_continuations(options, limits.continuations + 1);
  nghttp2_option_set_stream_reset_rate_limit(options, 2ULL * limits.peer_resets.burst,
                                             2ULL * limits.peer_resets.per_second);
  return options;
}

}  // namespace

/// Memory that is reused for each message.
struct FrameSession::NameValues {
  std::vector<nghttp2_nv> all;
};

FrameSession::FrameSession(bool is_server, const Limits& limits, FrameEvents& events)
    : events_(events), scratch_(std::make_unique<NameValues>()) {
  // Made once per program, at its first HTTP/2 connection.
  static nghttp2_session_callbacks* const callbacks = make_callbacks();
  nghttp2_option* const options = make_options(limits);
  nghttp2_mem* const memory = library_memory();
  const int made =
      is_server ? nghttp2_session_server_new3(&session_, callbacks, &events, options, memory)
                : nghttp2_session_client_new3(&session_, callbacks, &events, options, memory);
  nghttp2_option_del(options);
  CHECK(made == 0, "there is memory for a session");
  submit_settings(is_server, limits);
}

FrameSession::~FrameSession() {
  nghttp2_session_del(session_);
}

void FrameSession::submit_settings(bool is_server, const Limits& limits) {
  std::array<nghttp2_settings_entry, 4> entries{};
  std::size_t count = 0;
  entries[count++] = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window};
  entries[count++] = {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.header_bytes};
  if (is_server) {
    entries[count++] = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.max_streams};
    entries[count++] = {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1};
  } else {
    entries[count++] = {NGHTTP2_SETTINGS_ENABLE_PUSH, 0};
  }
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, entries.data(), count);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                        static_cast<std::int32_t>(limits.connection_window));
}

FrameSession::Received FrameSession::receive(std::string_view bytes) {
  while (!bytes.empty() && events_.takes_frames()) {
    const ssize_t taken = nghttp2_session_mem_recv(
        session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (taken >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(taken));
      continue;
    }
    switch (taken) {
      case NGHTTP2_ERR_FLOODED:
        return Received::kFlooded;
      case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS:
        return Received::kManyContinuations;
      case NGHTTP2_ERR_BAD_CLIENT_MAGIC:
        return Received::kBadPreface;
      default:
        return Received::kFailed;
    }
  }
  return events_.takes_frames() ? Received::kAll : Received::kFailed;
}

bool FrameSession::make() {
  const std::size_t room = events_.room();
  if (room < kMaxFrame) return false;
  const std::uint8_t* bytes = nullptr;
  const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
  if (size > 0) events_.put(text(bytes, static_cast<std::size_t>(size)));
  return events_.room() != room;
}

bool FrameSession::wants_to_write() const {
  return nghttp2_session_want_write(session_) != 0;
}

bool FrameSession::is_over() const {
  return nghttp2_session_want_read(session_) == 0 && !wants_to_write();
}

FrameSession::NameValues& FrameSession::to_library(std::span<const Field> fields) {
  std::vector<nghttp2_nv>& all = scratch_->all;
  all.clear();
  const auto bytes = [](std::string_view part) {
    // NOLINTNEXTLINE: the library only reads them
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(part.data()));
  };
  for (const Field& field : fields) {
    std::uint8_t flags = NGHTTP2_NV_FLAG_NONE;
    if (field.is_unique) flags |= NGHTTP2_NV_FLAG_NO_INDEX;  // it would push others out
    if (field.has_own_name) flags |= NGHTTP2_NV_FLAG_NO_COPY_NAME;
    nghttp2_nv& pair = all.emplace_back();
    pair.name = bytes(field.name);
    pair.value = bytes(field.value);
    pair.namelen = field.name.size();
    pair.valuelen = field.value.size();
    pair.flags = flags;
  }
  return *scratch_;
}

bool FrameSession::submit_response(StreamHandle stream, std::int32_t id,
                                   std::span<const Field> fields, bool has_body) {
  const std::vector<nghttp2_nv>& all = to_library(fields).all;
  nghttp2_data_provider provider{};
  provider.source.ptr = stream.to_library();
  provider.read_callback = read_data;
  return nghttp2_submit_response(session_, id, all.data(), all.size(),
                                 has_body ? &provider : nullptr) == 0;
}

bool FrameSession::submit_interim(std::int32_t id, std::span<const Field> fields) {
  const std::vector<nghttp2_nv>& all = to_library(fields).all;
  return nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, id, nullptr, all.data(), all.size(),
                                nullptr) == 0;
}

std::int32_t FrameSession::submit_request(StreamHandle stream, std::span<const Field> fields,
                                          bool has_body) {
  const std::vector<nghttp2_nv>& all = to_library(fields).all;
  nghttp2_data_provider provider{};
  provider.source.ptr = stream.to_library();
  provider.read_callback = read_data;
  const std::int32_t id =
      nghttp2_submit_request(session_, nullptr, all.data(), all.size(),
                             has_body ? &provider : nullptr, stream.to_library());
  return id > 0 ? id : 0;
}

bool FrameSession::submit_trailers(std::int32_t id, std::span<const Field> fields) {
  const std::vector<nghttp2_nv>& all = to_library(fields).all;
  return nghttp2_submit_trailer(session_, id, all.data(), all.size()) == 0;
}

void FrameSession::reset(std::int32_t id, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
}

void FrameSession::resume(std::int32_t id) {
  nghttp2_session_resume_data(session_, id);
}

void FrameSession::consume_connection(std::size_t bytes) {
  nghttp2_session_consume_connection(session_, bytes);
}

void FrameSession::consume_stream(std::int32_t id, std::size_t bytes) {
  nghttp2_session_consume_stream(session_, id, bytes);
}

void FrameSession::submit_shutdown_notice() {
  nghttp2_submit_shutdown_notice(session_);
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
}

std::int32_t FrameSession::submit_goaway(ErrorCode code) {
  const std::int32_t last = nghttp2_session_get_last_proc_stream_id(session_);
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, static_cast<std::uint32_t>(code),
                        nullptr, 0);
  return last;
}

void FrameSession::terminate(ErrorCode code, std::int32_t last_stream) {
  nghttp2_session_terminate_session2(session_, last_stream, static_cast<std::uint32_t>(code));
}

bool FrameSession::peer_allows_tunnels() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) ==
         1;
}

std::uint32_t FrameSession::peer_max_streams() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

bool FrameSession::has_ids() const {
  return nghttp2_session_get_next_stream_id(session_) <= static_cast<std::uint32_t>(kMaxId);
}

}  // namespace bellows::http2
