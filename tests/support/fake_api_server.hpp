// An API server within the test: lists, watches, writes, subresources, discovery, and faults on
// request. Plain HTTP on a port of the system's choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"
#include "tests/support/fake_api_store.hpp"

namespace bellows::test {

struct FakeApiServerOptions {
  int minor_version = 36;      ///< of /version; below 21 EndpointSlice is v1beta1 only, below 23
                               ///< autoscaling has no v2
  bool has_watch_list = true;  ///< else sendInitialEvents gets 422
  std::string token = {};      ///< else than this bearer token gets 401; empty: all are welcome
};

/// What goes wrong with the next requests that match.
struct FakeApiFault {
  enum class Kind : std::uint8_t {
    kStatus,      ///< an answer with `code`, with Retry-After if it is set
    kCut,         ///< the answer as it would be, cut after `bytes`, then the connection ends
    kHang,        ///< no answer; the connection stays open
    kErrorEvent,  ///< of a watch: an ERROR event of `code`, then its end
    kGarbage,     ///< a success whose body is no JSON
  };
  Kind kind = Kind::kStatus;
  std::string method = {};  ///< "GET"; empty: any
  std::string target = {};  ///< a part of the target: "/pods?", "watch=1"; empty: any
  int times = 1;
  int code = 500;
  std::optional<int> retry_after_seconds = {};
  std::size_t bytes = 0;
};

/// It is a server of its own instead of an http::ServiceServer, because that one sends whole
/// messages, and a watch is a stream whose bytes the tests cut. Owner: the test. Thread: the io
/// thread; requests are served in the io_context's run.
class FakeApiServer {
 public:
  explicit FakeApiServer(http::net::io_context& io, FakeApiServerOptions options = {});
  ~FakeApiServer();
  FakeApiServer(const FakeApiServer&) = delete;
  FakeApiServer& operator=(const FakeApiServer&) = delete;

  const Endpoint& endpoint() const;
  std::string url() const;
  FakeApiStore& store();

  void fail(FakeApiFault fault);
  /// "METHOD TARGET" of every request, in order.
  const std::vector<std::string>& requests() const;
  /// How many of them contain `part`.
  std::size_t count(std::string_view part) const;
  std::size_t watches() const;      ///< open ones
  std::size_t connections() const;  ///< open ones
  /// Serves `body` at `path`, which is no resource: "/openid/v1/jwks". As by a real server it is
  /// for `type` and any type, and 406 for others.
  void set_page(std::string path, std::string type, std::string body);
  /// The tokens that are valid from now on.
  void set_token(std::string token);

  void send_bookmarks();  ///< to every watch that has asked for them
  void end_watches();     ///< as the server does when timeoutSeconds are over
  void drop_connections();
  /// Nobody listens and all connections are gone; start() listens at the same address.
  void stop();
  void start();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::test
