// The cost of one stat in the receiving thread: one masked frame per stat, over many connections.
// The sender uses plain sockets and prepared frames in its own thread, with at most one frame in
// flight per connection.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/check.hpp"
#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"
#include "metrics/revision_windows.hpp"
#include "metrics/stat_codec.hpp"
#include "metrics/stream/stat_receiver.hpp"

namespace bellows::metrics {
namespace {

constexpr const char* kPath = "/v1/stats";

/// Records each stat in the windows of its revision, as the autoscaler does.
class BookingSink final : public StatSink {
 public:
  void accept(const Stat& stat) override {
    auto place = windows_.find(stat.revision);
    if (place == windows_.end()) {
      place = windows_.try_emplace(stat.revision, std::chrono::seconds(60), std::chrono::seconds(6))
                  .first;
    }
    place->second.record(stat, sys::system_clock().now() - stat.age);
    received_.store(received_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  void accept(const ScaleFromZeroTrigger&) override {}
  std::uint64_t received() const { return received_.load(std::memory_order_acquire); }

 private:
  std::unordered_map<RevisionId, RevisionWindows> windows_;
  std::atomic<std::uint64_t> received_ = 0;
};

/// The receiver of an autoscaler, with windows.
class Receiver {
 public:
  Receiver() : server_(io_) {
    server_.websocket(kPath,
                      [this](std::unique_ptr<http::WebSocket> socket) -> http::Awaitable<void> {
                        co_await receiver_.serve(*socket, sink_);
                      });
    port_ = server_.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value().port;
    thread_ = std::thread([this] { io_.run(); });
  }
  ~Receiver() {
    io_.stop();
    thread_.join();
  }
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  std::uint16_t port() const { return port_; }
  std::uint64_t received() const { return sink_.received(); }
  /// CPU time of the receiving thread so far, measured in that thread.
  double cpu_seconds() {
    std::promise<double> told;
    http::net::post(io_, [&told] {
      rusage used{};
      ::getrusage(RUSAGE_THREAD, &used);
      const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
      };
      told.set_value(seconds(used.ru_utime) + seconds(used.ru_stime));
    });
    return told.get_future().get();
  }

 private:
  http::net::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  BookingSink sink_;
  StatReceiver receiver_;
  http::ServiceServer server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// One connection after its handshake.
int connect_sender(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(fd >= 0, "there are descriptors enough");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // NOLINTNEXTLINE: as connect() wants it
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  CHECK(::connect(fd, name, sizeof address) == 0, "the receiver listens");
  const std::string hello = std::string("GET ") + kPath +
                            " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                            "Sec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  CHECK(::send(fd, hello.data(), hello.size(), 0) == static_cast<ssize_t>(hello.size()), "");
  std::string answer(1024, '\0');
  const ssize_t got = ::recv(fd, answer.data(), answer.size(), 0);
  CHECK(got > 0 && answer.starts_with("HTTP/1.1 101"), "the receiver speaks WebSocket");
  return fd;
}

/// The masked frame of one source; its sequence number can be set.
class Frame {
 public:
  explicit Frame(std::size_t source) {
    const std::string payload = encode(stat_of(source));
    CHECK(payload.size() >= 126 && payload.size() < 65536, "the length takes two bytes");
    bytes_ = "\x82\xfe";
    bytes_ += static_cast<char>(payload.size() >> 8U);
    bytes_ += static_cast<char>(payload.size() & 0xffU);
    bytes_ += kMask;
    const std::size_t header = bytes_.size();
    sequence_at_ = payload.find("\xca\xfe\xf0\x0d");
    CHECK(sequence_at_ != std::string::npos, "the sequence number is in it");
    for (std::size_t i = 0; i < payload.size(); ++i) bytes_ += masked(payload[i], i);
    text_at_ = header;
  }

  std::string_view with_sequence(std::uint64_t round) {
    const auto number = static_cast<std::uint32_t>(kFirst + round);
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t at = sequence_at_ + i;
      bytes_[text_at_ + at] = masked(static_cast<char>(number >> (24 - 8 * i)), at);
    }
    return bytes_;
  }

 private:
  static constexpr std::string_view kMask = "\x37\xfa\x21\x3d";
  static constexpr std::uint32_t kFirst = 0xcafef00d;  // easy to find

  static char masked(char byte, std::size_t at) {
    return static_cast<char>(byte ^ kMask[at % kMask.size()]);
  }
  static Stat stat_of(std::size_t source) {
    constexpr std::size_t kPods = 50;  // of a revision
    Stat stat;
    stat.revision = RevisionId("checkout-service-" + std::to_string(source / kPods));
    stat.pod = PodName("checkout-service-deployment-7d9f8b6c54-" + std::to_string(source));
    stat.boot = 0x0123456789abcdef;
    stat.sequence = kFirst;
    stat.age = std::chrono::milliseconds(12);
    stat.concurrency = 2.5;
    stat.peak = 4;
    stat.requests = 900;
    return stat;
  }

  std::string bytes_;
  std::size_t text_at_ = 0;
  std::size_t sequence_at_ = 0;
};

/// Sends `stats` in rounds over all connections; each connection waits until its last one was
/// received.
void send(const Receiver& receiver, const std::vector<int>& senders, std::vector<Frame>& frames,
          std::uint64_t stats) {
  const std::uint64_t before = receiver.received();
  for (std::uint64_t sent = 0; sent < stats; ++sent) {
    while (receiver.received() - before + senders.size() <= sent) std::this_thread::yield();
    const std::size_t at = sent % senders.size();
    const std::string_view frame = frames[at].with_sequence((before + sent) / senders.size());
    const ssize_t done = ::send(senders[at], frame.data(), frame.size(), MSG_NOSIGNAL);
    CHECK(done == static_cast<ssize_t>(frame.size()), "the connection is open");
  }
  while (receiver.received() - before < stats) std::this_thread::yield();
}

void measure(std::size_t connections, std::uint64_t stats) {
  Receiver receiver;
  std::vector<int> senders;
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < connections; ++i) {
    senders.push_back(connect_sender(receiver.port()));
    frames.emplace_back(i);
  }
  send(receiver, senders, frames, 2 * connections);  // warm
  const double cpu = receiver.cpu_seconds();
  const TimePoint started = sys::system_clock().now();
  send(receiver, senders, frames, stats);
  const double took = to_seconds(sys::system_clock().now() - started);
  const double each = (receiver.cpu_seconds() - cpu) / static_cast<double>(stats);
  std::printf("%5zu connections: %5.2f us CPU a stat, %7.0f a second of one core, %7.0f here\n",
              connections, each * 1e6, 1 / each, static_cast<double>(stats) / took);
  for (const int fd : senders) ::close(fd);
}

}  // namespace
}  // namespace bellows::metrics

int main(int argc, char** argv) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  constexpr std::uint64_t kStats = 500'000;
  if (argc > 1) {
    bellows::metrics::measure(std::strtoul(argv[1], nullptr, 10), kStats);
    return 0;
  }
  for (const std::size_t connections : {50U, 1000U, 5000U}) {
    bellows::metrics::measure(connections, kStats);
  }
}
