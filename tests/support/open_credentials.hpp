// Credentials of a FakeApiServer.
#pragma once

#include <string>

#include "kubernetes/io/credentials.hpp"
#include "tests/support/fake_api_server.hpp"

namespace bellows::test {

/// Plain HTTP, no token.
class OpenCredentials final : public kubernetes::Credentials {
 public:
  explicit OpenCredentials(const FakeApiServer& server)
      : server_{.endpoint = server.endpoint(), .base_path = {}, .url = server.url()} {}

  const kubernetes::ApiServer& server() const override { return server_; }
  const std::string& ns() const override { return ns_; }
  const std::string& description() const override { return server_.url; }
  http::Awaitable<Result<kubernetes::Access>> access(TimePoint /*deadline*/) override {
    co_return kubernetes::Access();
  }
  void reject() override {}

 private:
  kubernetes::ApiServer server_;
  std::string ns_ = "default";
};

}  // namespace bellows::test
