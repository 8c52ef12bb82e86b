#include "kubernetes/io/open_client.hpp"

#include <utility>

namespace bellows::kubernetes {

namespace {

constexpr Duration kFirstAnswerTimeout = std::chrono::seconds(5);

}  // namespace

http::Awaitable<Result<std::unique_ptr<ApiClient>>> open_client(http::net::io_context& io,
                                                                Random& random,
                                                                CredentialsOptions credentials,
                                                                ApiClientOptions options) {
  BELLOWS_CO_TRY(std::shared_ptr<Credentials> loaded, load_credentials(io, credentials));
  auto client = std::make_unique<ApiClient>(io, std::move(loaded), random, std::move(options));
  ApiRequest version("/version");
  version.timeout = kFirstAnswerTimeout;
  const auto answer = co_await client->send(std::move(version));
  const bool is_wrong = !answer && answer.error().kind() == ErrorKind::kInvalidSetting;
  if (is_wrong) co_return fail(answer.error());
  co_return Result<std::unique_ptr<ApiClient>>(std::move(client));
}

}  // namespace bellows::kubernetes
